// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "families/pointwise.h"
#include "loops/tiles/tile.h"
#include "rows/activation_backward.h"

namespace portacl::ops::activation_backward {

// The functions of the rows, and a second form of one.
#define PORTACL_ENUMERATOR(name) k##name,
enum class Function : uint8_t { PORTACL_ACTIVATION_BACKWARD_ROWS(PORTACL_ENUMERATOR) kGeluBackwardOfErf };
#undef PORTACL_ENUMERATOR

/// Which scalars of a function need more than float32.
constexpr uint32_t LongScalarsOf(Function function) {
  return function == Function::kLeakyReluBackward || function == Function::kEluBackward ? families::kLongFactors : 0;
}

/// The function for this dtype and instruction set (a HWY_* bit); null for a dtype without one. Operands of the tile:
/// gradOutput and the saved tensor, either of which may be one element for a whole row, and the output; parameters:
/// families::Scalars<float>.
loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::activation_backward
