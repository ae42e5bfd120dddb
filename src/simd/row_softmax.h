// SPDX-License-Identifier: Apache-2.0
//
// The steps of softmax operators on a row: its largest element, exponentials of the differences from it, and quotients.
// Included once per target.

#if defined(PORTACL_SIMD_ROW_SOFTMAX_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_ROW_SOFTMAX_H_
#undef PORTACL_SIMD_ROW_SOFTMAX_H_
#else
#define PORTACL_SIMD_ROW_SOFTMAX_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "simd/exp.h"
#include "simd/row.h"
#include "simd/row_sum.h"
#include "simd/short_rows.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_EMU128
inline constexpr bool kFused = false;
#else
inline constexpr bool kFused = true;
#endif

/// Below this exponent, e^x is subnormal and counts as 0.
inline constexpr float kLeastExponent = -0x1.5d589ep6f;
inline constexpr double kLeastExponentOfDouble = -0x1.6232bdd7abcd2p9;

/// The largest of n > 0 elements. f(i) returns a register from element i on; f(i, m) returns its first m elements, and
/// -inf in the other lanes. If any element is NaN, the result is NaN or the largest of the other elements.
template <class F>
HWY_INLINE float LargestOf(size_t n, const F& f) {
  const FloatLanes d;
  const size_t lanes = hn::Lanes(d);
  FloatVector even = hn::Set(d, -__builtin_inff());
  FloatVector odd = even;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    even = hn::Max(f(i), even);
    odd = hn::Max(f(i + lanes), odd);
  }
  if (i + lanes <= n) {
    even = hn::Max(f(i), even);
    i += lanes;
  }
  if (i < n) odd = hn::Max(f(i, n - i), odd);
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(even, odd)));
}

/// e^(x - most) for x not larger than `most`; 0 where that is subnormal, NaN where both are infinite. Largest error 1.1
/// ULP of FLOAT for all such x; kNarrow omits precision that 16-bit results cannot show. `difference` is x - most,
/// rounded.
template <bool kNarrow, class D, class V>
HWY_INLINE V ExpBelow(D d, V x, V most, V& difference) {
  difference = hn::Sub(x, most);
  if constexpr (std::is_same_v<hn::TFromD<D>, double>) {
    const auto skip = hn::Lt(difference, hn::Set(d, kLeastExponentOfDouble));
    const V x_part = hn::Sub(difference, x);
    const V rest = hn::Sub(hn::Sub(x, hn::Sub(difference, x_part)), hn::Add(most, x_part));
    V n = hn::Undefined(d);
    const V e = ExpInParts<false>(d, hn::IfThenZeroElse(skip, difference), rest, n);
    return hn::IfThenZeroElse(skip, hn::Mul(e, PowerOfTwo(d, n)));
  } else {
    const auto skip = hn::Lt(difference, hn::Set(d, kLeastExponent));
    const V kept = hn::IfThenZeroElse(skip, difference);
    if constexpr (kNarrow) return hn::IfThenZeroElse(skip, Exp<true>(d, kept));
    // Ignoring the rounding error of the difference would cost the exponential 32 ULP, if the difference is -87.
    const V x_part = hn::Sub(difference, x);
    const V rest = hn::Sub(hn::Sub(x, hn::Sub(difference, x_part)), hn::Add(most, x_part));
    const V shifted = ShiftedExponent(d, kept);
    const V r = WithoutPowersOfTwo(d, kept, hn::Sub(shifted, hn::Set(d, kExpShift)));
    return hn::IfThenZeroElse(skip, ExpOfParts<false>(d, hn::Add(r, rest), shifted));
  }
}

/// 2^32 / sum, and its rounding error.
inline constexpr float kQuotientScale = 0x1p32f;

HWY_INLINE FloatVector ReciprocalOf(FloatVector sum) { return hn::Div(hn::Set(FloatLanes(), kQuotientScale), sum); }
HWY_INLINE FloatVector ReciprocalRest(FloatVector sum, FloatVector reciprocal) {
  const FloatLanes d;
  // Multiplies by the reciprocal, because a second division would wait for the first one; few bits of the error matter.
  return hn::Mul(hn::NegMulAdd(reciprocal, sum, hn::Set(d, kQuotientScale)),
                 hn::Mul(reciprocal, hn::Set(d, 1 / kQuotientScale)));
}

/// e / sum, or 0 where that is subnormal. The select is before the last product, which would become subnormal; this is
/// also why the factor 2^32 is removed last. kNarrow ignores `rest`.
template <bool kNarrow, class D, class V>
HWY_INLINE V ScaledQuotient(D d, V e, V reciprocal, V rest) {
  V y = hn::Mul(e, kNarrow ? reciprocal : rest);
  if constexpr (!kNarrow) y = hn::MulAdd(e, reciprocal, y);
  const auto is_subnormal = hn::Lt(y, hn::Set(d, kQuotientScale * 0x1p-126f));
  return hn::Mul(hn::IfThenZeroElse(is_subnormal, y), hn::Set(d, 1 / kQuotientScale));
}
template <class T>
HWY_INLINE FloatVector Quotient(FloatVector e, FloatVector reciprocal, FloatVector rest) {
  return ScaledQuotient < sizeof(T) == 2 > (FloatLanes(), e, reciprocal, rest);
}

/// Exponentials divided by their sum, for StoreRow. Two registers of exponentials give one register of BFLOAT16.
template <class T>
struct Quotients {
  static constexpr bool kJoins = std::is_same_v<T, hwy::bfloat16_t>;
  using Lanes = std::conditional_t<kJoins, HalfLanes, StoredLanes<T>>;
  const float* scratch;
  float reciprocal;
  float rest;

  HWY_INLINE Quotients From(size_t i) const { return {scratch + i, reciprocal, rest}; }
  static constexpr void FetchNext() {}
  static constexpr bool IsOpen() { return true; }
  PORTACL_LANE_INLINE FloatVector Of(size_t i) const {
    const FloatLanes d;
    return Quotient<T>(hn::LoadU(d, scratch + i), hn::Set(d, reciprocal), hn::Set(d, rest));
  }
  template <bool kMasked>
  PORTACL_LANE_INLINE hn::VFromD<Lanes> At(size_t i) const {
    if constexpr (kJoins) {
      return ConcatBfloat16(Of(i), Of(i + hn::Lanes(FloatLanes())));
    } else {
      return FromFloats<T>(Of(i));
    }
  }
  PORTACL_LANE_INLINE hn::VFromD<Lanes> First(size_t i, size_t /*n*/) const { return At<false>(i); }
};

/// For short rows, the sum is a float32, and the reciprocal is computed as where several short rows are computed
/// together.
template <class T>
HWY_INLINE Quotients<T> QuotientsOf(const float* scratch, double sum, size_t n) {
  if (kFused && n <= kShortRow) {
    const FloatVector v = hn::Set(FloatLanes(), static_cast<float>(sum));
    const FloatVector reciprocal = ReciprocalOf(v);
    return {scratch, hn::GetLane(reciprocal), hn::GetLane(ReciprocalRest(v, reciprocal))};
  }
  const auto reciprocal = static_cast<float>(double{kQuotientScale} / sum);
  return {scratch, reciprocal, static_cast<float>(double{kQuotientScale} / sum - double{reciprocal})};
}

#if HWY_TARGET <= HWY_AVX2
/// Divides the exponentials of as many short rows as a register has lanes by the sums of their rows; see ReduceRows.
template <class T>
HWY_INLINE void StoreQuotientsOfRows(const float* e, size_t n, const int32_t* indices, Stored<T>* y,
                                     bool non_temporal) {
  const FloatLanes d;
  const FloatVector sum = ReduceRows<AddLanes>(e, n);
  const FloatVector reciprocal = ReciprocalOf(sum);
  const FloatVector rest = sizeof(T) == 2 ? reciprocal : ReciprocalRest(sum, reciprocal);
  for (size_t v = 0; v < n; ++v) {
    const size_t i = v * HWY_LANES(float);
    const FloatVector spread_rest = sizeof(T) == 2 ? rest : SpreadRows(rest, indices + i);
    const FloatVector quotient = Quotient<T>(hn::Load(d, e + i), SpreadRows(reciprocal, indices + i), spread_rest);
    StoreRegister(StoredLanes<T>(), FromFloats<T>(quotient), y + i, non_temporal);
  }
}

/// Calls f(i, elements) for each of the registers of a row of n elements.
template <size_t kRegisters, class F>
HWY_INLINE void ForEachRegister(size_t n, const F& f) {
  constexpr size_t kLanes = HWY_LANES(float);
  static_assert(kRegisters == 1 || kRegisters == 2);
  f(size_t{0}, kRegisters == 1 ? n : kLanes);
  if constexpr (kRegisters == 2) f(size_t{1}, n - kLanes);
}

/// The largest element of registers, in every lane, where counted(i, elements) has -inf in the lanes beyond the row. NaN
/// is left out.
template <size_t kRegisters, class F>
HWY_INLINE FloatVector LargestOfRegisters(size_t n, const F& counted) {
  const FloatLanes d;
  FloatVector most = hn::Set(d, -__builtin_inff());
  ForEachRegister<kRegisters>(n,
                              [&](size_t i, size_t elements) HWY_ATTR { most = hn::Max(counted(i, elements), most); });
  return hn::MaxOfLanes(d, most);
}

/// The sum of the elements of registers, added as by SumRow, in every lane. Lanes beyond the row are 0.
template <size_t kRegisters>
HWY_INLINE FloatVector SumOfRegisters(const FloatVector* v) {
  const FloatLanes d;
  if constexpr (kRegisters == 1) return hn::Set(d, FoldShort(d, v[0]));
  return hn::Set(d, FoldShort(d, hn::Add(v[0], v[1])));
}

/// Divides exponentials by their sum, as QuotientsOf.
template <class T, size_t kRegisters>
HWY_INLINE void StoreQuotients(const FloatVector* e, size_t n, Stored<T>* y) {
  const FloatVector sum = SumOfRegisters<kRegisters>(e);
  const FloatVector reciprocal = ReciprocalOf(sum);
  const FloatVector rest = ReciprocalRest(sum, reciprocal);
  ForEachRegister<kRegisters>(n, [&](size_t i, size_t elements) HWY_ATTR {
    const FloatVector quotient = Quotient<T>(e[i], reciprocal, rest);
    StoreTail(StoredLanes<T>(), FromFloats<T>(quotient), y + i * HWY_LANES(float), elements);
  });
}

/// Calls f(registers) with the registers that hold n elements, as a constant; false if there would be more than two, or
/// more than kShortRow elements.
template <class F>
HWY_INLINE bool WithRegistersOf(size_t n, const F& f) {
  if (n <= HWY_LANES(float)) return f(std::integral_constant<size_t, 1>()), true;
  if (HWY_LANES(float) >= kShortRow || n > kShortRow) return false;
  return f(std::integral_constant<size_t, HWY_LANES(float) < kShortRow ? 2 : 1>()), true;
}
#endif

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
