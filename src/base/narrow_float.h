// SPDX-License-Identifier: Apache-2.0
// Rounds float and double to a 16-bit format with one rounding, to nearest even, with integer arithmetic only: the
// result depends neither on the rounding mode of the calling thread nor on its flush-to-zero mode.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace portacl::narrow_float {

/// The bits of the 16-bit value nearest to `value`. Subnormals are kept, overflow gives infinity, and NaN becomes a
/// quiet NaN.
template <int kExponentBits, int kMantissaBits, class Source>
constexpr uint16_t Round(Source value) noexcept {
  constexpr bool kFromDouble = std::is_same_v<Source, double>;
  static_assert(kFromDouble || std::is_same_v<Source, float>);
  static_assert(kExponentBits + kMantissaBits == 15);
  constexpr int kSourceMantissa = kFromDouble ? 52 : 23;
  constexpr int kSourceExponent = kFromDouble ? 11 : 8;
  constexpr int kSourceMaxField = (1 << kSourceExponent) - 1;
  constexpr int kSourceBias = kSourceMaxField >> 1;
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr int kLeastUlp = 1 - kBias - kMantissaBits;  // exponent of the unit in the last place of a subnormal
  constexpr int64_t kInfinity = int64_t{(1 << kExponentBits) - 1} << kMantissaBits;

  const uint64_t bits = std::bit_cast<std::conditional_t<kFromDouble, uint64_t, uint32_t>>(value);
  const uint64_t fraction = bits & ((uint64_t{1} << kSourceMantissa) - 1);
  const int field = static_cast<int>(bits >> kSourceMantissa) & kSourceMaxField;
  const uint16_t sign = static_cast<uint16_t>((bits >> (kSourceMantissa + kSourceExponent)) << 15);

  if (field == kSourceMaxField) {
    if (fraction == 0) return static_cast<uint16_t>(sign | kInfinity);
    const uint64_t payload = fraction >> (kSourceMantissa - kMantissaBits);
    constexpr uint64_t kQuiet = uint64_t{1} << (kMantissaBits - 1);
    return static_cast<uint16_t>(sign | static_cast<uint64_t>(kInfinity) | kQuiet | payload);
  }

  const uint64_t significand = field == 0 ? fraction : fraction | (uint64_t{1} << kSourceMantissa);
  const int exponent = (field == 0 ? 1 : field) - kSourceBias;
  const int ulp = exponent - kMantissaBits > kLeastUlp ? exponent - kMantissaBits : kLeastUlp;
  const int shift = ulp - (exponent - kSourceMantissa);
  // Less than half of the smallest subnormal; the shift would also exceed 64 bits.
  if (shift >= kSourceMantissa + 2) return sign;
  const uint64_t odd = (significand >> shift) & 1;
  const uint64_t rounded = (significand + (uint64_t{1} << (shift - 1)) - 1 + odd) >> shift;
  // The addition also adds the hidden bit of a normal value, or a carry out of the fraction, to the exponent field.
  const int64_t magnitude = (int64_t{ulp - kLeastUlp} << kMantissaBits) + static_cast<int64_t>(rounded);
  return static_cast<uint16_t>(sign | (magnitude < kInfinity ? magnitude : kInfinity));
}

}  // namespace portacl::narrow_float
