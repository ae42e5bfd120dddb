// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "exec/shape_rule.h"
#include "loops/elements/conversion.h"
#include "loops/moves/copy.h"
#include "loops/reductions/select.h"
#include "loops/reductions/sort.h"
#include "loops/reductions/top_k_top_p.h"
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

void PickAlong(exec::PlanBuilder& plan, Pick pick, int64_t k = 1) {
  loops::reductions::Select(plan, plan.Input("self"), Axis(plan), {.pick = pick, .k = k}, plan.Output("valuesOut"),
                            plan.Output("indicesOut"));
}
void PlanKthvalue(exec::PlanBuilder& plan) { PickAlong(plan, Pick::kKth, plan.Attribute<int64_t>("k")); }
void PlanMedianDim(exec::PlanBuilder& plan) { PickAlong(plan, Pick::kMedian); }
void PlanNanMedianDim(exec::PlanBuilder& plan) { PickAlong(plan, Pick::kMedianOfNumbers); }

void PickOfAll(exec::PlanBuilder& plan, Pick pick) {
  using loops::reductions::kAllAxes;
  const int values = plan.Output("valuesOut");
  const auto dims = plan.Tensor("self").dims();
  if (std::ranges::find(dims, 0) == dims.end())
    return loops::reductions::Select(plan, plan.Input("self"), kAllAxes, {.pick = pick}, values,
                                     loops::reductions::kNoIndices);
  loops::moves::Box box = loops::moves::BoxOf(plan, values, values);
  box.from = loops::moves::Box::kValue;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  loops::Convert(loops::ConversionOf(ACL_DOUBLE, plan.OperandView(values).dtype),
                 reinterpret_cast<const std::byte*>(&nan), box.value, 1);
  loops::moves::Copy(plan, std::span(&box, 1));
}
void PlanMedian(exec::PlanBuilder& plan) { PickOfAll(plan, Pick::kMedian); }
void PlanNanMedian(exec::PlanBuilder& plan) { PickOfAll(plan, Pick::kMedianOfNumbers); }

void PlanApplyTopKTopP(exec::PlanBuilder& plan) {
  const auto operand = [&](const char* name) { return plan.Has(name) ? plan.Input(name) : loops::kNoOperand; };
  loops::reductions::TopKTopP(plan, plan.Input("logits"), operand("p"), operand("k"), plan.Output("out"));
}

}  // namespace

}  // namespace portacl::ops::sort

#include "ops/reduction/sort/sort_functions.inc"
