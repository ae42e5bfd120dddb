// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers. Each operand has its own step
// that checks dtypes, as the dtypes may differ.
#pragma once

#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::smooth_l1_loss {

using families::kNarrow;

consteval exec::Step IsFloat(exec::Ref operand) { return families::Dtypes({operand}, families::kFloats3); }
consteval exec::Step IsFloatOrDouble(exec::Ref operand) { return families::Dtypes({operand}, families::kFloats4); }

PORTACL_ROW(
    SmoothL1Loss, opapi_nn, "aclnn_smooth_l1_loss.h",
    exec::MakeRecipe(
        {.formula =
             "0.5 * d * d / beta for |d| < beta, else |d| - 0.5 * beta, where d = self - target; its mean or sum",
         .special = "With d = self_i - target_i, rounded to float:\n"
                    "  |d| < beta            l_i = 0.5 * d * (d / beta)\n"
                    "  otherwise             l_i = |d| - 0.5 * beta; NaN for a NaN\n"
                    "  reduction 0 (none)    result_i = l_i\n"
                    "  reduction 1 (mean)    result = sum of all l_i, divided by their number\n"
                    "  reduction 2 (sum)     result = sum of all l_i\n"
                    "So beta = 0 gives |d|, and beta = inf gives 0 for finite d and NaN for infinite d. Results below "
                    "the smallest normal number of their dtype are subnormals. The dtypes of self, target and result "
                    "are independent: losses are float32 whatever they are, and a result is rounded once; a DOUBLE "
                    "holds the float32 loss. A mean or a sum has one element, of any rank up to 8. It is within 1 ULP "
                    "of the exact one of the float32 losses. Without elements in self or target the mean is NaN and "
                    "the sum 0. An epsilon is 2^-23. Instruction sets with fused multiply-add give the same bits.",
         .accuracy = {exec::Ulp("result", {ACL_FLOAT}, 3.5).Where("reduction", {0}),
                      exec::Epsilon("result", {ACL_FLOAT}, 4).Where("reduction", {1, 2}),
                      exec::Ulp("result", kNarrow, 1),
                      exec::Ulp("result", {ACL_DOUBLE}, 3.5).CountedIn(ACL_FLOAT).Where("reduction", {0}),
                      exec::Epsilon("result", {ACL_DOUBLE}, 3.5).CountedIn(ACL_FLOAT).Where("reduction", {1, 2})},
         .socs = families::kMost},
        {exec::In("self"), exec::In("target"), exec::Attribute("reduction", exec::ValueKind::kInt64),
         exec::Attribute("beta", exec::ValueKind::kFloat), exec::Out("result")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "target", "result"), exec::OnSocs(),
         IsFloat("self"), IsFloat("target"), exec::PromotesTo({"self", "target"}, "result"), IsFloatOrDouble("result"),
         exec::ValueOneOf("reduction", {0, 1, 2}), exec::MaxRank("self", "target", "result"),
         exec::ShapeIs("result", exec::ReducedBroadcastOf("reduction", "self", "target")),
         exec::ValueAtLeast("beta", 0), exec::PlainFormat("self", "target", "result"),
         // With empty inputs a sum is 0 and a mean is NaN, so that a result must be written.
         exec::EmptySucceeds("result")}));

PORTACL_ROW(
    SmoothL1LossBackward, opapi_nn, "aclnn_smooth_l1_loss_backward.h",
    exec::MakeRecipe(
        {.formula =
             "u * gradOut, for mean also / N: u = d / beta for |d| < beta, else sign(d), where d = self - target",
         .special =
             "With d rounded to float and g = gradOut_i:\n"
             "  |d| < beta                     u = d / beta\n"
             "  otherwise                      u = sign(d), which is 0 for d = 0, and NaN for a NaN\n"
             "  reduction 0 (none), 2 (sum)    gradInput_i = u * g\n"
             "  reduction 1 (mean)             gradInput_i = u * g / N, N being the number of elements of gradInput\n"
             "So beta = 0 gives sign(d) * g, and beta = inf gives 0 for finite d and sign(d) * g for infinite d. inf - "
             "inf is NaN, and so is 0 * inf, where u is 0 and g infinite. Results below the smallest normal number of "
             "their dtype are subnormals. Each element of gradOut counts wherever it is broadcast to, for every "
             "reduction, and gradInput is not summed to the shape of self. The dtypes are independent: everything is "
             "computed in float32 and rounded once. Instruction sets with fused multiply-add give the same bits. "
             "sign(0) = 0 on the operator's page decides for beta = 0, and its \"number of elements in the output\" is "
             "N.",
         .accuracy = {exec::Ulp("gradInput", {ACL_FLOAT}, 2.5).Where("reduction", {0, 2}),
                      exec::Ulp("gradInput", {ACL_FLOAT}, 3.5).Where("reduction", {1}),
                      exec::Ulp("gradInput", kNarrow, 1)},
         .socs = families::kMost},
        {exec::In("gradOut"), exec::In("self"), exec::In("target"),
         exec::Attribute("reduction", exec::ValueKind::kInt64), exec::Attribute("beta", exec::ValueKind::kFloat),
         exec::Out("gradInput")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("gradOut", "self", "target", "gradInput"),
         exec::OnSocs(), IsFloat("gradOut"), IsFloat("self"), IsFloat("target"), IsFloat("gradInput"),
         exec::MaxRank("gradOut", "self", "target"), exec::ValueOneOf("reduction", {0, 1, 2}),
         exec::ValueAtLeast("beta", 0), exec::PromotesTo({"gradOut", "self", "target"}, "gradInput"),
         exec::MaxRank("gradInput"), exec::ShapeIs("gradInput", exec::BroadcastOf("gradOut", "self", "target")),
         exec::PlainFormat("gradOut", "self", "target", "gradInput"),
         exec::EmptySucceeds("gradOut", "self", "target")}));

}  // namespace portacl::ops::smooth_l1_loss
