// SPDX-License-Identifier: Apache-2.0
// A bfloat16 number, for C++.
#ifndef PORTACL_INCLUDE_ACLNN_OPDEV_BFLOAT16_H_
#define PORTACL_INCLUDE_ACLNN_OPDEV_BFLOAT16_H_

#ifdef __cplusplus

#include <cstdint>
#include <cstring>

namespace op {

/// The upper 16 bits of a float, with conversions from and to float. From float they round to nearest, ties to even.
struct bfloat16 {
  uint16_t value;

  bfloat16() : value(0) {}
  bfloat16(float number) : value(FromFloat(number)) {}  // NOLINT(google-explicit-constructor): a number, as float is
  operator float() const {                              // NOLINT(google-explicit-constructor)
    const uint32_t bits = static_cast<uint32_t>(value) << 16;
    float number = 0;
    std::memcpy(&number, &bits, sizeof(number));
    return number;
  }

 private:
  static uint16_t FromFloat(float number) {
    uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<uint16_t>(bits >> 16 | 0x40U);  // a NaN stays one
    return static_cast<uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
  }
};

}  // namespace op

#endif  // __cplusplus

#endif  // PORTACL_INCLUDE_ACLNN_OPDEV_BFLOAT16_H_
