// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tile.h"

namespace portacl::ops::unary {

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
#define PORTACL_UNARY_LANES(WIDE, OWN) \
  OWN(Abs)                             \
  OWN(Neg)                             \
  OWN(Sign)                            \
  OWN(Sqrt)                            \
  OWN(Ceil)                            \
  OWN(Floor)                           \
  OWN(Round)                           \
  WIDE(RoundUpToDecimals)              \
  WIDE(RoundToTens)                    \
  OWN(Trunc)                           \
  OWN(Reciprocal)                      \
  OWN(Exp)                             \
  WIDE(Expm1)                          \
  WIDE(Log)                            \
  WIDE(Log1p)                          \
  WIDE(Sin)                            \
  WIDE(Cos)                            \
  OWN(Tan)                             \
  OWN(Sinc)                            \
  OWN(Acos)                            \
  OWN(Asin) OWN(Atan) WIDE(Acosh) WIDE(Asinh) OWN(Atanh) OWN(Sinh) OWN(Cosh) OWN(Exp2) OWN(Log10) OWN(Log2)

#define PORTACL_ENUMERATOR(name) k##name,
enum class Function : uint8_t { PORTACL_UNARY_LANES(PORTACL_ENUMERATOR, PORTACL_ENUMERATOR) };
#undef PORTACL_ENUMERATOR

/// The function for this dtype and instruction set (a HWY_* bit); null for a dtype without one. Operands of the tile:
/// the input, the output; parameters: families::Scalars<float>.
loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::unary
