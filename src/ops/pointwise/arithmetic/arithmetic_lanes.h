// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "families/pointwise.h"
#include "loops/tiles/tile.h"
#include "rows/arithmetic.h"

namespace portacl::ops::arithmetic {

// The functions of the rows, and the modes of one.
#define PORTACL_ENUMERATOR(name) k##name,
enum class Function : uint8_t {
  PORTACL_ARITHMETIC_ROWS(PORTACL_ENUMERATOR) kDivTrunc,
  kDivsTrunc,
  kDivFloor,
  kDivsFloor
};
#undef PORTACL_ENUMERATOR

/// Which scalars of a function need more than float32.
constexpr uint32_t LongScalarsOf(Function function) {
  const bool is_sum = function == Function::kAdd || function == Function::kSub || function == Function::kRsubs;
  return is_sum ? families::kLongWithSums : families::kLongFactors;
}

/// The function for this dtype and instruction set (a HWY_* bit); null for a dtype without one. Operands of the tile:
/// the tensors (if there are several, each may be one element for a whole row) and the output; parameters:
/// families::Scalars<float>.
loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::arithmetic
