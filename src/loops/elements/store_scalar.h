// SPDX-License-Identifier: Apache-2.0
//
// An aclScalar as an element.
#pragma once

#include <cstddef>

#include "base/visibility.h"
#include "tensor/scalar.h"

namespace portacl::loops {
inline namespace v1 {

/// Writes the scalar as one element of the dtype: rounded once to floating types; truncated toward zero, then modulo 2^n
/// to integers (infinities and NaN are 0); BOOL is whether it differs from 0; of complex numbers reals take the real part.
PORTACL_EXPORT void StoreScalar(const aclScalar& scalar, aclDataType dtype, std::byte* element);

}  // namespace v1
}  // namespace portacl::loops
