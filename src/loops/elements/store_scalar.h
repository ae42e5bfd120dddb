// SPDX-License-Identifier: Apache-2.0
//
// Stores an aclScalar as an element.
#pragma once

#include <cstddef>

#include "base/visibility.h"
#include "tensor/scalar.h"

namespace portacl::loops {
inline namespace v1 {

/// Writes the scalar as one element of the dtype. Floats are rounded once. Integers are truncated, then wrap modulo
/// 2^n; infinities and NaN become 0. BOOL says whether the scalar differs from 0. A real dtype takes the real part of a
/// complex scalar.
PORTACL_EXPORT void StoreScalar(const aclScalar& scalar, aclDataType dtype, std::byte* element);

}  // namespace v1
}  // namespace portacl::loops
