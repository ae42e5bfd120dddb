// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/compact.h"

#include "ops/indexing/compact/compact_spec.h"

namespace portacl::ops::compact {
namespace {

void PlanNonzero(exec::PlanBuilder& plan) {
  loops::moves::Nonzero(plan, plan.Operand(kNonzero.Index("self")), plan.Operand(kNonzero.Index("out")), false);
}

void PlanNonzeroV2(exec::PlanBuilder& plan) {
  loops::moves::Nonzero(plan, plan.Operand(kNonzeroV2.Index("self")), plan.Operand(kNonzeroV2.Index("out")), true);
}

void PlanMaskedSelect(exec::PlanBuilder& plan) {
  loops::moves::SelectMasked(plan, plan.Operand(kMaskedSelect.Index("self")), plan.Operand(kMaskedSelect.Index("mask")),
                             plan.Operand(kMaskedSelect.Index("out")));
}

void PlanMaskedScatter(exec::PlanBuilder& plan) {
  loops::moves::ScatterMasked(plan, plan.Operand(kInplaceMaskedScatter.Index("selfRef")),
                              plan.Operand(kInplaceMaskedScatter.Index("mask")),
                              plan.Operand(kInplaceMaskedScatter.Index("source")));
}

}  // namespace
}  // namespace portacl::ops::compact

#include "ops/indexing/compact/compact_functions.inc"
