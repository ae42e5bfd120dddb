// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "families/reduction.h"
#include "ops/reduction/sum/sum_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::sum {
namespace {

void PlanReduceSum(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kSum}); }
void PlanReduceNansum(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kSumOfNumbers}); }
void PlanMean(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kSum, .mean = true}); }
void PlanProduct(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kProduct}); }

void PlanNormOf(exec::PlanBuilder& plan, int order) {
  double p = 0;
  ScalarToDouble(*plan.Attribute<const aclScalar*>(order), &p);
  PlanReduction(plan, NormOf(static_cast<float>(p)));
}
void PlanNorm(exec::PlanBuilder& plan) { PlanNormOf(plan, kNorm.Index("pScalar")); }
void PlanLinalgVectorNorm(exec::PlanBuilder& plan) { PlanNormOf(plan, kLinalgVectorNorm.Index("ord")); }

constexpr exec::PlanFunction PlanProd = PlanProduct;
constexpr exec::PlanFunction PlanProdDim = PlanProduct;
constexpr exec::PlanFunction PlanMeanV2 = PlanMean;

}  // namespace

}  // namespace portacl::ops::sum

#include "ops/reduction/sum/sum_functions.inc"
