// SPDX-License-Identifier: Apache-2.0
//
// Elements of one dtype to another, of all pairs of dtypes that hold numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"
#include "base/visibility.h"
#include "loops/elements/convert_lanes.h"

namespace portacl::loops {

inline constexpr int kMostSteps = 3;

/// Floats are rounded once, to nearest even. They become integers by truncation, limited to the range of the integer,
/// or to that of INT32, of which INT8, UINT8 and INT16 get the low bits; NaN becomes 0. Integers become narrower ones by
/// their low bits; BOOL is 0 or 1, of any byte that is not 0; complex numbers get the imaginary part 0, and become real
/// ones by their real part.
struct Conversion {
  ConvertFunction step[kMostSteps] = {};
  int8_t steps = 0;                    // 0: elements are only moved
  int8_t parts = 1;                    // numbers in an element: 2 where complex ones become complex ones
  uint8_t bytes[kMostSteps + 1] = {};  // of an element before each step and after the last
};

inline namespace v1 {

/// For the active target; it lives as long as the process.
PORTACL_EXPORT const Conversion& ConversionOf(aclDataType from, aclDataType to);

/// Converts n elements that follow each other. The two do not overlap.
PORTACL_EXPORT void Convert(const Conversion& conversion, const std::byte* from, std::byte* to, int64_t n);

}  // namespace v1

inline bool IsComplex(aclDataType dtype) { return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128; }

/// The dtype of both parts of a complex number.
inline aclDataType PartOf(aclDataType complex) { return complex == ACL_COMPLEX64 ? ACL_FLOAT : ACL_DOUBLE; }

}  // namespace portacl::loops
