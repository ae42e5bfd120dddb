// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "families/pointwise.h"
#include "loops/tiles/tile.h"
#include "rows/ternary.h"

namespace portacl::ops::ternary {

#define PORTACL_ENUMERATOR(name) k##name,
enum class Function : uint8_t { PORTACL_TERNARY_ROWS(PORTACL_ENUMERATOR) };
#undef PORTACL_ENUMERATOR

/// The function for this dtype and instruction set (a HWY_* bit); null for a dtype without one. Operands of the tile:
/// the tensors (each may be one element for a whole row) and the output; parameters: families::Scalars<float>.
loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::ternary
