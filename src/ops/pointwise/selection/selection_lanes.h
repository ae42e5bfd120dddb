// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"
#include "rows/selection.h"

namespace portacl::ops::selection {

// The functions of the rows.
#define PORTACL_ENUMERATOR(name) k##name,
enum class Function : uint8_t { PORTACL_SELECTION_ROWS(PORTACL_ENUMERATOR) };
#undef PORTACL_ENUMERATOR

/// The function for this dtype and instruction set (a HWY_* bit); null for a dtype without one. Operands of the tile:
/// the tensors (if there are several, each may be one element for a whole row) and the output; parameters:
/// families::Scalars<float>.
loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::selection
