// SPDX-License-Identifier: Apache-2.0
//
// What lane code of normalisations does with a row: sums of it in float64, and elements computed from it. Included once
// per target.

#if defined(PORTACL_FAMILIES_NORM_ROWS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_FAMILIES_NORM_ROWS_H_
#undef PORTACL_FAMILIES_NORM_ROWS_H_
#else
#define PORTACL_FAMILIES_NORM_ROWS_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "loops/tile.h"
#include "simd/row.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using simd::FloatLanes;
using simd::FloatVector;
using simd::Stored;
using DoubleLanes = hn::ScalableTag<double>;
using DoubleVector = hn::VFromD<DoubleLanes>;

/// The sum over i < n in float64: `source(i)` is the register of floats from element i on, `source(i, m)` its first m
/// elements, and add(x, sum) what half a register of them adds. Elements may be summed whatever their size.
template <class Source, class Add>
PORTACL_LANE_INLINE double SumInDouble(size_t n, const Source& source, const Add& add) {
  const FloatLanes d;
  const hn::Half<FloatLanes> half;
  const DoubleLanes dd;
  const size_t lanes = hn::Lanes(d);
  DoubleVector sum0 = hn::Zero(dd), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const FloatVector a = source(i);
    const FloatVector b = source(i + lanes);
    sum0 = add(hn::PromoteTo(dd, hn::LowerHalf(half, a)), sum0);
    sum1 = add(hn::PromoteTo(dd, hn::UpperHalf(half, a)), sum1);
    sum2 = add(hn::PromoteTo(dd, hn::LowerHalf(half, b)), sum2);
    sum3 = add(hn::PromoteTo(dd, hn::UpperHalf(half, b)), sum3);
  }
  if (i + lanes <= n) {
    const FloatVector a = source(i);
    sum0 = add(hn::PromoteTo(dd, hn::LowerHalf(half, a)), sum0);
    sum1 = add(hn::PromoteTo(dd, hn::UpperHalf(half, a)), sum1);
    i += lanes;
  }
  if (i < n) {
    const FloatVector a = source(i, n - i);
    const size_t of_half = hn::Lanes(dd);
    const size_t lower = std::min(n - i, of_half);
    const size_t upper = n - i - lower;
    sum2 = hn::IfThenElse(hn::FirstN(dd, lower), add(hn::PromoteTo(dd, hn::LowerHalf(half, a)), sum2), sum2);
    sum3 = hn::IfThenElse(hn::FirstN(dd, upper), add(hn::PromoteTo(dd, hn::UpperHalf(half, a)), sum3), sum3);
  }
  return hn::GetLane(hn::SumOfLanes(dd, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

/// Elements of T as floats, for SumInDouble.
template <class T>
struct RowSource {
  const Stored<T>* x;
  template <class... N>
  HWY_INLINE FloatVector operator()(size_t i, N... n) const {
    return simd::LoadFloats<T>(x + i, n...);
  }
};

/// The same, and asks for as many bytes behind the row: the next one comes from memory while this one is computed. Short
/// rows alone, of which the hardware knows none before it begins.
template <class T>
struct RowSourceWithNext {
  const Stored<T>* x;
  size_t ahead;
  HWY_INLINE FloatVector operator()(size_t i) const {
    hwy::Prefetch(x + i + ahead);
    return simd::LoadFloats<T>(x + i);
  }
  HWY_INLINE FloatVector operator()(size_t i, size_t n) const { return simd::LoadFloats<T>(x + i, n); }
};

struct AddElements {
  HWY_INLINE DoubleVector operator()(DoubleVector x, DoubleVector sum) const { return hn::Add(sum, x); }
};
struct AddSquares {
  double mean;
  HWY_INLINE DoubleVector operator()(DoubleVector x, DoubleVector sum) const {
    const DoubleVector distance = hn::Sub(x, hn::Set(DoubleLanes(), mean));
    return hn::MulAdd(distance, distance, sum);
  }
};

template <class T>
HWY_INLINE double MeanOf(const Stored<T>* x, size_t n) {
  return SumInDouble(n, RowSource<T>{x}, AddElements()) / static_cast<double>(n);
}

/// The mean of (x - mean)^2.
template <class T>
HWY_INLINE double MeanSquareOf(const Stored<T>* x, size_t n, double mean) {
  constexpr size_t kShortRowBytes = 16 << 10;
  if (n * sizeof(*x) > kShortRowBytes)
    return SumInDouble(n, RowSource<T>{x}, AddSquares{mean}) / static_cast<double>(n);
  return SumInDouble(n, RowSourceWithNext<T>{x, n}, AddSquares{mean}) / static_cast<double>(n);
}

HWY_INLINE float ReciprocalRoot(double variance, float eps) {
  return static_cast<float>(1 / std::sqrt(variance + double{eps}));
}

/// A mean in two floats: x - high is rounded once, and next to the mean not at all.
struct SplitMean {
  explicit SplitMean(double mean)
      : high(static_cast<float>(mean)), low(static_cast<float>(mean - double{static_cast<float>(mean)})) {}
  HWY_INLINE FloatVector DistanceOf(FloatVector x) const {
    const FloatLanes d;
    return hn::Sub(hn::Sub(x, hn::Set(d, high)), hn::Set(d, low));
  }
  float high;
  float low;
};

/// Elements of P, in the results of T: where these are BFLOAT16, no NaN has bits that their rounding would carry.
template <class P, class T, class... N>
HWY_INLINE FloatVector LoadParameters(const Stored<P>* from, N... n) {
  const FloatVector v = simd::LoadFloats<P>(from, n...);
  if constexpr (std::is_same_v<T, hwy::bfloat16_t> && !std::is_same_v<P, T>) {
    const FloatVector nan = hn::Set(FloatLanes(), std::numeric_limits<float>::quiet_NaN());
    return hn::IfThenElse(hn::IsNaN(v), nan, v);
  } else {
    return v;
  }
}

/// (input - mean) rstd weight + bias. Null weights are 1, null biases 0.
template <class T, class P>
struct NormalElements {
  const Stored<T>* input;
  const Stored<P>* weight;
  const Stored<P>* bias;
  SplitMean mean;
  float rstd;

  template <class... N>
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, N... n) const {
    FloatVector y = hn::Mul(mean.DistanceOf(simd::LoadFloats<T>(input + i, n...)), hn::Set(FloatLanes(), rstd));
    if (weight != nullptr) y = hn::Mul(y, LoadParameters<P, T>(weight + i, n...));
    if (bias != nullptr) y = hn::Add(y, LoadParameters<P, T>(bias + i, n...));
    return y;
  }
};

/// What simd::StoreRow asks of a row whose registers f(i), or f(i, m) for the first m elements, are.
template <class T, class F>
struct RowElements {
  static constexpr bool kJoins = std::is_same_v<T, hwy::bfloat16_t>;
  using Lanes = std::conditional_t<kJoins, simd::HalfLanes, simd::StoredLanes<T>>;
  const F& f;
  size_t at;

  HWY_INLINE RowElements From(size_t i) const { return {f, at + i}; }
  static constexpr void FetchNext() {}
  static constexpr bool IsOpen() { return true; }
  template <bool kMasked>
  HWY_INLINE hn::VFromD<Lanes> At(size_t i) const {
    if constexpr (kJoins) {
      return simd::ConcatBfloat16(f(at + i), f(at + i + hn::Lanes(FloatLanes())));
    } else {
      return simd::FromFloats<T>(f(at + i));
    }
  }
  PORTACL_LANE_INLINE hn::VFromD<Lanes> First(size_t i, size_t n) const {
    if constexpr (kJoins) {
      const size_t lanes = hn::Lanes(FloatLanes());
      if (n <= lanes) return simd::ConcatBfloat16(f(at + i, n), hn::Zero(FloatLanes()));
      return simd::ConcatBfloat16(f(at + i), f(at + i + lanes, n - lanes));
    } else {
      return simd::FromFloats<T>(f(at + i, n));
    }
  }
};

/// to[i] = element i of f, rounded once. Around the cache the caller owes an hwy::FlushStream().
template <class T, class F>
PORTACL_LANE_INLINE void StoreElements(Stored<T>* to, size_t n, bool non_temporal, const F& f) {
  simd::StoreRow(typename RowElements<T, F>::Lanes(), to, n, non_temporal, false, RowElements<T, F>{f, 0});
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
