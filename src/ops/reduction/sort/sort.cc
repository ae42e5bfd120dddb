// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>
#include <cstdint>

#include "exec/shape_rule.h"
#include "loops/reductions/sort.h"
#include "ops/reduction/sort/sort_spec.h"

namespace portacl::ops::sort {
namespace {

void SortAlong(exec::PlanBuilder& plan, int values, int indices) {
  const int self = plan.Input("self");
  const int axis = exec::AxisOf(plan.Attribute<int64_t>("dim"), std::max(plan.OperandView(self).rank, 1));
  loops::reductions::Sort(plan, self, axis, plan.Attribute<bool>("descending"), values, indices);
}

void PlanArgsort(exec::PlanBuilder& plan) { SortAlong(plan, loops::reductions::kNoValues, plan.Output("out")); }
void PlanSort(exec::PlanBuilder& plan) { SortAlong(plan, plan.Output("valuesOut"), plan.Output("indicesOut")); }

}  // namespace

}  // namespace portacl::ops::sort

#include "ops/reduction/sort/sort_functions.inc"
