// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.

#include "base/target.h"
#include "loops/tiles/elementwise.h"
#include "ops/activation/swi_glu/swi_glu_lanes.h"
#include "ops/activation/swi_glu/swi_glu_spec.h"

namespace portacl::ops::swi_glu {
namespace {

// The first (0) or second (1) half of an operand along `dim`.
loops::OperandPart Half(const exec::PlanBuilder& plan, int operand, int64_t dim, int number) {
  loops::OperandPart part{operand, plan.OperandView(operand)};
  const int64_t axis = dim < 0 ? dim + part.view->rank : dim;
  part.view->shape[axis] /= 2;
  part.view->offset += number * part.view->shape[axis] * part.view->strides[axis];
  return part;
}

void PlanSwiGlu(exec::PlanBuilder& plan) {
  constexpr int kX = kSwiGlu.Index("x");
  const int x = plan.Operand(kX);
  const auto dim = plan.Attribute<int64_t>(kSwiGlu.Index("dim"));
  loops::Elementwise(plan, {Half(plan, x, dim, 0), Half(plan, x, dim, 1), plan.Operand(kSwiGlu.Index("out"))},
                     {.run = SwiGluLanes(plan.Tensor(kX).dtype, ActiveTarget()), .ns_per_element = 0.3});
}

void PlanSwiGluGrad(exec::PlanBuilder& plan) {
  constexpr int kX = kSwiGluGrad.Index("x");
  const int x = plan.Operand(kX);
  const int out = plan.Operand(kSwiGluGrad.Index("out"));
  const auto dim = plan.Attribute<int64_t>(kSwiGluGrad.Index("dim"));
  loops::Elementwise(
      plan,
      {Half(plan, x, dim, 0), Half(plan, x, dim, 1), plan.Operand(kSwiGluGrad.Index("yGrad")), Half(plan, out, dim, 0),
       Half(plan, out, dim, 1)},
      {.run = SwiGluGradLanes(plan.Tensor(kX).dtype, ActiveTarget()), .ns_per_element = 0.45, .outputs = 2});
}

}  // namespace

}  // namespace portacl::ops::swi_glu

#include "ops/activation/swi_glu/swi_glu_functions.inc"
