// SPDX-License-Identifier: Apache-2.0
// The number formats of tensors: how their elements are written and read, and how far apart their numbers lie.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "acl/acl.h"

struct Format {
  const char* name;
  aclDataType type;
  size_t bytes;
  int precision;     // bits of the significand
  int min_exponent;  // of the smallest normal number
};

constexpr Format kFormats[] = {
    {"FLOAT", ACL_FLOAT, 4, 24, -126}, {"FLOAT16", ACL_FLOAT16, 2, 11, -14}, {"BFLOAT16", ACL_BF16, 2, 8, -126}};

inline void Store(const Format& format, float value, unsigned char* element) {
  if (format.type == ACL_FLOAT) {
    std::memcpy(element, &value, sizeof value);
    return;
  }
  uint16_t bits;
  if (format.type == ACL_FLOAT16) {
    bits = aclFloatToFloat16(value);
  } else {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof wide);
    bits = static_cast<uint16_t>((wide + 0x7fff + ((wide >> 16) & 1)) >> 16);  // half-way cases to the even neighbour
  }
  std::memcpy(element, &bits, sizeof bits);
}

inline float Load(const Format& format, const unsigned char* element) {
  float value;
  if (format.type == ACL_FLOAT) {
    std::memcpy(&value, element, sizeof value);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, element, sizeof bits);
  if (format.type == ACL_FLOAT16) return aclFloat16ToFloat(bits);
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

// |got - exact| in units of the last place that `format` has at `exact`.
inline double UlpDistance(const Format& format, float got, double exact) {
  if (exact == 0) return got == 0 ? 0 : INFINITY;
  const int exponent = std::max(std::ilogb(exact), format.min_exponent);
  return std::fabs(static_cast<double>(got) - exact) / std::ldexp(1.0, exponent - (format.precision - 1));
}
