// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "families/loss.h"
#include "loops/batches/labels.h"
#include "ops/loss/nll_loss/nll_loss_spec.h"

namespace portacl::ops::nll_loss {
namespace {

using loops::batches::LabelLoss;
using loops::batches::LossOf;

// What a loss and its gradient have in common.
LabelLoss ReadCall(const exec::PlanBuilder& plan, int classes) {
  const auto reduction = plan.Attribute<int64_t>("reduction");
  LabelLoss loss{};
  loss.result = reduction == families::kNoReduction     ? LossOf::kEachSample
                : reduction == families::kMeanReduction ? LossOf::kMean
                                                        : LossOf::kSum;
  loss.weight = plan.Input("weight");
  loss.target = plan.Input("target");
  loss.out = plan.Output("out");
  loss.class_axis = ClassAxis(plan.OperandView(classes).rank);
  loss.ignored = plan.Attribute<int64_t>("ignoreIndex");
  return loss;
}

void PlanForward(exec::PlanBuilder& plan) {
  const int self = plan.Input("self");
  LabelLoss loss = ReadCall(plan, self);
  loss.scores = self;
  loss.total = plan.Output("totalWeightOut");
  loops::batches::LossesOfLabels(plan, loss);
}

void PlanBackward(exec::PlanBuilder& plan) {
  LabelLoss loss = ReadCall(plan, plan.Output("out"));
  loss.grad = plan.Input("gradOutput");
  loss.total = plan.Input("totalWeight");
  plan.Ignores(plan.Input("self"));
  loops::batches::GradientsOfLabels(plan, loss);
}

constexpr exec::PlanFunction PlanNLLLoss = PlanForward;
constexpr exec::PlanFunction PlanNLLLoss2d = PlanForward;
constexpr exec::PlanFunction PlanNLLLossBackward = PlanBackward;
constexpr exec::PlanFunction PlanNLLLoss2dBackward = PlanBackward;

}  // namespace
}  // namespace portacl::ops::nll_loss

#include "ops/loss/nll_loss/nll_loss_functions.inc"
