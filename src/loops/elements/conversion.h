// SPDX-License-Identifier: Apache-2.0
//
// Converts elements between any two dtypes that hold numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"
#include "base/visibility.h"
#include "loops/elements/convert_lanes.h"

namespace portacl::loops {

inline constexpr int kMostSteps = 3;

/// Floats are rounded once, to nearest even. Floats become integers by truncation, limited to the range of the integer;
/// for INT8, UINT8 and INT16 they are limited to that of INT32, and the low bits are kept. NaN becomes 0. Integers
/// become narrower ones by keeping the low bits. BOOL becomes 0 or 1; any byte other than 0 counts as 1. Reals become
/// complex with the imaginary part 0, complex numbers become real by dropping it.
struct Conversion {
  ConvertFunction step[kMostSteps] = {};
  int8_t steps = 0;                    // 0: elements are only moved
  int8_t parts = 1;                    // values per element: 2 from complex to complex
  uint8_t bytes[kMostSteps + 1] = {};  // per element, before each step and after the last
};

inline namespace v1 {

/// The conversion for the active target; it lives as long as the process.
PORTACL_EXPORT const Conversion& ConversionOf(aclDataType from, aclDataType to);

/// Converts n contiguous elements. Source and target do not overlap.
PORTACL_EXPORT void Convert(const Conversion& conversion, const std::byte* from, std::byte* to, int64_t n);

}  // namespace v1

inline bool IsComplex(aclDataType dtype) { return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128; }

/// The dtype of both parts of a complex number.
inline aclDataType PartOf(aclDataType complex) { return complex == ACL_COMPLEX64 ? ACL_FLOAT : ACL_DOUBLE; }

}  // namespace portacl::loops
