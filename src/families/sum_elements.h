// SPDX-License-Identifier: Apache-2.0
//
// Loads elements for sums: as floats or doubles, one at a time or a register of them. Included once per target.

#if defined(PORTACL_FAMILIES_SUM_ELEMENTS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_FAMILIES_SUM_ELEMENTS_H_
#undef PORTACL_FAMILIES_SUM_ELEMENTS_H_
#else
#define PORTACL_FAMILIES_SUM_ELEMENTS_H_
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "hwy/highway.h"
#include "simd/convert.h"

#ifndef PORTACL_FAMILIES_SUM_ELEMENTS_ONCE
#define PORTACL_FAMILIES_SUM_ELEMENTS_ONCE

namespace portacl::families {

struct Float16Bits {
  uint16_t bits;
};
struct Bfloat16Bits {
  uint16_t bits;
};

}  // namespace portacl::families
#endif

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Element i of a row belongs to state i % kStates, for any register width.
constexpr size_t kStates = 32;
using Doubles = hn::CappedTag<double, kStates / 4>;
using DoubleVector = hn::Vec<Doubles>;

template <class T>
constexpr bool kIsDouble = std::is_same_v<T, double>;

// These types are elements of T for which another value is added: 0 for NaN, the magnitude, the square.
template <class T>
struct NumberOf {
  T value;
};
template <class T>
struct MagnitudeOf {
  T value;
};
template <class T>
struct SquareOf {
  T value;
};

// Whether 16-bit elements may be added as floats.
template <class T>
constexpr bool kIsNarrow = std::is_same_v<T, Float16Bits> || std::is_same_v<T, Bfloat16Bits>;
template <class T>
constexpr bool kIsNarrow<NumberOf<T>> = kIsNarrow<T>;
template <class T>
constexpr bool kIsNarrow<SquareOf<T>> = kIsNarrow<T>;
template <class T>
constexpr bool kIsSquare = false;
template <class T>
constexpr bool kIsSquare<SquareOf<T>> = true;

// Smaller sums of squares may have lost some squares that are too small for a float.
constexpr double kLeastOfSquares = 0x1p-60;

// Whether the sum of groups that were added as floats is valid: four elements may be too large for a float although the
// total is not, or too small.
template <class T>
HWY_INLINE bool Holds(double sum) {
  return std::isfinite(sum) && (!kIsSquare<T> || sum >= kLeastOfSquares);
}
template <class T, class D, class V>
HWY_INLINE auto HoldsLanes(D d, V sum) {
  if constexpr (kIsSquare<T>)
    return hn::And(hn::IsFinite(sum), hn::Ge(sum, hn::Set(d, static_cast<hn::TFromD<D>>(kLeastOfSquares))));
  else
    return hn::IsFinite(sum);
}

// Loads elements as floats, which is exact.
template <class DF>
HWY_INLINE hn::Vec<DF> LoadFloats(DF df, const float* in) {
  return hn::LoadU(df, in);
}
template <class DF, class T>
  requires kIsNarrow<T>
HWY_INLINE hn::Vec<DF> LoadFloats(DF df, const T* in) {
  const hn::Rebind<uint16_t, DF> bits;
  const auto halves = hn::LoadU(bits, reinterpret_cast<const uint16_t*>(in));
  const hn::Rebind<uint32_t, DF> words;
  if constexpr (std::is_same_v<T, Bfloat16Bits>) {
    return hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(words, halves)));
  } else if constexpr (simd::HWY_NAMESPACE::kSplitsEvenAndOdd<hwy::float16_t>) {  // no instructions for float16
    return simd::HWY_NAMESPACE::WidenedFloat16()(df, hn::BitCast(df, hn::PromoteTo(words, halves)));
  } else {
    return hn::PromoteTo(df, hn::BitCast(hn::Rebind<hwy::float16_t, DF>(), halves));
  }
}

template <class DF, class T>
HWY_INLINE hn::Vec<DF> LoadFloats(DF df, const NumberOf<T>* in) {
  const auto x = LoadFloats(df, &in->value);
  return hn::IfThenElseZero(hn::Eq(x, x), x);
}
template <class DF, class T>
HWY_INLINE hn::Vec<DF> LoadFloats(DF df, const MagnitudeOf<T>* in) {
  return hn::Abs(LoadFloats(df, &in->value));
}

template <class DF, class T>
HWY_INLINE hn::Vec<DF> LoadFloats(DF df, const SquareOf<T>* in) {
  const auto x = LoadFloats(df, &in->value);
  return hn::Mul(x, x);
}

// Loads BFLOAT16 elements at even, or at odd positions, among twice as many elements as `df` has lanes. This takes half
// as many instructions as LoadFloats, and none that moves elements between lanes.
template <class T>
constexpr bool kComesInPairs = std::is_same_v<T, Bfloat16Bits>;
template <class T>
constexpr bool kComesInPairs<NumberOf<T>> = kComesInPairs<T>;
template <class T>
constexpr bool kComesInPairs<SquareOf<T>> = kComesInPairs<T>;
template <bool kOdd, class DF>
HWY_INLINE hn::Vec<DF> EverySecond(DF df, const Bfloat16Bits* in) {
  const hn::Rebind<uint32_t, DF> words;
  const auto pairs = hn::LoadU(words, reinterpret_cast<const uint32_t*>(in));
  if constexpr (kOdd)
    return hn::BitCast(df, hn::And(pairs, hn::Set(words, 0xffff0000u)));
  else
    return hn::BitCast(df, hn::ShiftLeft<16>(pairs));
}
template <bool kOdd, class DF, class T>
HWY_INLINE hn::Vec<DF> EverySecond(DF df, const NumberOf<T>* in) {
  const auto x = EverySecond<kOdd>(df, &in->value);
  return hn::IfThenElseZero(hn::Eq(x, x), x);
}
template <bool kOdd, class DF, class T>
HWY_INLINE hn::Vec<DF> EverySecond(DF df, const SquareOf<T>* in) {
  const auto x = EverySecond<kOdd>(df, &in->value);
  return hn::Mul(x, x);
}

// Loads elements as doubles, which is exact, also for squares.
template <class T>
HWY_INLINE DoubleVector LoadWidened(const T* in) {
  return hn::PromoteTo(Doubles(), LoadFloats(hn::Rebind<float, Doubles>(), in));
}
template <>
HWY_INLINE DoubleVector LoadWidened(const double* in) {
  return hn::LoadU(Doubles(), in);
}
template <class T>
HWY_INLINE DoubleVector LoadWidened(const SquareOf<T>* in) {
  const auto x = LoadWidened(&in->value);
  return hn::Mul(x, x);
}

inline double ToDouble(double x) { return x; }
inline float ToFloat(float x) { return x; }
inline float ToFloat(Float16Bits x) { return Float16ToFloat(x.bits); }
inline float ToFloat(Bfloat16Bits x) { return Bfloat16ToFloat(x.bits); }
template <class T>
float ToFloat(NumberOf<T> x) {
  const float value = ToFloat(x.value);
  return value == value ? value : 0;
}
template <class T>
float ToFloat(MagnitudeOf<T> x) {
  return std::abs(ToFloat(x.value));
}
template <class T>
float ToFloat(SquareOf<T> x) {
  return ToFloat(x.value) * ToFloat(x.value);
}
template <class T>
double ToDouble(T x) {
  return static_cast<double>(ToFloat(x));
}
template <class T>
double ToDouble(SquareOf<T> x) {
  return ToDouble(x.value) * ToDouble(x.value);
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
