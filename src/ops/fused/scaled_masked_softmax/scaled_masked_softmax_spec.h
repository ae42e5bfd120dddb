// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers. The documents of the two
// operators list their checks in different orders.
#pragma once

#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::scaled_masked_softmax {

using families::kFloats3;
using families::kNarrow;

inline constexpr const char* kLargeScores =
    "y * |max t| where |max t| is at least 8192 (1024 without fused multiply-add)";
// scale magnifies the error of subnormal products.
inline constexpr const char* kGradientTerm = "|scale * y| * (|gradOutput| + sum |gradOutput * y|), and 2^-126 |scale|";
inline constexpr int kRank = 4;
inline constexpr int64_t kLongestRow = 4096;
inline constexpr int64_t kLongestRowOn950 = 8192;

PORTACL_ROW(
    ScaledMaskedSoftmax, opapi_nn, "aclnn_scaled_masked_softmax.h",
    exec::MakeRecipe(
        {.formula = "softmax over the last axis of t = mask ? -10000 : x * scale",
         .special = "With c = (float)scale, for each row of S2 elements\n"
                    "  t_j = -10000    where mask_j is true\n"
                    "  t_j = x_j * c   elsewhere\n"
                    "  y_j = exp(t_j - max t) / sum_k exp(t_k - max t)\n"
                    "The mask replaces and is no -inf: what x holds below it does not matter, NaN included; a row that "
                    "is masked everywhere is 1 / S2 everywhere; and where all of x * c is far below -10000, the masked "
                    "elements win. NaN or inf in x * c gives NaN in the whole row, and so does -inf in all of it. "
                    "Results below the smallest normal float, 2^-126, are 0; FLOAT16 keeps the subnormals that it has "
                    "above. x is [B, N, S1, S2] with 1 <= S2 <= 4096, on Ascend950 8192, and mask [B or 1, N or 1, S1, "
                    "S2]; a byte that is not 0 is true, and masks. CANN's default of scale is 1. CANN multiplies "
                    "FLOAT16 by scale in FLOAT16, where large products overflow, this library in FLOAT.",
         .accuracy = {exec::Ulp("y", {ACL_FLOAT}, 5).OfTerm(kLargeScores),
                      exec::Ulp("y", kNarrow, 1).OfTerm(kLargeScores)},
         .socs = families::kNewer},
        {exec::In("x"), exec::In("mask"), exec::Attribute("scale", exec::ValueKind::kDouble),
         exec::Attribute("fixedTriuMask", exec::ValueKind::kBool), exec::Out("y")},
        {exec::NotNull("x", "mask", "y"), exec::DtypeOneOf({"x"}, kFloats3), exec::DtypeOneOf({"mask"}, {ACL_BOOL}),
         exec::DtypeOneOf({"y"}, kFloats3), exec::SameDtype("x", "y"), exec::PlainFormat("x", "mask", "y"),
         exec::Rank({"x", "mask", "y"}, kRank, kRank), exec::SameSizeOrOne({exec::Axis("x", 0), exec::Axis("mask", 0)}),
         exec::SameSizeOrOne({exec::Axis("x", 1), exec::Axis("mask", 1)}),
         exec::SameSize({exec::Axis("x", 2), exec::Axis("mask", 2)}),
         exec::SameSize({exec::Axis("x", 3), exec::Axis("mask", 3)}),
         exec::SizeInRange({exec::Axis("x", 3)}, 1, kLongestRow).On({SocFamily::kAscend950}, 1, kLongestRowOn950),
         exec::ShapeIs("y", exec::SameShapeAs("x")), exec::AttributeIs("fixedTriuMask", 0),
         exec::NotNull("executor", "workspaceSize"), exec::OnSocs(), exec::EmptySucceeds("x")}));

PORTACL_ROW(
    ScaledMaskedSoftmaxBackward, opapi_nn, "aclnn_scaled_masked_softmax_backward.h",
    exec::MakeRecipe(
        {.formula = "mask ? 0 : scale * (gradOutput * y - y * sum(gradOutput * y)), sum over the last axis",
         .special =
             "With g = gradOutput and c = (float)scale, for each row of S2 elements\n"
             "  s     = sum_j g_j * y_j               over the whole row, masked elements included\n"
             "  out_j = 0                             where mask_j is true\n"
             "  out_j = (g_j * y_j - s * y_j) * c     elsewhere\n"
             "y, the result of aclnnScaledMaskedSoftmax, is taken as it is. The mask selects: where it is true the "
             "result is +0, whatever the operands are. NaN in g or y, or an infinity in g beside a 0 in y, makes every "
             "unmasked element of its row NaN, also from below the mask. Results below the smallest normal number of "
             "their dtype are subnormals. gradOutput is [B, N, S1, S2] with 0 <= S2 <= 4096, on Ascend950 8192, and "
             "mask [B or 1, N or 1, S1, S2]; a byte that is not 0 is true, and masks. CANN's default of scale is 1. An "
             "epsilon is 2^-23. Bits are the same also where CANN is not deterministic.",
         .accuracy = {exec::Epsilon("out", {ACL_FLOAT}, 3).OfTerm(kGradientTerm),
                      exec::Ulp("out", kNarrow, 1).OfTerm(kGradientTerm)},
         .socs = families::kNewer},
        {exec::In("gradOutput"), exec::In("y"), exec::In("mask"), exec::Attribute("scale", exec::ValueKind::kDouble),
         exec::Attribute("fixTriuMask", exec::ValueKind::kBool), exec::Out("out")},
        {exec::NotNull("gradOutput", "y", "mask", "out"),
         exec::DtypeOneOf({"gradOutput", "y"}, kFloats3),
         exec::DtypeOneOf({"mask"}, {ACL_BOOL}),
         exec::DtypeOneOf({"out"}, kFloats3),
         exec::PlainFormat("gradOutput", "y", "out", "mask"),
         exec::Rank({"gradOutput"}, kRank, kRank),
         exec::SizeInRange({exec::Axis("gradOutput", 3)}, 0, kLongestRow)
             .On({SocFamily::kAscend950}, 0, kLongestRowOn950),
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
         exec::OnSocs(),
         exec::SameDtype("gradOutput", "y", "out"),
         exec::EmptySucceeds("gradOutput")}));

}  // namespace portacl::ops::scaled_masked_softmax
