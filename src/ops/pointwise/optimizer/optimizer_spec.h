// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::optimizer {

using exec::Attribute;
using exec::ValueKind;
using families::kFloats3;
using families::kNarrow;

// The maximum is needed for amsgrad.
aclnnStatus CheckMaximum(const exec::Arguments& arguments, const exec::Step& step);
// The tensors of the step have one element each.
aclnnStatus HaveOneElement(const exec::Arguments& arguments, const exec::Step& step);
consteval exec::Step OneElementEach(const char* name, exec::Refs tensors) {
  exec::Step step = exec::Custom(name, HaveOneElement);
  step.refs = tensors;
  return step;
}

constexpr exec::Arg OptionalInOut(const char* name) { return {name, ValueKind::kTensor, exec::Role::kInOut, true}; }
consteval exec::Step IsFloat(exec::Ref operand) { return families::Dtypes({operand}, kFloats3); }
consteval exec::Step HasShapeOfVar(exec::Ref operand) { return exec::ShapeIs(operand, exec::SameShapeAs("varRef")); }
consteval exec::ErrorBound Near(const char* output, exec::DtypeSet dtypes, double fused, double unfused,
                                const char* term) {
  return exec::Ulp(output, dtypes, fused).WithoutFusion(unfused).OfTerm(term).NearestBut(0.03);
}

inline constexpr const char* kVarTerm =
    "the larger of varRef and what is subtracted, with the larger of mRef and grad; any where a sum of vRef or of the "
    "divisor cancels, s is below the normal numbers or an intermediate result exceeds the range of FLOAT";
inline constexpr const char* kMomentTerm =
    "the larger of mRef and grad; any where an intermediate result exceeds the range of FLOAT";
inline constexpr const char* kSquareTerm =
    "the larger of both terms; any where an intermediate result exceeds the range of FLOAT";
PORTACL_ROW(
    ApplyAdamWV2, opapi_nn, "aclnn_apply_adam_w_v2.h",
    exec::MakeRecipe(
        {.formula = "varRef = varRef * (1 - lr * weightDecay) - lr / (1 - beta1^t) * mRef / (sqrt(s) / sqrt(1 - "
                    "beta2^t) + eps), t = step + 1",
         .special = "Before that:\n"
                    "  mRef = mRef + (g - mRef) * (1 - beta1), where g is grad, or -grad with maximize\n"
                    "  vRef = vRef * beta2 + g * g * (1 - beta2)\n"
                    "  s = vRef; with amsgrad maxGradNormOptionalRef, which becomes the larger of itself and vRef\n"
                    "varRef is computed from mRef and s before they are rounded. step counts the updates made before.",
         .accuracy = {Near("varRef", {ACL_FLOAT}, 7, 8, kVarTerm), Near("varRef", kNarrow, 0.51, 0.51, kVarTerm),
                      Near("mRef", {ACL_FLOAT}, 2.5, 3, kMomentTerm), Near("mRef", kNarrow, 0.51, 0.51, kMomentTerm),
                      Near("vRef", {ACL_FLOAT}, 3, 3.5, kSquareTerm), Near("vRef", kNarrow, 0.51, 0.51, kSquareTerm),
                      Near("maxGradNormOptionalRef", {ACL_FLOAT}, 3, 3.5, kSquareTerm),
                      Near("maxGradNormOptionalRef", kNarrow, 0.51, 0.51, kSquareTerm)},
         .socs = families::kNewer},
        {exec::InOut("varRef"), exec::InOut("mRef"), exec::InOut("vRef"), OptionalInOut("maxGradNormOptionalRef"),
         exec::In("grad"), exec::In("step"), Attribute("lr", ValueKind::kFloat), Attribute("beta1", ValueKind::kFloat),
         Attribute("beta2", ValueKind::kFloat), Attribute("weightDecay", ValueKind::kFloat),
         Attribute("eps", ValueKind::kFloat), Attribute("amsgrad", ValueKind::kBool),
         Attribute("maximize", ValueKind::kBool)},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("varRef", "mRef", "vRef", "grad", "step"),
         exec::Custom("maxGradNormOptionalRef: not NULL with amsgrad", CheckMaximum).Status(exec::kNullPointer),
         exec::OnSocs(), IsFloat("varRef"), IsFloat("mRef"), IsFloat("vRef"), IsFloat("maxGradNormOptionalRef"),
         IsFloat("grad"), exec::DtypeOneOf({"step"}, {ACL_FLOAT, ACL_INT64}),
         exec::PlainFormat("varRef", "mRef", "vRef", "maxGradNormOptionalRef", "grad", "step"),
         exec::MaxRank("varRef", "mRef", "vRef", "maxGradNormOptionalRef", "grad", "step"), HasShapeOfVar("mRef"),
         HasShapeOfVar("vRef"), HasShapeOfVar("maxGradNormOptionalRef"), HasShapeOfVar("grad"),
         OneElementEach("step: one element", {"step"})}));

inline constexpr exec::Refs kAdamWNumbers = {"beta1Power", "beta2Power", "lr", "weightDecay", "beta1", "beta2", "eps"};

PORTACL_ROW(
    ApplyAdamW, opapi_nn, "aclnn_apply_adam_w.h",
    exec::MakeRecipe(
        {.formula = "varRef = varRef * (1 - lr * weightDecay) - lr / (1 - beta1Power * beta1) * mRef / (sqrt(s) / "
                    "sqrt(1 - beta2Power * beta2) + eps)",
         .special = "Before that:\n"
                    "  mRef = mRef + (g - mRef) * (1 - beta1), where g is grad, or -grad with maximize\n"
                    "  vRef = vRef * beta2 + g * g * (1 - beta2)\n"
                    "  s = vRef; with amsgrad the larger of maxGradNormOptional, which is not written, and vRef\n"
                    "varRef is computed from mRef and s before they are rounded. The numbers are read as FLOAT when "
                    "the call runs. beta1Power and beta2Power are the powers of the update before: 1 at first.",
         .accuracy = {Near("varRef", {ACL_FLOAT}, 7, 8, kVarTerm), Near("varRef", kNarrow, 0.51, 0.51, kVarTerm),
                      Near("mRef", {ACL_FLOAT}, 2.5, 3, kMomentTerm), Near("mRef", kNarrow, 0.51, 0.51, kMomentTerm),
                      Near("vRef", {ACL_FLOAT}, 3, 3.5, kSquareTerm), Near("vRef", kNarrow, 0.51, 0.51, kSquareTerm)},
         .socs = families::kNewer},
        {exec::InOut("varRef"), exec::InOut("mRef"), exec::InOut("vRef"), exec::In("beta1Power"),
         exec::In("beta2Power"), exec::In("lr"), exec::In("weightDecay"), exec::In("beta1"), exec::In("beta2"),
         exec::In("eps"), exec::In("grad"), exec::OptionalIn("maxGradNormOptional"),
         Attribute("amsgrad", ValueKind::kBool), Attribute("maximize", ValueKind::kBool)},
        {exec::NotNull("workspaceSize", "executor"),
         exec::NotNull("varRef", "mRef", "vRef", "beta1Power", "beta2Power", "lr", "weightDecay", "beta1", "beta2",
                       "eps", "grad"),
         exec::Custom("maxGradNormOptional: not NULL with amsgrad", CheckMaximum).Status(exec::kNullPointer),
         exec::OnSocs(), IsFloat("varRef"), IsFloat("mRef"), IsFloat("vRef"),
         exec::DtypeOneOf(kAdamWNumbers, families::kFloats4), IsFloat("grad"), IsFloat("maxGradNormOptional"),
         exec::PlainFormat("varRef", "mRef", "vRef", "beta1Power", "beta2Power", "lr", "weightDecay", "beta1", "beta2",
                           "eps", "grad", "maxGradNormOptional"),
         exec::MaxRank("varRef", "mRef", "vRef", "beta1Power", "beta2Power", "lr", "weightDecay", "beta1", "beta2",
                       "eps", "grad", "maxGradNormOptional"),
         HasShapeOfVar("mRef"), HasShapeOfVar("vRef"), HasShapeOfVar("grad"), HasShapeOfVar("maxGradNormOptional"),
         OneElementEach("the numbers: one element each", kAdamWNumbers)}));

PORTACL_ROW(
    AmpUpdateScale, opapi_math, "aclnn_amp_update_scale.h",
    exec::MakeRecipe(
        {.formula = "updatedScale = currentScale * backoffFactor if foundInf is not 0, else currentScale, times "
                    "growthFactor after growthInterval updates",
         .special = "updatedGrowthTracker is 0 if foundInf is not 0, else growthTracker + 1. When that equals "
                    "growthInterval it becomes 0, and the scale grows unless it would be infinite.",
         .accuracy = {exec::Exact("updatedScale"), exec::Exact("updatedGrowthTracker")},
         .socs = families::kNewer},
        {exec::In("currentScale"), exec::In("growthTracker"), exec::In("foundInf"),
         Attribute("growthFactor", ValueKind::kDouble), Attribute("backoffFactor", ValueKind::kDouble),
         Attribute("growthInterval", ValueKind::kInt64), exec::Const(exec::Out("updatedScale")),
         exec::Const(exec::Out("updatedGrowthTracker"))},
        {exec::NotNull("workspaceSize", "executor"),
         exec::NotNull("currentScale", "growthTracker", "foundInf", "updatedScale", "updatedGrowthTracker"),
         exec::OnSocs(), exec::DtypeOneOf({"currentScale"}, {ACL_FLOAT}),
         exec::DtypeOneOf({"growthTracker"}, {ACL_INT32}), exec::DtypeOneOf({"foundInf"}, {ACL_FLOAT}),
         exec::DtypeOneOf({"updatedScale"}, {ACL_FLOAT}), exec::DtypeOneOf({"updatedGrowthTracker"}, {ACL_INT32}),
         exec::PlainFormat("currentScale", "growthTracker", "foundInf", "updatedScale", "updatedGrowthTracker"),
         exec::MaxRank("currentScale", "growthTracker", "foundInf", "updatedScale", "updatedGrowthTracker"),
         OneElementEach("each tensor: one element",
                        {"currentScale", "growthTracker", "foundInf", "updatedScale", "updatedGrowthTracker"})}));

}  // namespace portacl::ops::optimizer
