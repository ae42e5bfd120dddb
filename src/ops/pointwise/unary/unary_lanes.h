// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"
#include "rows/unary.h"

namespace portacl::ops::unary {

// The functions of the rows, and the parts of one.
#define PORTACL_ENUMERATOR(name) k##name,
enum class Function : uint8_t { PORTACL_UNARY_ROWS(PORTACL_ENUMERATOR) kRoundUpToDecimals, kRoundToTens };
#undef PORTACL_ENUMERATOR

/// The function for this dtype and instruction set (a HWY_* bit); null for a dtype without one. Operands of the tile:
/// the input, the output; parameters: families::Scalars<float>.
loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::unary
