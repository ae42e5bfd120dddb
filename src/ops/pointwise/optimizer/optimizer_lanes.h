// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::optimizer {

struct AdamW {
  float lr, beta1, beta2, weight_decay, eps;
  bool maximize;
  aclDataType step;  // dtype of step: FLOAT or INT64
};

/// The function for an instruction set (a HWY_* bit) and a floating dtype. Operands of the tile: grad, step (one element
/// as it is), and var, m, v and with amsgrad their maximum, which are updated; parameters: AdamW.
loops::LaneFunction AdamWLanes(aclDataType dtype, bool amsgrad, int64_t target);

}  // namespace portacl::ops::optimizer
