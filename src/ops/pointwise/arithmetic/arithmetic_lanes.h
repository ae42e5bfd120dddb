// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "families/pointwise.h"
#include "loops/tile.h"

namespace portacl::ops::arithmetic {

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
#define PORTACL_ARITHMETIC_TENSOR_LANES(WIDE, OWN) \
  OWN(Add) OWN(Sub) OWN(Mul) OWN(Div) OWN(Maximum) OWN(Minimum) OWN(DivTrunc) OWN(DivFloor) OWN(Fmod) OWN(Remainder)
#define PORTACL_ARITHMETIC_SCALAR_LANES(WIDE, OWN) \
  OWN(Adds) OWN(Muls) OWN(Divs) OWN(Rsubs) OWN(DivsTrunc) OWN(DivsFloor)

#define PORTACL_ENUMERATOR(name) k##name,
enum class Function : uint8_t { PORTACL_ARITHMETIC_TENSOR_LANES(PORTACL_ENUMERATOR, PORTACL_ENUMERATOR) };
enum class ScalarFunction : uint8_t { PORTACL_ARITHMETIC_SCALAR_LANES(PORTACL_ENUMERATOR, PORTACL_ENUMERATOR) };
#undef PORTACL_ENUMERATOR

/// Which scalars are long for a function.
constexpr uint32_t LongScalarsOf(Function function) {
  return function == Function::kAdd || function == Function::kSub ? families::kLongWithSums : families::kLongFactors;
}
constexpr uint32_t LongScalarsOf(ScalarFunction function) {
  return function == ScalarFunction::kRsubs ? families::kLongWithSums : families::kLongFactors;
}

/// The function for this dtype and instruction set (a HWY_* bit); null for a dtype without one. Operands of the tile:
/// both inputs, either of which may be one element for a whole row, and the output; parameters:
/// families::Scalars<float>.
loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target);
/// The same of a tensor and scalars.
loops::LaneFunction Lanes(ScalarFunction function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::arithmetic
