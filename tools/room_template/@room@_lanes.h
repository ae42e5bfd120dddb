// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tile.h"

namespace portacl::ops::@room@ {

/// What the elements need of the attributes. Operands of the tile: self, out.
struct @Room@Parameters {};

/// The function for this dtype (FLOAT) and instruction set (a HWY_* bit).
loops::LaneFunction @Room@Lanes(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::@room@
