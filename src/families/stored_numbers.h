// SPDX-License-Identifier: Apache-2.0
//
// Stored elements, and the types in which plain loops compute: integers modulo 2^n, floats in float64, where products
// of shorter floats are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/bfloat16.h"
#include "base/float16.h"

namespace portacl::families {

template <class T>
struct Plain {
  using Stored = T;
  using Computed = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
  static Computed Widen(Stored x) { return static_cast<Computed>(x); }
  static Stored Narrow(Computed x) { return static_cast<Stored>(x); }
};
struct Half {
  using Stored = uint16_t;
  using Computed = double;
  static double Widen(uint16_t x) { return static_cast<double>(Float16ToFloat(x)); }
  static uint16_t Narrow(double x) { return DoubleToFloat16(x); }
};
struct Bfloat {
  using Stored = uint16_t;
  using Computed = double;
  static double Widen(uint16_t x) { return static_cast<double>(Bfloat16ToFloat(x)); }
  static uint16_t Narrow(double x) { return DoubleToBfloat16(x); }
};

template <class Number>
typename Number::Computed LoadNumber(const std::byte* place) {
  typename Number::Stored stored;
  std::memcpy(&stored, place, sizeof(stored));
  return Number::Widen(stored);
}

template <class Number>
void StoreNumber(typename Number::Computed value, std::byte* place) {
  const typename Number::Stored stored = Number::Narrow(value);
  std::memcpy(place, &stored, sizeof(stored));
}

}  // namespace portacl::families
