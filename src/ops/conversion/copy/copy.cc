// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <vector>

#include "loops/moves/copy.h"
#include "ops/conversion/copy/copy_spec.h"

namespace portacl::ops::copy {
namespace {

void PlanCopy(exec::PlanBuilder& plan) {
  if (plan.schema().args[0].kind == exec::ValueKind::kTensorList) {
    std::vector<loops::moves::Box> boxes;
    for (int i = 0; i < plan.Count(0); ++i)
      boxes.push_back(loops::moves::BoxOf(plan, plan.Operand(0, i), plan.Operand(1, i)));
    return loops::moves::Copy(plan, boxes);
  }
  loops::moves::Copy(plan, plan.Operand(kInplaceCopy.Index("src")), plan.Operand(kInplaceCopy.Index("selfRef")));
}

void PlanCast(exec::PlanBuilder& plan) {
  loops::moves::Copy(plan, plan.Operand(kCast.Index("self")), plan.Operand(kCast.Index("out")));
}
}  // namespace

}  // namespace portacl::ops::copy

#include "ops/conversion/copy/copy_functions.inc"
