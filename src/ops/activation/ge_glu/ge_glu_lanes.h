// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::ge_glu {

/// The function for this dtype (FLOAT, FLOAT16, BFLOAT16), form of gelu and instruction set (a HWY_* bit). Operands of
/// the tile: the activated half, the other half, out, outGelu.
loops::LaneFunction GeGluLanes(aclDataType dtype, bool is_tanh, int64_t target);

/// Parameters as for GeGluLanes. Operands of the tile: the activated half, the other half, gradOutput, gelu, then the
/// same two halves of gradInput, which may alias those of the input.
loops::LaneFunction GeGluBackwardLanes(aclDataType dtype, bool is_tanh, int64_t target);

}  // namespace portacl::ops::ge_glu
