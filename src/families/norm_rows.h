// SPDX-License-Identifier: Apache-2.0
//
// The steps of normalisations on a row: sums of it in float64, and elements computed from it. Included once per target.

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
#include "loops/tiles/tile.h"
#include "simd/row.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using simd::FloatLanes;
using simd::FloatVector;
using simd::Stored;
using DoubleLanes = hn::ScalableTag<double>;
using DoubleVector = hn::VFromD<DoubleLanes>;

/// Loads elements of T as floats, for SumInDouble.
template <class T>
struct RowSource {
  static constexpr bool kTakesEveryOther = false;
  const Stored<T>* x;
  template <class... N>
  HWY_INLINE FloatVector operator()(size_t i, N... n) const {
    return simd::LoadFloats<T>(x + i, n...);
  }
};

// Half a register of floats: as many as a register of doubles has.
using FewFloatLanes = hn::Rebind<float, DoubleLanes>;

/// Loads elements of T at x, as many as a register of doubles has, or the first n of them and zeros.
template <class T, class... N>
HWY_INLINE hn::VFromD<FewFloatLanes> LoadFew(const Stored<T>* x, N... n) {
  const FewFloatLanes d;
  const auto load = [=](auto lanes) HWY_ATTR {
    if constexpr (sizeof...(N) != 0) {
      return simd::LoadTail(lanes, x, n...);
    } else {
      return hn::LoadU(lanes, x);
    }
  };
  if constexpr (std::is_same_v<T, float>) {
    return load(d);
  } else {
    const hn::Rebind<uint16_t, DoubleLanes> bits;
    const hn::Rebind<uint32_t, DoubleLanes> words;
    if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
      return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(words, load(bits))));
    } else if constexpr (simd::kSplitsEvenAndOdd<T>) {  // there are no instructions for float16
      return simd::WidenedFloat16()(d, hn::BitCast(d, hn::PromoteTo(words, load(bits))));
    } else {
      return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, DoubleLanes>(), load(bits)));
    }
  }
}

/// Loads a register of elements of T at x to two half registers of floats, in an order that depends on T.
template <class T>
HWY_INLINE void LoadPair(const Stored<T>* x, hn::VFromD<FewFloatLanes>& a, hn::VFromD<FewFloatLanes>& b) {
  if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
    const FewFloatLanes d;
    const hn::Rebind<uint32_t, DoubleLanes> words;
    const auto pairs = hn::LoadU(words, reinterpret_cast<const uint32_t*>(x));
    a = hn::BitCast(d, hn::ShiftLeft<16>(pairs));
    b = hn::BitCast(d, hn::And(pairs, hn::Set(words, 0xFFFF0000u)));
  } else {
    a = LoadFew<T>(x);
    b = LoadFew<T>(x + hn::Lanes(DoubleLanes()));
  }
}

// Widens a register of floats to two of doubles.
HWY_INLINE void Widen(FloatVector v, DoubleVector& a, DoubleVector& b) {
  const hn::Half<FloatLanes> half;
  a = hn::PromoteTo(DoubleLanes(), hn::LowerHalf(half, v));
  b = hn::PromoteTo(DoubleLanes(), hn::UpperHalf(half, v));
}

// Loads the register of floats from element i on as two of doubles, in any order.
template <class Source>
HWY_INLINE void LoadDoubles(const Source& source, size_t i, DoubleVector& a, DoubleVector& b) {
  Widen(source(i), a, b);
}
// The same without a full register, which would have to be split.
template <class T>
HWY_INLINE void LoadDoubles(const RowSource<T>& source, size_t i, DoubleVector& a, DoubleVector& b) {
  hn::VFromD<FewFloatLanes> first = hn::Zero(FewFloatLanes());
  hn::VFromD<FewFloatLanes> second = first;
  LoadPair<T>(source.x + i, first, second);
  a = hn::PromoteTo(DoubleLanes(), first);
  b = hn::PromoteTo(DoubleLanes(), second);
}

/// sum + x. Where multiply-add has execution units of its own, it leaves those for additions free for widening.
HWY_INLINE DoubleVector Increased(DoubleVector sum, DoubleVector x) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::MulAdd(x, hn::Set(DoubleLanes(), 1.0), sum);
#else
  return hn::Add(sum, x);
#endif
}

/// The sum over i < n in float64. `source(i)` returns the register of floats from element i on, `source(i, m)` its
/// first m elements. add(x, sum) adds half a register of them to a sum. The order of elements does not matter.
template <class Source, class Add>
PORTACL_LANE_INLINE double SumInDouble(size_t n, const Source& source, const Add& add) {
  const FloatLanes d;
  const DoubleLanes dd;
  const size_t lanes = hn::Lanes(d);
  DoubleVector sum0 = hn::Zero(dd), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  DoubleVector a = sum0, b = sum0;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    LoadDoubles(source, i, a, b);
    sum0 = add(a, sum0);
    sum1 = add(b, sum1);
    LoadDoubles(source, i + lanes, a, b);
    sum2 = add(a, sum2);
    sum3 = add(b, sum3);
  }
  if (i + lanes <= n) {
    LoadDoubles(source, i, a, b);
    sum0 = add(a, sum0);
    sum1 = add(b, sum1);
    i += lanes;
  }
  if (i < n) {
    Widen(source(i, n - i), a, b);
    const size_t of_half = hn::Lanes(dd);
    const size_t lower = std::min(n - i, of_half);
    const size_t upper = n - i - lower;
    sum2 = hn::IfThenElse(hn::FirstN(dd, lower), add(a, sum2), sum2);
    sum3 = hn::IfThenElse(hn::FirstN(dd, upper), add(b, sum3), sum3);
  }
  return hn::GetLane(hn::SumOfLanes(dd, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

struct AddSquares {
  double mean;
  HWY_INLINE DoubleVector operator()(DoubleVector x, DoubleVector sum) const {
    const DoubleVector distance = hn::Sub(x, hn::Set(DoubleLanes(), mean));
    return hn::MulAdd(distance, distance, sum);
  }
};

/// The mean of (x - mean)^2.
template <class T>
HWY_INLINE double MeanSquareOf(const Stored<T>* x, size_t n, double mean) {
  return SumInDouble(n, RowSource<T>{x}, AddSquares{mean}) / static_cast<double>(n);
}

// The sums of x and of x^2; the squares are exact.
struct Powers {
  double sum;
  double squares;
};

template <class T>
PORTACL_LANE_INLINE Powers PowersOf(const Stored<T>* x, size_t n) {
  const RowSource<T> source{x};
  const size_t lanes = hn::Lanes(FloatLanes());
  const DoubleLanes dd;
  DoubleVector sum0 = hn::Zero(dd), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  DoubleVector squares0 = sum0, squares1 = sum0, squares2 = sum0, squares3 = sum0;
  DoubleVector a = sum0, b = sum0;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    LoadDoubles(source, i, a, b);
    sum0 = Increased(sum0, a);
    sum1 = Increased(sum1, b);
    squares0 = hn::MulAdd(a, a, squares0);
    squares1 = hn::MulAdd(b, b, squares1);
    LoadDoubles(source, i + lanes, a, b);
    sum2 = Increased(sum2, a);
    sum3 = Increased(sum3, b);
    squares2 = hn::MulAdd(a, a, squares2);
    squares3 = hn::MulAdd(b, b, squares3);
  }
  if (i + lanes <= n) {
    LoadDoubles(source, i, a, b);
    sum0 = Increased(sum0, a);
    sum1 = Increased(sum1, b);
    squares0 = hn::MulAdd(a, a, squares0);
    squares1 = hn::MulAdd(b, b, squares1);
    i += lanes;
  }
  if (i < n) {
    Widen(source(i, n - i), a, b);
    sum2 = Increased(sum2, a);
    sum3 = Increased(sum3, b);
    squares2 = hn::MulAdd(a, a, squares2);
    squares3 = hn::MulAdd(b, b, squares3);
  }
  return {hn::GetLane(hn::SumOfLanes(dd, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)))),
          hn::GetLane(hn::SumOfLanes(dd, hn::Add(hn::Add(squares0, squares1), hn::Add(squares2, squares3))))};
}

/// The mean of a row, and the mean of (x - mean)^2.
struct Moments {
  double mean;
  double variance;
};

/// Uses a single sweep if mean x^2 - mean^2 loses at most six bits, as float64 has 29 bits to spare. Otherwise, and if
/// elements are infinite or NaN, a second sweep sums (x - mean)^2.
template <class T>
HWY_INLINE Moments MomentsOf(const Stored<T>* x, size_t n) {
  constexpr double kMostOfVariance = 64;
  const auto count = static_cast<double>(n);
  const Powers powers = PowersOf<T>(x, n);
  const double mean = powers.sum / count;
  const double mean_square = powers.squares / count;
  const double variance = mean_square - mean * mean;
  if (mean_square <= kMostOfVariance * variance) return {mean, variance};
  return {mean, MeanSquareOf<T>(x, n, mean)};
}

HWY_INLINE float ReciprocalRoot(double variance, float eps) {
  return static_cast<float>(1 / std::sqrt(variance + double{eps}));
}

/// (x - mean) rstd, with the mean as two floats: x - high is rounded once, and exact for x near the mean.
struct NormalScale {
  NormalScale(double mean, float scale)
      : high(static_cast<float>(mean)), low(static_cast<float>(mean - double{high})), rstd(scale) {}
  // Two subtractions, because with one multiply-add by low rstd, rows take 10 % longer on Zen 4.
  HWY_INLINE FloatVector NormalOf(FloatVector x) const {
    const FloatLanes d;
    return hn::Mul(hn::Sub(hn::Sub(x, hn::Set(d, high)), hn::Set(d, low)), hn::Set(d, rstd));
  }
  float high;
  float low;
  float rstd;
};

/// A place: the elements at even, or at odd positions of the two registers from `first` on.
template <bool kOdd>
struct EveryOther {
  size_t first;
};

/// Loads a register of elements of T: from x[i] on, the first `n` of them, or every other one.
template <class T, class... N>
HWY_INLINE FloatVector LoadAt(const Stored<T>* x, size_t i, N... n) {
  return simd::LoadFloats<T>(x + i, n...);
}
template <class T, bool kOdd>
HWY_INLINE FloatVector LoadAt(const Stored<T>* x, EveryOther<kOdd> place) {
  static_assert(std::is_same_v<T, hwy::bfloat16_t>);
  const simd::HalfVector v = hn::LoadU(simd::HalfLanes(), x + place.first);
  if constexpr (kOdd) {
    return simd::WidenSecond<T>(v);
  } else {
    return simd::WidenFirst<T>(v);
  }
}

/// Parameters of dtype P for results of T. If results are BFLOAT16, each NaN is replaced by one whose rounding carries
/// nothing.
template <class P, class T, class D, class V>
HWY_INLINE V AsParameters(D d, V v) {
  if constexpr (std::is_same_v<T, hwy::bfloat16_t> && !std::is_same_v<P, T>) {
    return hn::IfThenElse(hn::IsNaN(v), hn::Set(d, std::numeric_limits<float>::quiet_NaN()), v);
  } else {
    return v;
  }
}
template <class P, class T, class... Place>
HWY_INLINE FloatVector LoadParameters(const Stored<P>* from, Place... place) {
  return AsParameters<P, T>(FloatLanes(), LoadAt<P>(from, place...));
}

/// (input - mean) rstd weight + bias. A null weight counts as 1, a null bias as 0; with kBoth, neither is null.
template <class T, class P, bool kBoth>
struct NormalElements {
  static constexpr bool kTakesEveryOther = std::is_same_v<T, hwy::bfloat16_t> && std::is_same_v<P, T>;
  const Stored<T>* input;
  const Stored<P>* weight;
  const Stored<P>* bias;
  NormalScale scale;

  template <class... Place>
  PORTACL_LANE_INLINE FloatVector operator()(Place... place) const {
    FloatVector y = scale.NormalOf(LoadAt<T>(input, place...));
    if constexpr (kBoth)
      return hn::MulAdd(y, LoadParameters<P, T>(weight, place...), LoadParameters<P, T>(bias, place...));
    if (weight != nullptr) y = hn::Mul(y, LoadParameters<P, T>(weight, place...));
    if (bias != nullptr) y = hn::Add(y, LoadParameters<P, T>(bias, place...));
    return y;
  }
};

/// The interface of simd::StoreRow for a row whose registers are f(i), or f(i, m) for the first m elements.
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
    if constexpr (kJoins && F::kTakesEveryOther) {
      return simd::JoinBfloat16(f(EveryOther<false>{at + i}), f(EveryOther<true>{at + i}));
    } else if constexpr (kJoins) {
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

/// to[i] = element i of f, rounded once. With non-temporal stores, the caller must call hwy::FlushStream().
template <class T, class F>
PORTACL_LANE_INLINE void StoreElements(Stored<T>* to, size_t n, bool non_temporal, const F& f) {
  simd::StoreRow(typename RowElements<T, F>::Lanes(), to, n, non_temporal, false, RowElements<T, F>{f, 0});
}

/// to[i] = (input[i] - mean) rstd weight[i] + bias[i].
template <class T, class P>
HWY_INLINE void StoreNormalElements(Stored<T>* to, size_t n, bool non_temporal, const Stored<T>* input,
                                    const Stored<P>* weight, const Stored<P>* bias, const NormalScale& scale) {
  const bool both = HWY_TARGET != HWY_EMU128 && weight != nullptr && bias != nullptr;  // keeps the fallback small
  if (both) {
    StoreElements<T>(to, n, non_temporal, NormalElements<T, P, true>{input, weight, bias, scale});
  } else {
    StoreElements<T>(to, n, non_temporal, NormalElements<T, P, false>{input, weight, bias, scale});
  }
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
