// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/triangle.h"

#include "loops/moves/copy.h"
#include "ops/movement/triangle/triangle_spec.h"

namespace portacl::ops::triangle {
namespace {

void PlanTriangle(exec::PlanBuilder& plan, bool in_place, loops::moves::Side side) {
  const int out = plan.Output(in_place ? "selfRef" : "out");
  const int self = in_place ? out : plan.Input("self");
  if (plan.OperandView(out).rank < 2) return loops::moves::Copy(plan, self, out);
  loops::moves::Triangle(plan, self, out, plan.Attribute<int64_t>("diagonal"), side);
}

void PlanTril(exec::PlanBuilder& plan) {
  PlanTriangle(plan, &plan.schema() == &kInplaceTril, loops::moves::Side::kLower);
}
void PlanTriu(exec::PlanBuilder& plan) {
  PlanTriangle(plan, &plan.schema() == &kInplaceTriu, loops::moves::Side::kUpper);
}

}  // namespace

}  // namespace portacl::ops::triangle

#include "ops/movement/triangle/triangle_functions.inc"
