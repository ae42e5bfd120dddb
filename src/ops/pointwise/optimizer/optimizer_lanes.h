// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::optimizer {

/// What is the same for all elements.
struct AdamWFactors {
  float decay;  // 1 - lr * weightDecay
  float rest1;  // 1 - beta1
  float beta2;
  float rest2;  // 1 - beta2
  float eps;
  float sign;
  float size;  // lr / (1 - beta1^t)
  float root;  // 1 / sqrt(1 - beta2^t)
};

/// What is done with the maximum of v: it may be absent, updated, or read.
enum class AdamWMaximum : uint8_t { kNone, kUpdated, kRead };

/// The function for an instruction set (a HWY_* bit) and a floating dtype. Operands of the tile: grad, the maximum if it
/// is read, then var, m, v and the maximum if it is updated, all of which are updated; parameters: AdamWFactors.
loops::LaneFunction AdamWLanes(aclDataType dtype, AdamWMaximum maximum, int64_t target);

}  // namespace portacl::ops::optimizer
