// SPDX-License-Identifier: Apache-2.0
// A float16 number, for C++.
#ifndef PORTACL_INCLUDE_ACLNN_OPDEV_FP16_T_H_
#define PORTACL_INCLUDE_ACLNN_OPDEV_FP16_T_H_

#ifdef __cplusplus

#include <cstdint>
#include <cstring>

namespace op {

/// Bits of an IEEE 754 binary16 number, with conversions from and to float. To float they are exact; from float they
/// round to nearest, ties to even, beyond 65519 to an infinity.
struct fp16_t {
  uint16_t val;

  fp16_t() : val(0) {}
  fp16_t(float value) : val(FromFloat(value)) {}   // NOLINT(google-explicit-constructor): a number, as float is
  operator float() const { return ToFloat(val); }  // NOLINT(google-explicit-constructor)

 private:
  static uint16_t FromFloat(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    const uint32_t sign = bits >> 16 & 0x8000U;
    bits &= 0x7FFFFFFFU;
    if (bits > 0x7F800000U) return static_cast<uint16_t>(sign | 0x7E00U);
    if (bits >= 0x47800000U) return static_cast<uint16_t>(sign | 0x7C00U);
    uint32_t shift = 13;
    uint32_t digits = bits - 0x38000000U;  // the exponent's bias is 112 less
    if (bits < 0x38800000U) {              // below 2^-14: a multiple of 2^-24
      if (bits < 0x33000000U) return static_cast<uint16_t>(sign);
      shift = 126 - (bits >> 23);
      digits = (bits & 0x7FFFFFU) | 0x800000U;
    }
    const uint32_t rest = digits & ((1U << shift) - 1);
    const uint32_t half = 1U << (shift - 1);
    digits >>= shift;
    if (rest > half || (rest == half && (digits & 1) != 0)) ++digits;
    return static_cast<uint16_t>(sign | digits);
  }

  static float ToFloat(uint16_t half) {
    const uint32_t sign = (half & 0x8000U) << 16;
    const uint32_t exponent = half >> 10 & 0x1FU;
    const uint32_t fraction = half & 0x3FFU;
    uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
    if (exponent == 0x1F) bits = sign | 0x7F800000U | fraction << 13;
    float value = static_cast<float>(fraction) / 16777216.0F;  // a subnormal: a multiple of 2^-24
    if (exponent == 0) return sign != 0 ? -value : value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
};

}  // namespace op

#endif  // __cplusplus

#endif  // PORTACL_INCLUDE_ACLNN_OPDEV_FP16_T_H_
