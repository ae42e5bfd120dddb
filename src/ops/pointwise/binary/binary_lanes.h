// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tile.h"

namespace portacl::ops::binary {

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT, ForNarrow being for results that are then rounded to 16 bits.
#define PORTACL_BINARY_LANES(WIDE, OWN) \
  OWN(Atan2) WIDE(LogAddExp) WIDE(LogAddExp2) OWN(LogAddExpForNarrow) OWN(LogAddExp2ForNarrow)

#define PORTACL_ENUMERATOR(name) k##name,
enum class Function : uint8_t { PORTACL_BINARY_LANES(PORTACL_ENUMERATOR, PORTACL_ENUMERATOR) };
#undef PORTACL_ENUMERATOR

/// The function for FLOAT, FLOAT16 or BFLOAT16 and this instruction set (a HWY_* bit); null for other dtypes. Operands
/// of the tile: both inputs, either of which may be one element for a whole row, and the output.
loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::binary
