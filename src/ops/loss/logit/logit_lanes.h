// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tile.h"

namespace portacl::ops::logit {

/// What eps means for the elements. Operands of the tile: x, dy, out.
struct LogitGradParameters {
  float lo;  // inclusive limits of x
  float hi;
  float outside;  // result for an x outside of them
  bool infinite;  // limits do not count: the result is dy * Inf
};

/// The function for this dtype (FLOAT, FLOAT16, BFLOAT16) and instruction set (a HWY_* bit).
loops::LaneFunction LogitGradLanes(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::logit
