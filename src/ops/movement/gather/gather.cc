// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/gather.h"

#include <algorithm>

#include "ops/movement/gather/gather_spec.h"

namespace portacl::ops::gather {

namespace {

int DimOf(const exec::PlanBuilder& plan) {
  const int32_t rank = plan.Tensor("self").rank;
  const auto dim = plan.Attribute<int64_t>("dim");
  return static_cast<int>(dim < 0 ? dim + std::max(rank, 1) : dim);
}

void PlanGatherV2(exec::PlanBuilder& plan) {
  loops::moves::Gather(plan, plan.Input("self"), DimOf(plan), plan.Input("index"), plan.Output("out"));
}

void PlanGatherV3(exec::PlanBuilder& plan) {
  const auto batches = plan.Attribute<int64_t>("batchDims");
  loops::moves::Gather(plan, plan.Input("self"), DimOf(plan), plan.Input("index"), plan.Output("out"),
                       static_cast<int>(batches < 0 ? batches + plan.Tensor("index").rank : batches));
}

void PlanGather(exec::PlanBuilder& plan) {
  loops::moves::GatherElements(plan, plan.Input("self"), DimOf(plan), plan.Input("index"), plan.Output("out"));
}

void PlanGatherNd(exec::PlanBuilder& plan) {
  const View& indices = plan.Tensor("indices");
  loops::moves::GatherNamed(plan, plan.Input("self"), plan.Input("indices"),
                            static_cast<int>(indices.shape[indices.rank - 1]), plan.Output("out"));
}

void PlanTake(exec::PlanBuilder& plan) {
  loops::moves::GatherNamed(plan, plan.Input("self"), plan.Input("index"), loops::moves::kNothing, plan.Output("out"));
}

void PlanEmbedding(exec::PlanBuilder& plan) {
  loops::moves::Gather(plan, plan.Input("weight"), 0, plan.Input("indices"), plan.Output("out"));
}

constexpr exec::PlanFunction PlanIndexSelect = PlanGatherV2;

}  // namespace

}  // namespace portacl::ops::gather

#include "ops/movement/gather/gather_functions.inc"
