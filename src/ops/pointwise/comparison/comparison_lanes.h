// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::comparison {

enum class Order : uint8_t { kEq, kNe, kGt, kGe, kLt, kLe };

/// Compares FLOAT, FLOAT16 or BFLOAT16; null for other dtypes. Operands of the tile: one or two inputs, and the output,
/// which is BOOL. If a scalar is the second operand, the parameters are families::Scalars<float>. `target` is a HWY_*
/// bit.
loops::LaneFunction Lanes(Order order, bool with_scalar, aclDataType dtype, int64_t target);

/// The same with an output of the dtype of the inputs.
loops::LaneFunction LanesToSame(Order order, bool with_scalar, aclDataType dtype, int64_t target);

enum class Combination : uint8_t { kAnd, kOr, kXor, kNot };

/// Combines BOOL; for kNot, one operand is the input.
loops::LaneFunction BoolLanes(Combination combination, int64_t target);

}  // namespace portacl::ops::comparison
