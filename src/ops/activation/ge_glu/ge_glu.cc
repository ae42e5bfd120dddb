// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "base/target.h"
#include "loops/tiles/elementwise.h"
#include "ops/activation/ge_glu/ge_glu_lanes.h"
#include "ops/activation/ge_glu/ge_glu_spec.h"

namespace portacl::ops::ge_glu {
namespace {

// The first (0) or second (1) half of an operand along `dim`.
loops::OperandPart Half(const exec::PlanBuilder& plan, int operand, int number) {
  loops::OperandPart part{operand, plan.OperandView(operand)};
  const auto dim = plan.Attribute<int64_t>("dim");
  const int64_t axis = dim < 0 ? dim + part.view->rank : dim;
  part.view->shape[axis] /= 2;
  part.view->offset += number * part.view->shape[axis] * part.view->strides[axis];
  return part;
}

// Which half is activated.
int Activated(const exec::PlanBuilder& plan) {
  return plan.schema().Find("activateLeft") >= 0 && plan.Attribute<bool>("activateLeft") ? 0 : 1;
}

bool IsTanh(const exec::PlanBuilder& plan) { return plan.Attribute<int64_t>("approximate") == 1; }

void PlanForward(exec::PlanBuilder& plan) {
  const int self = plan.Input("self");
  const int activated = Activated(plan);
  loops::Elementwise(
      plan, {Half(plan, self, activated), Half(plan, self, 1 - activated), plan.Output("out"), plan.Output("outGelu")},
      {.run = GeGluLanes(plan.OperandView(self).dtype, IsTanh(plan), ActiveTarget()),
       .ns_per_element = 0.6,
       .outputs = 2});
}

void PlanBackward(exec::PlanBuilder& plan) {
  const int self = plan.Input("self");
  const int out = plan.Output("gradInput");
  const int activated = Activated(plan);
  loops::Elementwise(plan,
                     {Half(plan, self, activated), Half(plan, self, 1 - activated), plan.Input("gradOutput"),
                      plan.Input("gelu"), Half(plan, out, activated), Half(plan, out, 1 - activated)},
                     {.run = GeGluBackwardLanes(plan.OperandView(self).dtype, IsTanh(plan), ActiveTarget()),
                      .ns_per_element = 0.8,
                      .outputs = 2});
}

constexpr exec::PlanFunction PlanGeGlu = PlanForward;
constexpr exec::PlanFunction PlanGeGluV3 = PlanForward;
constexpr exec::PlanFunction PlanGeGluBackward = PlanBackward;
constexpr exec::PlanFunction PlanGeGluV3Backward = PlanBackward;

}  // namespace

}  // namespace portacl::ops::ge_glu

#include "ops/activation/ge_glu/ge_glu_functions.inc"
