// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "families/pointwise.h"
#include "loops/tile.h"

namespace portacl::ops::activation {

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
#define PORTACL_ACTIVATION_LANES(WIDE, OWN) \
  OWN(Relu)                                 \
  OWN(LeakyRelu)                            \
  WIDE(Elu) OWN(Hardsigmoid) OWN(Hardswish) OWN(Sigmoid) OWN(Silu) OWN(Tanh) WIDE(Softplus) OWN(Gelu) OWN(GeluOfErf)

#define PORTACL_ENUMERATOR(name) k##name,
enum class Function : uint8_t { PORTACL_ACTIVATION_LANES(PORTACL_ENUMERATOR, PORTACL_ENUMERATOR) };
#undef PORTACL_ENUMERATOR

/// Which scalars are long for a function.
constexpr uint32_t LongScalarsOf(Function) { return families::kLongFactors; }

/// The function for this dtype and instruction set (a HWY_* bit); null for a dtype without one. Operands of the tile:
/// the input, the output; parameters: families::Scalars<float>.
loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::activation
