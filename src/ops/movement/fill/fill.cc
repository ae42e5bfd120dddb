// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <span>
#include <vector>

#include "loops/elements/store_scalar.h"
#include "loops/moves/copy.h"
#include "loops/moves/fill_masked.h"
#include "ops/movement/fill/fill_spec.h"

namespace portacl::ops::fill {
namespace {

loops::moves::Box WholeOf(const exec::PlanBuilder& plan) {
  const int self = plan.Output("selfRef");
  loops::moves::Box box = loops::moves::BoxOf(plan, self, self);
  box.from = loops::moves::Box::kValue;
  return box;
}

void PlanFillScalar(exec::PlanBuilder& plan) {
  loops::moves::Box box = WholeOf(plan);
  loops::StoreScalar(*plan.Attribute<const aclScalar*>("value"), plan.Tensor("selfRef").dtype, box.value);
  loops::moves::Copy(plan, std::span(&box, 1));
}

void PlanZero(exec::PlanBuilder& plan) {
  const loops::moves::Box box = WholeOf(plan);
  loops::moves::Copy(plan, std::span(&box, 1));
}

void PlanZeroInplace(exec::PlanBuilder& plan) {
  std::vector<loops::moves::Box> boxes;
  for (int i = 0; i < plan.Count(0); ++i) {
    boxes.push_back(loops::moves::BoxOf(plan, plan.Operand(0, i), plan.Operand(0, i)));
    boxes.back().from = loops::moves::Box::kValue;
  }
  loops::moves::Copy(plan, boxes);
}

void PlanOne(exec::PlanBuilder& plan) {
  loops::moves::Box box = WholeOf(plan);
  aclScalar one;
  one.dtype = ACL_BOOL;
  one.bytes[0] = 1;
  loops::StoreScalar(one, plan.Tensor("selfRef").dtype, box.value);
  loops::moves::Copy(plan, std::span(&box, 1));
}

void PlanMaskedFillScalar(exec::PlanBuilder& plan) {
  loops::moves::FillMasked(plan, plan.Output("selfRef"), plan.Input("mask"),
                           *plan.Attribute<const aclScalar*>("value"));
}

void PlanMaskedFillTensor(exec::PlanBuilder& plan) {
  loops::moves::FillMasked(plan, plan.Output("selfRef"), plan.Input("mask"), plan.Input("value"));
}

}  // namespace
}  // namespace portacl::ops::fill

#include "ops/movement/fill/fill_functions.inc"
