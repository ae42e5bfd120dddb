// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers. The two pages list their
// checks in different orders.
#pragma once

#include "exec/schema.h"

namespace portacl::ops::scaled_masked_softmax {

inline constexpr exec::DtypeSet kDtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
inline constexpr exec::DtypeSet kNarrow = {ACL_FLOAT16, ACL_BF16};
inline constexpr const char* kLargeScores =
    "y * |max t| where |max t| is at least 8192 (1024 without fused multiply-add)";
inline constexpr const char* kGradientTerm = "|scale * y| * (|gradOutput| + sum |gradOutput * y|)";
inline constexpr int kRank = 4;
inline constexpr int64_t kLongestRow = 4096;
inline constexpr int64_t kLongestRowOn950 = 8192;

inline constexpr exec::SchemaOf kScaledMaskedSoftmax(
    {.api = "aclnnScaledMaskedSoftmax",
     .formula = "softmax over the last axis of t = mask ? -10000 : x * scale",
     .source = "aclnnScaledMaskedSoftmax page of the CANN operator documentation",
     .accuracy = {exec::Ulp("y", {ACL_FLOAT}, 5).OfTerm(kLargeScores), exec::Ulp("y", kNarrow, 1).OfTerm(kLargeScores)},
     .products = {Family::kAscend910B, Family::kAscend910_93, Family::kAscend950}},
    {exec::In("x"), exec::In("mask"), exec::Attribute("scale", exec::ValueKind::kDouble),
     exec::Attribute("fixedTriuMask", exec::ValueKind::kBool), exec::Out("y")},
    {exec::NotNull("x", "mask", "y"), exec::DtypeOneOf({"x"}, kDtypes), exec::DtypeOneOf({"mask"}, {ACL_BOOL}),
     exec::DtypeOneOf({"y"}, kDtypes), exec::SameDtype("x", "y"), exec::PlainFormat("x", "mask", "y"),
     exec::Rank({"x", "mask", "y"}, kRank, kRank), exec::SameSizeOrOne({exec::Axis("x", 0), exec::Axis("mask", 0)}),
     exec::SameSizeOrOne({exec::Axis("x", 1), exec::Axis("mask", 1)}),
     exec::SameSize({exec::Axis("x", 2), exec::Axis("mask", 2)}),
     exec::SameSize({exec::Axis("x", 3), exec::Axis("mask", 3)}),
     exec::SizeInRange({exec::Axis("x", 3)}, 1, kLongestRow).On({Family::kAscend950}, 1, kLongestRowOn950),
     exec::ShapeIs("y", exec::SameShapeAs("x")), exec::AttributeIs("fixedTriuMask", 0),
     exec::NotNull("executor", "workspaceSize"), exec::OnProducts(), exec::EmptySucceeds("x")});

inline constexpr exec::SchemaOf kScaledMaskedSoftmaxBackward(
    {.api = "aclnnScaledMaskedSoftmaxBackward",
     .formula = "mask ? 0 : scale * (gradOutput * y - y * sum(gradOutput * y)), sum over the last axis",
     .source = "aclnnScaledMaskedSoftmaxBackward page of the CANN operator documentation",
     .accuracy = {exec::Epsilon("out", {ACL_FLOAT}, 3).OfTerm(kGradientTerm),
                  exec::Ulp("out", kNarrow, 1).OfTerm(kGradientTerm)},
     .products = {Family::kAscend910B, Family::kAscend910_93, Family::kAscend950}},
    {exec::In("gradOutput"), exec::In("y"), exec::In("mask"), exec::Attribute("scale", exec::ValueKind::kDouble),
     exec::Attribute("fixTriuMask", exec::ValueKind::kBool), exec::Out("out")},
    {exec::NotNull("gradOutput", "y", "mask", "out"),
     exec::DtypeOneOf({"gradOutput", "y"}, kDtypes),
     exec::DtypeOneOf({"mask"}, {ACL_BOOL}),
     exec::DtypeOneOf({"out"}, kDtypes),
     exec::PlainFormat("gradOutput", "y", "out", "mask"),
     exec::Rank({"gradOutput"}, kRank, kRank),
     exec::SizeInRange({exec::Axis("gradOutput", 3)}, 0, kLongestRow).On({Family::kAscend950}, 0, kLongestRowOn950),
     exec::MaxRank("y"),
     exec::ShapeIs("y", exec::SameShapeAs("gradOutput")),
     exec::MaxRank("out"),
     exec::ShapeIs("out", exec::SameShapeAs("gradOutput")),
     exec::Rank({"mask"}, kRank, kRank),
     exec::SameSize({exec::Axis("gradOutput", 2), exec::Axis("mask", 2)}),
     exec::SameSize({exec::Axis("gradOutput", 3), exec::Axis("mask", 3)}),
     exec::SameSizeOrOne({exec::Axis("gradOutput", 0), exec::Axis("mask", 0)}),
     exec::SameSizeOrOne({exec::Axis("gradOutput", 1), exec::Axis("mask", 1)}),
     exec::AttributeIs("fixTriuMask", 0),
     exec::NotNull("executor", "workspaceSize"),
     exec::OnProducts(),
     exec::SameDtype("gradOutput", "y", "out"),
     exec::EmptySucceeds("gradOutput")});

}  // namespace portacl::ops::scaled_masked_softmax
