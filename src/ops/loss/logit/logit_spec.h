// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"

namespace portacl::ops::logit {

inline constexpr exec::DtypeSet kDtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
inline constexpr exec::DtypeSet kNarrow = {ACL_FLOAT16, ACL_BF16};

inline constexpr exec::SchemaOf kLogit(
    {.api = "aclnnLogit",
     .formula = "ln(z / (1 - z)) for z = input; for eps >= 0 z is limited to [eps, 1 - eps]",
     .source = "aclnnLogit page of the CANN operator documentation",
     .accuracy = {exec::Ulp("out", {ACL_FLOAT}, 1.9), exec::Ulp("out", kNarrow, 1).NearestBut(0.0003)},
     .products = {Family::kAscend910B, Family::kAscend910_93, Family::kAscend950}},
    {exec::In("input"), exec::Attribute("eps", exec::ValueKind::kDouble), exec::Const(exec::Out("out"))},
    {exec::NotNull("input", "out"), exec::NotNull("executor", "workspaceSize"), exec::OnProducts(),
     exec::DtypeOneOf({"input", "out"}, kDtypes), exec::SameDtype("input", "out"), exec::PlainFormat("input", "out"),
     exec::MaxRank("input", "out"), exec::ShapeIs("out", exec::SameShapeAs("input")), exec::EmptySucceeds("input")});

inline constexpr exec::SchemaOf kLogitGrad(
    {.api = "aclnnLogitGrad",
     .formula = "dy / (x * (1 - x)); outside [eps, 1 - eps] 0, for eps < 0 outside [0, 1] NaN",
     .source = "aclnnLogitGrad page of the CANN operator documentation",
     .accuracy = {exec::Ulp("out", {ACL_FLOAT}, 2).WithoutFusion(3), exec::Ulp("out", kNarrow, 1).NearestBut(0.0003)},
     .products = {Family::kAscend910B, Family::kAscend910_93, Family::kAscend950}},
    {exec::In("x"), exec::In("dy"), exec::Attribute("eps", exec::ValueKind::kDouble), exec::Const(exec::Out("out"))},
    {exec::NotNull("x", "dy", "out"), exec::NotNull("executor", "workspaceSize"), exec::OnProducts(),
     exec::DtypeOneOf({"x", "dy", "out"}, kDtypes), exec::SameDtype("x", "dy", "out"),
     exec::PlainFormat("x", "dy", "out"), exec::MaxRank("x", "dy", "out"), exec::ShapeIs("dy", exec::SameShapeAs("x")),
     exec::ShapeIs("out", exec::SameShapeAs("x")), exec::EmptySucceeds("x")});

}  // namespace portacl::ops::logit
