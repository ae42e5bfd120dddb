// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "loops/tiles/tile.h"

namespace portacl::ops::bitwise {

enum class Operation : uint8_t { kAnd, kOr, kXor };

/// Combines integers of any one dtype, or BOOL, whose nonzero bytes are all 1. Operands of the tile: one or two inputs,
/// and the output. If a scalar is the second operand, the parameters are families::Scalars<int64_t>. `target` is a
/// HWY_* bit.
loops::LaneFunction Lanes(Operation operation, bool with_scalar, bool is_bool, int64_t target);

}  // namespace portacl::ops::bitwise
