// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers. Steps that refuse dtypes come
// one for each operand, as each may have its own.
#pragma once

#include "exec/schema.h"

namespace portacl::ops::smooth_l1_loss {

inline constexpr exec::ProductSet kLossProducts = {Family::kAscend910B, Family::kAscend910_93, Family::kAscend950,
                                                   Family::kAscend310P, Family::kAscend910};
inline constexpr exec::ProductSet kWithoutBfloat16 = {Family::kAscend310P, Family::kAscend910};

inline constexpr exec::DtypeSet kNarrow = {ACL_FLOAT16, ACL_BF16};

consteval exec::Step IsFloat(exec::Ref operand) {
  return exec::DtypeOneOf({operand}, {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}).On(kWithoutBfloat16, {ACL_FLOAT, ACL_FLOAT16});
}

consteval exec::Step IsFloatOrDouble(exec::Ref operand) {
  return exec::DtypeOneOf({operand}, {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE})
      .On(kWithoutBfloat16, {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE});
}

inline constexpr exec::SchemaOf kSmoothL1Loss(
    {.api = "aclnnSmoothL1Loss",
     .formula = "0.5 * d * d / beta for |d| < beta, else |d| - 0.5 * beta, where d = self - target; its mean or sum",
     .source = "aclnnSmoothL1Loss page of the CANN operator documentation",
     .accuracy = {exec::Ulp("result", {ACL_FLOAT}, 3.5).Where("reduction", {0}),
                  exec::Epsilon("result", {ACL_FLOAT}, 4).Where("reduction", {1, 2}), exec::Ulp("result", kNarrow, 1),
                  exec::Ulp("result", {ACL_DOUBLE}, 3.5).CountedIn(ACL_FLOAT).Where("reduction", {0}),
                  exec::Epsilon("result", {ACL_DOUBLE}, 3.5).CountedIn(ACL_FLOAT).Where("reduction", {1, 2})},
     .products = kLossProducts},
    {exec::In("self"), exec::In("target"), exec::Attribute("reduction", exec::ValueKind::kInt64),
     exec::Attribute("beta", exec::ValueKind::kFloat), exec::Out("result")},
    {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "target", "result"), exec::OnProducts(),
     IsFloat("self"), IsFloat("target"), exec::PromotesTo({"self", "target"}, "result"), IsFloatOrDouble("result"),
     exec::ValueOneOf("reduction", {0, 1, 2}), exec::MaxRank("self", "target", "result"),
     exec::ShapeIs("result", exec::ReducedBroadcastOf("reduction", "self", "target")), exec::ValueAtLeast("beta", 0),
     exec::PlainFormat("self", "target", "result"),
     // Without elements a sum is 0 and a mean NaN, and that has to be written.
     exec::EmptySucceeds("result")});

inline constexpr exec::SchemaOf kSmoothL1LossBackward(
    {.api = "aclnnSmoothL1LossBackward",
     .formula = "u * gradOut, for mean also / N: u = d / beta for |d| < beta, else sign(d), where d = self - target",
     .source = "aclnnSmoothL1LossBackward page of the CANN operator documentation",
     .accuracy = {exec::Ulp("gradInput", {ACL_FLOAT}, 2.5).Where("reduction", {0, 2}),
                  exec::Ulp("gradInput", {ACL_FLOAT}, 3.5).Where("reduction", {1}), exec::Ulp("gradInput", kNarrow, 1)},
     .products = kLossProducts},
    {exec::In("gradOut"), exec::In("self"), exec::In("target"), exec::Attribute("reduction", exec::ValueKind::kInt64),
     exec::Attribute("beta", exec::ValueKind::kFloat), exec::Out("gradInput")},
    {exec::NotNull("workspaceSize", "executor"), exec::NotNull("gradOut", "self", "target", "gradInput"),
     exec::OnProducts(), IsFloat("gradOut"), IsFloat("self"), IsFloat("target"), IsFloat("gradInput"),
     exec::MaxRank("gradOut", "self", "target"), exec::ValueOneOf("reduction", {0, 1, 2}),
     exec::ValueAtLeast("beta", 0), exec::PromotesTo({"gradOut", "self", "target"}, "gradInput"),
     exec::MaxRank("gradInput"), exec::ShapeIs("gradInput", exec::BroadcastOf("gradOut", "self", "target")),
     exec::PlainFormat("gradOut", "self", "target", "gradInput"), exec::EmptySucceeds("gradOut", "self", "target")});

}  // namespace portacl::ops::smooth_l1_loss
