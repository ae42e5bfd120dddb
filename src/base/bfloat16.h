// SPDX-License-Identifier: Apache-2.0
// BFLOAT16 (the upper half of a float) as 16-bit patterns: exact widening, narrowing with one rounding to nearest even.
#pragma once

#include <bit>
#include <cstdint>

#include "base/narrow_float.h"

namespace portacl {

constexpr uint16_t FloatToBfloat16(float value) noexcept { return narrow_float::Round<8, 7>(value); }
constexpr uint16_t DoubleToBfloat16(double value) noexcept { return narrow_float::Round<8, 7>(value); }

constexpr float Bfloat16ToFloat(uint16_t bits) noexcept { return std::bit_cast<float>(uint32_t{bits} << 16); }

}  // namespace portacl
