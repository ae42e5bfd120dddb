// SPDX-License-Identifier: Apache-2.0
// aclFloatToFloat16() and aclFloat16ToFloat(): conversions of a format without infinity and NaN. Exponent 31 is an
// ordinary exponent when it is read, and never written: a value that would need it becomes the largest finite IEEE
// value.
#include "base/float16.h"

#include "acl/acl_base_rt.h"

aclFloat16 aclFloatToFloat16(float value) {
  constexpr uint16_t kExponentMask = 0x7C00;
  constexpr uint16_t kLargest = 0x7BFF;  // 65504
  const uint16_t bits = portacl::FloatToFloat16(value);
  const bool beyond = (bits & kExponentMask) == kExponentMask;
  return beyond ? static_cast<uint16_t>((bits & 0x8000u) | kLargest) : bits;
}

float aclFloat16ToFloat(aclFloat16 value) {
  if ((value & 0x7C00u) != 0x7C00u) return portacl::Float16ToFloat(value);
  // The value with an exponent lower by one, doubled exactly.
  return 2.0F * portacl::Float16ToFloat(static_cast<uint16_t>(value - 0x0400u));
}
