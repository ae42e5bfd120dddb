// SPDX-License-Identifier: Apache-2.0
//
// Single elements of each dtype as float64, for what lies scattered in memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "acl/acl_base_rt.h"
#include "base/bfloat16.h"
#include "base/float16.h"

namespace portacl::ops::ctc_loss {

template <class Word>
Word LoadWord(const std::byte* at) {
  Word word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

// kLeast: differences of probabilities below it count as 0, as no subnormal is made that the data does not ask for.
// Narrow results are rounded to float32 first, as if they had been computed there.

struct DoubleElement {
  static constexpr double kLeast = 0;
  static float LoadFloat(const std::byte* at) { return static_cast<float>(LoadWord<double>(at)); }
  static double Load(const std::byte* at) { return LoadWord<double>(at); }
  static void Store(double value, std::byte* at) { std::memcpy(at, &value, sizeof(value)); }
};

struct FloatElement {
  static constexpr double kLeast = 0x1p-126;
  static float LoadFloat(const std::byte* at) { return LoadWord<float>(at); }
  static double Load(const std::byte* at) { return static_cast<double>(LoadFloat(at)); }
  static void Store(double value, std::byte* at) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(at, &narrow, sizeof(narrow));
  }
};

struct Float16Element {
  static constexpr double kLeast = 0x1p-126;
  static float LoadFloat(const std::byte* at) { return Float16ToFloat(LoadWord<uint16_t>(at)); }
  static double Load(const std::byte* at) { return static_cast<double>(LoadFloat(at)); }
  static void Store(double value, std::byte* at) {
    const uint16_t bits = FloatToFloat16(static_cast<float>(value));
    std::memcpy(at, &bits, sizeof(bits));
  }
};

struct Bfloat16Element {
  static constexpr double kLeast = 0x1p-126;
  static float LoadFloat(const std::byte* at) { return Bfloat16ToFloat(LoadWord<uint16_t>(at)); }
  static double Load(const std::byte* at) { return static_cast<double>(LoadFloat(at)); }
  static void Store(double value, std::byte* at) {
    const uint16_t bits = FloatToBfloat16(static_cast<float>(value));
    std::memcpy(at, &bits, sizeof(bits));
  }
};

/// f(Element()) for the element type of the dtype: one of the four.
template <class F>
auto WithElement(aclDataType dtype, const F& f) {
  switch (dtype) {
    case ACL_FLOAT:
      return f(FloatElement());
    case ACL_FLOAT16:
      return f(Float16Element());
    case ACL_BF16:
      return f(Bfloat16Element());
    default:
      return f(DoubleElement());
  }
}

}  // namespace portacl::ops::ctc_loss
