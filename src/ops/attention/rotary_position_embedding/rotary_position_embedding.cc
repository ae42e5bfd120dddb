// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "base/target.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "loops/rows.h"
#include "ops/attention/rotary_position_embedding/rotary_position_embedding_lanes.h"
#include "ops/attention/rotary_position_embedding/rotary_position_embedding_spec.h"

namespace portacl::ops::rotary_position_embedding {

namespace {

void PlanRotation(exec::PlanBuilder& plan) {
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

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnRotaryPositionEmbeddingGetWorkspaceSize, &aclnnRotaryPositionEmbedding>(kRotaryPositionEmbedding),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::rotary_position_embedding

using namespace portacl::ops::rotary_position_embedding;  // NOLINT(google-build-using-namespace): what follows is C

PORTACL_DEFINE_OPERATOR(aclnnRotaryPositionEmbedding, kRotaryPositionEmbedding, PlanRotation,
                        (const aclTensor* x, const aclTensor* cos, const aclTensor* sin, int64_t mode,
                         const aclTensor* yOut),
                        x, cos, sin, mode, yOut)
