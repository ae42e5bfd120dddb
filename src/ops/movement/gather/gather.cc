// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/gather.h"

#include <algorithm>

#include "ops/movement/gather/gather_spec.h"

namespace portacl::ops::gather {

namespace {

void PlanGather(exec::PlanBuilder& plan) {
  const int32_t rank = plan.Tensor("self").rank;
  const auto dim = plan.Attribute<int64_t>("dim");
  loops::moves::Gather(plan, plan.Input("self"), static_cast<int>(dim < 0 ? dim + std::max(rank, 1) : dim),
                       plan.Input("index"), plan.Output("out"));
}

void PlanEmbedding(exec::PlanBuilder& plan) {
  loops::moves::Gather(plan, plan.Input("weight"), 0, plan.Input("indices"), plan.Output("out"));
}

constexpr exec::PlanFunction PlanGatherV2 = PlanGather;
constexpr exec::PlanFunction PlanIndexSelect = PlanGather;

}  // namespace

}  // namespace portacl::ops::gather

#include "ops/movement/gather/gather_functions.inc"
