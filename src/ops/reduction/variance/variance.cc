// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <cstdint>

#include "families/reduction.h"
#include "ops/reduction/variance/variance_spec.h"

namespace portacl::ops::variance {
namespace {

void PlanOf(exec::PlanBuilder& plan, int64_t correction, bool root) {
  PlanReduction(plan, {.reduction = Reduction::kVariance, .root = root, .correction = correction});
}

void PlanVar(exec::PlanBuilder& plan) { PlanOf(plan, plan.Attribute<bool>("unbiased") ? 1 : 0, false); }
void PlanVarCorrection(exec::PlanBuilder& plan) { PlanOf(plan, plan.Attribute<int64_t>("correction"), false); }
void PlanStd(exec::PlanBuilder& plan) { PlanOf(plan, plan.Attribute<int64_t>("correction"), true); }
constexpr exec::PlanFunction PlanVarMean = PlanVarCorrection;
constexpr exec::PlanFunction PlanStdMeanCorrection = PlanStd;

}  // namespace

}  // namespace portacl::ops::variance

#include "ops/reduction/variance/variance_functions.inc"
