// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::rotary_position_embedding {

/// The function for this dtype (FLOAT, FLOAT16, BFLOAT16), mode and instruction set (a HWY_* bit). Operands of the
/// tile: x, cos, sin, y, which may be x. In mode 3 a row of x is its scratch.
loops::LaneFunction RotationLanes(aclDataType dtype, int64_t mode, int64_t target);

}  // namespace portacl::ops::rotary_position_embedding
