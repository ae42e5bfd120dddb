// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::smooth_l1_loss {

/// beta as parameters of a loss. Operands of the tile: self, target and, for the elementwise loss, result.
struct LossParameters {
  float beta;
  float slope;  // 1 / beta = slope + slope_rest
  float slope_rest;
  float divisor;  // beta; any other value if beta is 0
  float offset;   // added to the quotient: 1 where beta is 0
  bool divides;   // 1 / beta or slope_rest is not a normal number
};

/// The function for this dtype of all operands (FLOAT, FLOAT16, BFLOAT16) and instruction set (a HWY_* bit).
loops::LaneFunction LossLanes(aclDataType dtype, int64_t target);

/// The sum of the losses, for loops::reductions::Sum.
loops::LaneFunction LossSumLanes(aclDataType dtype, int64_t target);

/// beta and the mean's 1 / N as parameters of a gradient. Operands of the tile: gradOut, self, target, gradInput.
struct GradientParameters {
  float limit;  // from this |d| on only its sign matters: beta, or the smallest number above 0
  float norm;   // 1, or 1 / N
  float slope;  // norm / beta = slope + slope_rest, or 0 if it is only multiplied with zeros
  float slope_rest;
  float divisor;            // beta or beta * N; any other value if beta is 0
  uint32_t rescaled_below;  // bits of the |d| > 0 below which d is scaled by powers of two
  float tiny;               // |d| below which d / divisor may be subnormal
  float rescaling;          // 1, or for a large divisor the power of two that scales both it and d
  float rescaled_divisor;   // divisor * rescaling
  float narrow_slope;       // 1 / beta if no quotient of 16-bit elements is rescaled, otherwise 0
};

loops::LaneFunction GradientLanes(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::smooth_l1_loss
