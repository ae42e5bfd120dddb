// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "families/reduction.h"
#include "loops/reductions/sum_tensors.h"
#include "ops/reduction/sum/sum_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::sum {
namespace {

void PlanReduceSum(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kSum}); }
void PlanReduceNansum(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kSumOfNumbers}); }
void PlanMean(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kSum, .mean = true}); }
void PlanProduct(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kProduct}); }

float OrderOf(const aclScalar* scalar) {
  double p = 0;
  ScalarToDouble(*scalar, &p);
  return static_cast<float>(p);
}
void PlanNorm(exec::PlanBuilder& plan) {
  if (plan.schema().args[0].kind == exec::ValueKind::kTensorList) {
    constexpr int kX = kForeachNorm.Index("x"), kOut = kForeachNorm.Index("out");
    return PlanReductionOfEach(plan, kX, kOut, NormOf(OrderOf(plan.Attribute<const aclScalar*>("scalar"))));
  }
  PlanReduction(plan, NormOf(OrderOf(plan.Attribute<const aclScalar*>(kNorm.Index("pScalar")))));
}
void PlanLinalgVectorNorm(exec::PlanBuilder& plan) {
  PlanReduction(plan, NormOf(OrderOf(plan.Attribute<const aclScalar*>(kLinalgVectorNorm.Index("ord")))));
}

void PlanSum(exec::PlanBuilder& plan) {
  constexpr int kTensors = kSum.Index("tensors"), kOut = kSum.Index("out");
  loops::reductions::SumTensors(plan, plan.Operand(kTensors, 0), plan.Count(kTensors), plan.Operand(kOut));
}

constexpr exec::PlanFunction PlanProd = PlanProduct;
constexpr exec::PlanFunction PlanProdDim = PlanProduct;
constexpr exec::PlanFunction PlanMeanV2 = PlanMean;

}  // namespace

}  // namespace portacl::ops::sum

#include "ops/reduction/sum/sum_functions.inc"
