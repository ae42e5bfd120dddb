// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <cmath>
#include <limits>

#include "base/target.h"
#include "loops/tiles/rows.h"
#include "loops/tiles/rows_together.h"
#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_lanes.h"
#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_spec.h"

namespace portacl::ops::scaled_masked_softmax {
namespace {

// The NaN is made without a payload: it propagates to results, and their rounding to BFLOAT16 relies on that.
Parameters ParametersOf(double scale) {
  const auto c = static_cast<float>(scale);
  return {std::isnan(c) ? std::numeric_limits<float>::quiet_NaN() : c};
}

void PlanScaledMaskedSoftmax(exec::PlanBuilder& plan) {
  constexpr int kX = kScaledMaskedSoftmax.Index("x");
  const View& x = plan.Tensor(kX);
  const auto scale = plan.Attribute<double>(kScaledMaskedSoftmax.Index("scale"));
  loops::Rows(plan,
              {plan.Operand(kX), plan.Operand(kScaledMaskedSoftmax.Index("mask")),
               plan.Operand(kScaledMaskedSoftmax.Index("y"))},
              {.run = SoftmaxLanes(x.dtype, ActiveTarget()),
               .ns_per_element = 0.35,
               .scratch_bytes = loops::ScratchBytes(x.shape[kRank - 1])},
              ParametersOf(scale));
}

void PlanScaledMaskedSoftmaxBackward(exec::PlanBuilder& plan) {
  constexpr int kGradOutput = kScaledMaskedSoftmaxBackward.Index("gradOutput");
  const View& grad = plan.Tensor(kGradOutput);
  const auto scale = plan.Attribute<double>(kScaledMaskedSoftmaxBackward.Index("scale"));
  loops::Rows(plan,
              {plan.Operand(kGradOutput), plan.Operand(kScaledMaskedSoftmaxBackward.Index("y")),
               plan.Operand(kScaledMaskedSoftmaxBackward.Index("mask")),
               plan.Operand(kScaledMaskedSoftmaxBackward.Index("out"))},
              {.run = SoftmaxBackwardLanes(grad.dtype, ActiveTarget()),
               .ns_per_element = 0.15,
               .scratch_bytes = loops::ScratchBytes(grad.shape[kRank - 1])},
              ParametersOf(scale));
}

}  // namespace

}  // namespace portacl::ops::scaled_masked_softmax

#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_functions.inc"
