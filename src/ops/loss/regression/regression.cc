// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and the losses of integers.
#include <cstdint>

#include "base/target.h"
#include "families/loss.h"
#include "ops/loss/regression/regression_lanes.h"
#include "ops/loss/regression/regression_spec.h"

namespace portacl::ops::regression {
namespace {

// The size of the difference modulo 2^64 as a signed number.
uint64_t DistanceOf(int64_t self, int64_t target) {
  const uint64_t difference = static_cast<uint64_t>(self) - static_cast<uint64_t>(target);
  return static_cast<int64_t>(difference) < 0 ? -difference : difference;
}
void DistanceTile(const loops::Tile& tile) {
  for (int64_t row = 0; row < tile.rows; ++row) {
    const auto *const self = tile.Row<const int64_t>(0, row), *const target = tile.Row<const int64_t>(1, row);
    auto* const out = tile.Row<uint64_t>(2, row);
    for (int64_t c = 0; c < tile.columns; ++c) out[c] = DistanceOf(self[c], target[c]);
  }
}
void SumOfDistances(const loops::Tile& tile) {
  auto& sum = *static_cast<uint64_t*>(tile.scratch);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const auto *const self = tile.Row<const int64_t>(0, row), *const target = tile.Row<const int64_t>(1, row);
    for (int64_t c = 0; c < tile.columns; ++c) sum += DistanceOf(self[c], target[c]);
  }
}

template <Function function>
LossLanes Find(aclDataType dtype) {
  if (dtype == ACL_INT64) return {DistanceTile, SumOfDistances};
  return Lanes(function, dtype, ActiveTarget());
}
template <Function function>
loops::LaneFunction FindGradient(aclDataType dtype) {
  return GradientLanes(function, dtype, ActiveTarget());
}

void PlanMseLoss(exec::PlanBuilder& plan) { PlanLoss(plan, Find<Function::kMse>); }
constexpr exec::PlanFunction PlanMseLossOut = PlanMseLoss;
void PlanMseLossBackward(exec::PlanBuilder& plan) {
  PlanLossGradient(plan, FindGradient<Function::kMse>, 2, plan.Tensor("self"));
}
void PlanL1Loss(exec::PlanBuilder& plan) { PlanLoss(plan, Find<Function::kL1>); }
void PlanL1LossBackward(exec::PlanBuilder& plan) {
  PlanLossGradient(plan, FindGradient<Function::kL1>, 1, plan.Tensor("gradInput"));
}

}  // namespace

}  // namespace portacl::ops::regression

#include "ops/loss/regression/regression_functions.inc"
