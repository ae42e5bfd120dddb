// SPDX-License-Identifier: Apache-2.0
// IEEE binary16 (FLOAT16) as 16-bit patterns: exact widening, narrowing with one rounding to nearest even.
// The C functions aclFloatToFloat16 and aclFloat16ToFloat follow other rules at the limits of the range; see
// float16.cc.
#pragma once

#include <bit>
#include <cstdint>

#include "base/narrow_float.h"

namespace portacl {

constexpr uint16_t FloatToFloat16(float value) noexcept { return narrow_float::Round<5, 10>(value); }
constexpr uint16_t DoubleToFloat16(double value) noexcept { return narrow_float::Round<5, 10>(value); }

constexpr float Float16ToFloat(uint16_t bits) noexcept {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t field = (bits >> 10) & 31u;
  const uint32_t fraction = bits & 0x3FFu;
  if (field == 31) return std::bit_cast<float>(sign | 0x7F800000u | (fraction << 13));
  if (field != 0) return std::bit_cast<float>(sign | ((field + 112) << 23) | (fraction << 13));
  if (fraction == 0) return std::bit_cast<float>(sign);
  // A subnormal fraction is shifted until its leading bit becomes the hidden one.
  const uint32_t up = static_cast<uint32_t>(std::countl_zero(fraction)) - 21;
  return std::bit_cast<float>(sign | ((113 - up) << 23) | (((fraction << up) & 0x3FFu) << 13));
}

}  // namespace portacl
