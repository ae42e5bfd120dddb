// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tile.h"

namespace portacl::ops::selection {

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
#define PORTACL_SELECTION_SCALAR_LANES(WIDE, OWN) OWN(Clamp) OWN(ClampMin) OWN(ClampMax) OWN(Threshold) OWN(NanToNum)
#define PORTACL_SELECTION_TENSOR_LANES(WIDE, OWN) OWN(ClampMinTensor) OWN(ClampMaxTensor) WIDE(Heaviside)
#define PORTACL_SELECTION_TENSORS_LANES(WIDE, OWN) OWN(ClampTensor) WIDE(SWhere)

#define PORTACL_ENUMERATOR(name) k##name,
enum class OfScalars : uint8_t { PORTACL_SELECTION_SCALAR_LANES(PORTACL_ENUMERATOR, PORTACL_ENUMERATOR) };
enum class OfTwo : uint8_t { PORTACL_SELECTION_TENSOR_LANES(PORTACL_ENUMERATOR, PORTACL_ENUMERATOR) };
enum class OfThree : uint8_t { PORTACL_SELECTION_TENSORS_LANES(PORTACL_ENUMERATOR, PORTACL_ENUMERATOR) };
#undef PORTACL_ENUMERATOR

/// The function for this dtype and instruction set (a HWY_* bit); null for a dtype without one. Operands of the tile:
/// one tensor and the output; parameters: families::Scalars<float>.
loops::LaneFunction Lanes(OfScalars function, aclDataType dtype, int64_t target);
/// The same of two tensors, either of which may be one element for a whole row, without parameters.
loops::LaneFunction Lanes(OfTwo function, aclDataType dtype, int64_t target);
/// The same of three.
loops::LaneFunction Lanes(OfThree function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::selection
