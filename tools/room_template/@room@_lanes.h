// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "loops/tiles/tile.h"

namespace portacl::ops::@room@ {

/// The function for an instruction set (a HWY_* bit), in FLOAT. The operands of the tile are self and out.
loops::LaneFunction @Room@Lanes(int64_t target);

}  // namespace portacl::ops::@room@
