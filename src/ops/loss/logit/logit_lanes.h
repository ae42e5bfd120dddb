// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::logit {

/// The meaning of eps for the elements of aclnnLogit. Operands of the tile: input, out.
struct LogitParameters {
  float lo;  // z = clamp of the input to [lo, hi]; lo is checked first
  float hi;
  bool limited;  // without limits z is the input
};

/// The function for this dtype (FLOAT, FLOAT16, BFLOAT16) and instruction set (a HWY_* bit).
loops::LaneFunction LogitLanes(aclDataType dtype, int64_t target);

/// The meaning of eps for the elements of aclnnLogitGrad. Operands of the tile: x, dy, out.
struct LogitGradParameters {
  float lo;  // inclusive limits of x
  float hi;
  float outside;          // result for an x outside of them
  bool infinite;          // limits are ignored: the result is dy * Inf
  uint32_t first_inside;  // stored bits of the first x >= +0 inside of them
  uint32_t inside;        // number of stored bits from there on that are inside, too
};

/// Parameters as for LogitLanes.
loops::LaneFunction LogitGradLanes(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::logit
