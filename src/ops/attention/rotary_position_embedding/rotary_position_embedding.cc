// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "base/target.h"
#include "loops/tiles/rows.h"
#include "ops/attention/rotary_position_embedding/rotary_position_embedding_lanes.h"
#include "ops/attention/rotary_position_embedding/rotary_position_embedding_spec.h"

namespace portacl::ops::rotary_position_embedding {

namespace {

void PlanRotaryPositionEmbedding(exec::PlanBuilder& plan) {
  constexpr int kX = kRotaryPositionEmbedding.Index("x");
  const View& x = plan.Tensor(kX);
  const auto mode = plan.Attribute<int64_t>(kRotaryPositionEmbedding.Index("mode"));
  loops::Rows(
      plan,
      {plan.Operand(kX), plan.Operand(kRotaryPositionEmbedding.Index("cos")),
       plan.Operand(kRotaryPositionEmbedding.Index("sin")), plan.Operand(kRotaryPositionEmbedding.Index("yOut"))},
      {.run = RotationLanes(x.dtype, mode, ActiveTarget()),
       .ns_per_element = 0.15,
       .scratch_bytes = mode == kInterleaveHalf ? kMostColumns * int64_t{sizeof(float)} : 0});
}

}  // namespace

}  // namespace portacl::ops::rotary_position_embedding

#include "ops/attention/rotary_position_embedding/rotary_position_embedding_functions.inc"
