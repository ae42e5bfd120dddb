// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/reductions/label_rows.h"
#include "ops/loss/nll_loss/nll_loss_spec.h"

namespace portacl::ops::nll_loss {
namespace {

using loops::reductions::LabelReduction;

// The values of the attribute.
static_assert(static_cast<int>(LabelReduction::kMean) == 1 && static_cast<int>(LabelReduction::kSum) == 2);
LabelReduction ReductionOf(const exec::PlanBuilder& plan) {
  return static_cast<LabelReduction>(plan.Attribute<int64_t>("reduction"));
}

loops::reductions::LabelRows RowsOf(const exec::PlanBuilder& plan, int classes) {
  return {.classes = classes,
          .class_axis = ClassAxis(plan.OperandView(classes).rank),
          .target = plan.Input("target"),
          .weight = plan.Input("weight"),
          .ignored = plan.Attribute<int64_t>("ignoreIndex")};
}

void PlanForward(exec::PlanBuilder& plan) {
  loops::reductions::LabelLoss(plan, RowsOf(plan, plan.Input("self")), ReductionOf(plan), plan.Output("out"),
                               plan.Output("totalWeightOut"));
}
void PlanBackward(exec::PlanBuilder& plan) {
  plan.Ignores(plan.Input("self"));
  loops::reductions::LabelGradient(plan, RowsOf(plan, plan.Output("out")), ReductionOf(plan), plan.Input("gradOutput"),
                                   plan.Input("totalWeight"));
}

constexpr exec::PlanFunction PlanNLLLoss = PlanForward;
constexpr exec::PlanFunction PlanNLLLoss2d = PlanForward;
constexpr exec::PlanFunction PlanNLLLossBackward = PlanBackward;
constexpr exec::PlanFunction PlanNLLLoss2dBackward = PlanBackward;

}  // namespace

}  // namespace portacl::ops::nll_loss

#include "ops/loss/nll_loss/nll_loss_functions.inc"
