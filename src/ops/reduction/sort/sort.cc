// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>
#include <cstdint>

#include "exec/shape_rule.h"
#include "loops/reductions/select.h"
#include "loops/reductions/sort.h"
#include "ops/reduction/sort/sort_spec.h"

namespace portacl::ops::sort {
namespace {

using loops::reductions::Pick;

int Axis(const exec::PlanBuilder& plan) {
  return exec::AxisOf(plan.Attribute<int64_t>("dim"), std::max(plan.Tensor("self").rank, 1));
}

void SortAlong(exec::PlanBuilder& plan, int values, int indices) {
  loops::reductions::Sort(plan, plan.Input("self"), Axis(plan), plan.Attribute<bool>("descending"), values, indices);
}

void PlanArgsort(exec::PlanBuilder& plan) { SortAlong(plan, loops::reductions::kNoValues, plan.Output("out")); }
void PlanSort(exec::PlanBuilder& plan) { SortAlong(plan, plan.Output("valuesOut"), plan.Output("indicesOut")); }

void PlanTopk(exec::PlanBuilder& plan) {
  loops::reductions::Select(
      plan, plan.Input("self"), Axis(plan),
      {.pick = Pick::kFirst, .k = plan.Attribute<int64_t>("k"), .descending = plan.Attribute<bool>("largest")},
      plan.Output("valuesOut"), plan.Output("indicesOut"));
}

}  // namespace

}  // namespace portacl::ops::sort

#include "ops/reduction/sort/sort_functions.inc"
