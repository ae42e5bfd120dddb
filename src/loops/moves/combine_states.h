// SPDX-License-Identifier: Apache-2.0
//
// How the elements of each dtype are stored, and the memory of a destination where they are combined.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "acl/acl_base_rt.h"
#include "base/bfloat16.h"
#include "base/float16.h"
#include "loops/moves/combine.h"

namespace portacl::loops::moves {

// How elements are stored; Number is the type in which they are read.
template <class T, aclDataType kType>
struct Stored {
  using Number = T;
  static constexpr aclDataType kDtype = kType;
  static constexpr int64_t kBytes = sizeof(T);
  static T Load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
  static void Store(T value, std::byte* to) { std::memcpy(to, &value, sizeof(T)); }
};
template <aclDataType kType, float (*kWiden)(uint16_t), uint16_t (*kNarrow)(double)>
struct StoredNarrow {
  using Number = float;
  static constexpr aclDataType kDtype = kType;
  static constexpr int64_t kBytes = sizeof(uint16_t);
  static float Load(const std::byte* from) {
    uint16_t bits;
    std::memcpy(&bits, from, sizeof(bits));
    return kWiden(bits);
  }
  static void Store(double value, std::byte* to) {
    const uint16_t bits = kNarrow(value);
    std::memcpy(to, &bits, sizeof(bits));
  }
};
using StoredFloat = Stored<float, ACL_FLOAT>;
using StoredFloat16 = StoredNarrow<ACL_FLOAT16, Float16ToFloat, DoubleToFloat16>;
using StoredBfloat16 = StoredNarrow<ACL_BF16, Bfloat16ToFloat, DoubleToBfloat16>;
struct StoredBool : Stored<uint8_t, ACL_BOOL> {
  using Number = bool;
  static bool Load(const std::byte* from) { return from[0] != std::byte{0}; }
};

// State classes: the memory of a destination. Take() multiplies with a factor where elements are added.

// For elements of FLOAT and 16 bits. Products of two floats are exact in it.
struct FloatState {
  FloatState() = default;
  explicit FloatState(float x) : sum(static_cast<double>(x)) {}
  static FloatState Take(float x, const Factor& factor) {
    FloatState state;
    state.sum = static_cast<double>(x) * factor.real;
    return state;
  }
  void Add(FloatState x) { sum += x.sum; }
  void Multiply(FloatState x) { sum *= x.sum; }
  bool operator<(FloatState x) const { return sum < x.sum; }
  bool IsNan() const { return sum != sum; }
  void Divide(int64_t by) { sum /= static_cast<double>(by); }
  double Value() const { return sum; }

  double sum;
};

// A sum or product, and what its roundings have lost.
struct DoubleState {
  DoubleState() = default;
  explicit DoubleState(double x) : sum(x), lost(0) {}
  static DoubleState Take(double x, const Factor& factor) {
    DoubleState state(x);
    if (factor.real != 1) state.Multiply(DoubleState(factor.real));
    return state;
  }
  void Add(DoubleState x) {
    const double total = sum + x.sum, added = total - sum;
    lost += (sum - (total - added)) + (x.sum - added) + x.lost;
    sum = total;
  }
  void Multiply(DoubleState x) {
    const double product = sum * x.sum;
    lost = lost * x.sum + std::fma(sum, x.sum, -product);
    sum = product;
  }
  bool operator<(DoubleState x) const { return sum < x.sum; }
  bool IsNan() const { return sum != sum; }
  void Divide(int64_t by) {
    const auto count = static_cast<double>(by);
    const double total = Value(), quotient = total / count;
    if (std::isfinite(quotient)) lost = (std::fma(-quotient, count, total) + ((sum - total) + lost)) / count;
    sum = quotient;
  }
  double Value() const { return std::isfinite(sum) && std::isfinite(lost) ? sum + lost : sum; }

  double sum;
  double lost;
};

template <class T>
struct WholeState {
  using Modular = std::make_unsigned_t<T>;
  WholeState() = default;
  explicit WholeState(T x) : sum(x) {}
  static WholeState Take(T x, const Factor& factor) { return WholeState(Product(x, static_cast<T>(factor.whole))); }
  // In 64 bits, as the product of two unsigned shorts would be one of int.
  static T Product(T a, T b) { return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }
  void Add(WholeState x) { sum = static_cast<T>(static_cast<Modular>(sum) + static_cast<Modular>(x.sum)); }
  void Multiply(WholeState x) { sum = Product(sum, x.sum); }
  bool operator<(WholeState x) const { return sum < x.sum; }
  bool IsNan() const { return false; }
  void Divide(int64_t by) {
    const auto whole = static_cast<int64_t>(sum);
    sum = static_cast<T>(whole / by - (whole < 0 && whole % by != 0 ? 1 : 0));
  }
  T Value() const { return sum; }

  T sum;
};

// A byte that was not combined is kept.
struct BoolState {
  BoolState() = default;
  explicit BoolState(bool x) : sum(x ? 1 : 0) {}
  static BoolState Take(bool x, const Factor& factor) { return BoolState(x && factor.whole != 0); }
  void Add(BoolState x) { sum = sum != 0 || x.sum != 0 ? 1 : 0; }
  void Multiply(BoolState x) { sum = sum != 0 && x.sum != 0 ? 1 : 0; }
  bool operator<(BoolState x) const { return sum < x.sum; }
  bool IsNan() const { return false; }
  void Divide(int64_t) {}
  uint8_t Value() const { return sum; }

  uint8_t sum;
};

template <class E>
struct StateFor {
  using Type = WholeState<typename E::Number>;
};
template <>
struct StateFor<StoredFloat> {
  using Type = FloatState;
};
template <>
struct StateFor<StoredFloat16> {
  using Type = FloatState;
};
template <>
struct StateFor<StoredBfloat16> {
  using Type = FloatState;
};
template <>
struct StateFor<Stored<double, ACL_DOUBLE>> {
  using Type = DoubleState;
};
template <>
struct StateFor<StoredBool> {
  using Type = BoolState;
};

}  // namespace portacl::loops::moves
