// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::swi_glu {

/// The function for this dtype (FLOAT, FLOAT16, BFLOAT16) and instruction set (a HWY_* bit). Operands of the tile: the
/// halves A and B of x, out.
loops::LaneFunction SwiGluLanes(aclDataType dtype, int64_t target);

/// Parameters as for SwiGluLanes. Operands of the tile: A, B, yGrad, then the halves of out, which may be A and B.
loops::LaneFunction SwiGluGradLanes(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::swi_glu
