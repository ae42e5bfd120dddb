// SPDX-License-Identifier: Apache-2.0
//
// Plans losses and their gradients: schemas by loss_schema.h, lanes by loss_lanes.h.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "acl/acl_base_rt.h"
#include "exec/plan.h"
#include "loops/tiles/tile.h"

namespace portacl::families {

inline constexpr int64_t kNoReduction = 0;
inline constexpr int64_t kMeanReduction = 1;

/// Inputs that may be one element for a whole row: target; for gradients, gradOutput and target.
inline constexpr uint32_t kLossRepeated = 0b10;
inline constexpr uint32_t kLossGradientRepeated = 0b101;

/// The dtype that lane code works in: that of all operands, or FLOAT.
aclDataType CommonFloat(const exec::PlanBuilder& plan, std::initializer_list<int> operands);

/// Lane code for a dtype. `each`: operands self, target, out. `sum`: self, target, for loops::reductions::Sum. For
/// INT64 the sum is a uint64_t.
struct LossLanes {
  loops::LaneFunction each;
  loops::LaneFunction sum;
};
using FindLossLanes = LossLanes (*)(aclDataType dtype);

/// Plans a loss over FLOAT, FLOAT16 or BFLOAT16, or over INT64 if both operands have it.
void PlanLoss(exec::PlanBuilder& plan, FindLossLanes find);

/// The parameters of a gradient: `factor` is its constant, for a mean divided by the number of elements.
struct LossGradientParameters {
  float factor;
};

/// Plans a gradient with operands gradOutput, self, target, out; `elements` divide a mean.
void PlanLossGradient(exec::PlanBuilder& plan, loops::LaneFunction (*find)(aclDataType dtype), double factor,
                      const View& elements);

}  // namespace portacl::families
