// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/scatter.h"

#include "ops/movement/scatter_nd/scatter_nd_spec.h"

namespace portacl::ops::scatter_nd {
namespace {

using loops::moves::Combine;
using loops::moves::Scattered;

// The arguments of each operator: what is changed, indices, what is put there.
Scattered TensorsOf(const exec::PlanBuilder& plan) {
  const int out = plan.schema().Find("out");
  return {.self = out < 0 ? loops::moves::kNothing : plan.Operand(0),
          .index = plan.Operand(1),
          .source = plan.Operand(2),
          .out = plan.Operand(out < 0 ? 0 : out)};
}

int Components(const exec::PlanBuilder& plan) {
  const View& indices = plan.Tensor(1);
  return static_cast<int>(indices.shape[indices.rank - 1]);
}

void PlanScatterNd(exec::PlanBuilder& plan) { loops::moves::ScatterNamed(plan, TensorsOf(plan), Components(plan)); }
constexpr exec::PlanFunction PlanScatterNdUpdate = PlanScatterNd;

void PlanTfScatterAdd(exec::PlanBuilder& plan) {
  Scattered what = TensorsOf(plan);
  what.combine = Combine::kAdd;
  if (NamesRows(plan.Tensor(0), plan.Tensor(1), plan.Tensor(2))) {
    loops::moves::ScatterFlat(plan, what, 1);
  } else {
    loops::moves::ScatterNamed(plan, what, Components(plan));
  }
}

void PlanScatterUpdate(exec::PlanBuilder& plan) {
  const auto axis = plan.Attribute<int64_t>("axis");
  loops::moves::ScatterSlices(plan, TensorsOf(plan), static_cast<int>(axis < 0 ? axis + plan.Tensor(0).rank : axis));
}

void PlanScatterList(exec::PlanBuilder& plan) {
  constexpr int kList = kScatterList.Index("varRef"), kMask = kScatterList.Index("maskOptional");
  const auto axis = plan.Attribute<int64_t>("axis");
  loops::moves::ScatterSlicesOfEach(
      plan, plan.Input("indice"), plan.Input("updates"), plan.Has(kMask) ? plan.Operand(kMask) : loops::moves::kNothing,
      plan.Operand(kList, 0), static_cast<int>(axis < 0 ? axis + plan.Tensor(kList).rank : axis));
}

void PlanPut(exec::PlanBuilder& plan) {
  Scattered what = TensorsOf(plan);
  what.wraps = true;
  if (plan.Attribute<bool>("accumulate")) what.combine = Combine::kAdd;
  loops::moves::ScatterFlat(plan, what, plan.Tensor(0).rank);
}

}  // namespace
}  // namespace portacl::ops::scatter_nd

#include "ops/movement/scatter_nd/scatter_nd_functions.inc"
