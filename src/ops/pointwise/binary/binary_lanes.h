// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"
#include "rows/binary.h"

namespace portacl::ops::binary {

// The functions of the rows, and those for 16-bit dtypes.
#define PORTACL_ENUMERATOR(name) k##name,
enum class Function : uint8_t { PORTACL_BINARY_ROWS(PORTACL_ENUMERATOR) kLogAddExpForNarrow, kLogAddExp2ForNarrow };
#undef PORTACL_ENUMERATOR

/// The function for FLOAT, FLOAT16 or BFLOAT16 and this instruction set (a HWY_* bit); null for other dtypes. Operands
/// of the tile: both inputs, either of which may be one element for a whole row, and the output.
loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::binary
