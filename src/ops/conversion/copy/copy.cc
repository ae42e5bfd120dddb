// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.

#include "loops/moves/copy.h"
#include "ops/conversion/copy/copy_spec.h"

namespace portacl::ops::copy {
namespace {

void PlanInplaceCopy(exec::PlanBuilder& plan) {
  loops::moves::Copy(plan, plan.Operand(kInplaceCopy.Index("src")), plan.Operand(kInplaceCopy.Index("selfRef")));
}

void PlanCast(exec::PlanBuilder& plan) {
  loops::moves::Copy(plan, plan.Operand(kCast.Index("self")), plan.Operand(kCast.Index("out")));
}

constexpr exec::PlanFunction PlanCopy = PlanInplaceCopy;
}  // namespace

}  // namespace portacl::ops::copy

#include "ops/conversion/copy/copy_functions.inc"
