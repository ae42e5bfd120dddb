// SPDX-License-Identifier: Apache-2.0
//
// Tangents, and sin(pi x) / (pi x), for any float32 lanes. Included once per target.

#if defined(PORTACL_SIMD_TAN_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_TAN_H_
#undef PORTACL_SIMD_TAN_H_
#else
#define PORTACL_SIMD_TAN_H_
#endif

#include <cmath>

#include "hwy/highway.h"
#include "simd/in_float64.h"
#include "simd/sin_cos.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Whether the integer k is odd.
template <class D, class V>
HWY_INLINE hn::Mask<D> IsOdd(D d, V k) {
  const V half = hn::Mul(k, hn::Set(d, hn::TFromD<D>{0.5}));
  return hn::Ne(hn::Floor(half), half);
}

/// tan(r + k pi/2) for |r| <= pi/4: r / c, or -c / r if k is odd, where c = r / tan r.
template <class D, class V>
HWY_INLINE V TanOfParts(D d, V r, V k, V c) {
  const auto is_odd = IsOdd(d, k);
  const V above = hn::IfThenElse(is_odd, hn::Neg(c), r), below = hn::IfThenElse(is_odd, r, c);
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::Div(above, below);
  } else {
    return Quotient(d, above, below);
  }
}

struct TanInFloat64 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V k) const {
    const V r = RestOfAngle()(d, x, k);
    const V z = hn::Mul(r, r);
    // Minimax in relative error (Remez's algorithm): 8.2e-11.
    V c = hn::MulAdd(hn::Set(d, -0x1.b39d39acf9e12p-16), z, hn::Set(d, -0x1.b4cc09c46eed1p-13));
    c = hn::MulAdd(c, z, hn::Set(d, -0x1.158c15b027606p-9));
    c = hn::MulAdd(c, z, hn::Set(d, -0x1.6c160e62c462ap-6));
    c = hn::MulAdd(c, z, hn::Set(d, -0x1.555555f273124p-2));
    c = hn::MulAdd(c, z, hn::Set(d, 0x1.000000005a217p+0));
    return TanOfParts(d, r, k, c);
  }
};

/// tan a for a up to 64, with the sign of x. Largest error 1.9 ULP.
template <class D, class V>
HWY_INLINE V TanOfSmall(D d, V x, V a) {
  const hn::RebindToUnsigned<D> du;
  const V one = hn::Set(d, 1.0f);
  const V shift = hn::Set(d, 0x1.8p23f);
  const V shifted = hn::MulAdd(a, hn::Set(d, 0x1.45f306p-1f), shift);
  const V k = hn::Sub(shifted, shift);
  // r + r_low = a - k pi/2, with pi/2 in three parts. `first` is exact. So is first - r, unless r is tiny; a tiny r
  // needs no r_low, because it has few bits.
  const V second_part = hn::Set(d, 0x1.4442dp-24f);
  const V first = hn::NegMulAdd(k, hn::Set(d, 0x1.921fb4p0f), a);
  const V r = hn::NegMulAdd(k, hn::Set(d, 0x1.846988p-48f), hn::NegMulAdd(k, second_part, first));
  const V z = hn::Mul(r, r);
  const auto is_tiny = hn::Lt(z, hn::Set(d, 0x1p-36f));
  const V r_low = hn::IfThenZeroElse(is_tiny, hn::NegMulAdd(k, second_part, hn::Sub(first, r)));
  // c + c_low = 1 + z q(z) = r / tan r, minimax in relative error (by least squares with weights that grow with the
  // error): 0.1 * 2^-24.
  V q = hn::MulAdd(hn::Set(d, -0x1.04406cp-12f), z, hn::Set(d, -0x1.12c37ap-9f));
  q = hn::MulAdd(q, z, hn::Set(d, -0x1.6c28dap-6f));
  q = hn::MulAdd(q, z, hn::Set(d, -0x1.555542p-2f));
  const V c = hn::MulAdd(q, z, one);
  const V c_low = hn::MulAdd(q, z, hn::Sub(one, c));
  // r / c or -c / r, corrected by r_low and c_low.
  const auto is_odd = hn::RebindMask(d, hn::TestBit(hn::BitCast(du, shifted), hn::Set(du, 1u)));
  const V above = hn::IfThenElse(is_odd, c, r), below = hn::IfThenElse(is_odd, r, c);
  const V inverse = hn::ApproximateReciprocal(below);
#if HWY_TARGET == HWY_AVX3
  const V quotient = hn::Mul(above, inverse);  // to 14 bits; `rest` doubles that
#else
  const V quotient = hn::Div(above, below);
#endif
  V rest = hn::Add(hn::NegMulAdd(quotient, below, above), hn::IfThenElse(is_odd, c_low, r_low));
  rest = hn::NegMulAdd(quotient, hn::IfThenElse(is_odd, r_low, c_low), rest);
  const V sign = hn::Xor(x, hn::BitCast(d, hn::ShiftLeft<31>(hn::BitCast(du, shifted))));
  return hn::Xor(hn::MulAdd(rest, inverse, quotient), hn::And(sign, hn::Set(d, -0.0f)));
}

/// tan x for x of any size. Largest error 0.51 ULP; kNarrow omits precision that 16-bit results cannot show.
template <bool kNarrow, class D, class V>
HWY_INLINE V TanOfAnySize(D d, V x, V a) {
  const V shift = hn::Set(d, 0x1.8p23f);
  const V k = hn::Sub(hn::MulAdd(a, hn::Set(d, 0x1.45f306p-1f), shift), shift);
  V magnitude;
  if constexpr (kNarrow) {
    const V r = WithoutRightAngles(d, a, k);
    const V z = hn::Mul(r, r);
    // Minimax in relative error: 3.2e-7.
    V c = hn::MulAdd(hn::Set(d, -0x1.3b8e66p-9f), z, hn::Set(d, -0x1.6a2632p-6f));
    c = hn::MulAdd(c, z, hn::Set(d, -0x1.55595cp-2f));
    c = hn::MulAdd(c, z, hn::Set(d, 0x1.000006p+0f));
    magnitude = TanOfParts(d, r, k, c);
  } else {
    magnitude = InFloat64(d, TanInFloat64(), a, k);
  }
  const V result = hn::Xor(magnitude, hn::And(x, hn::Set(d, -0.0f)));
  if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(a, hn::Set(d, kMostAngle))))) return result;
  return WithLargeAngles(d, x, result, [](double angle) { return std::tan(angle); });
}

/// tan x for any x; NaN for infinities. Keeps the sign of zero. The largest error is that of TanOfSmall with fused
/// multiply-add, 0.51 ULP without; see TanOfAnySize for kNarrow.
template <bool kNarrow, class D, class V>
HWY_INLINE V Tan(D d, V x) {
  const V a = hn::Abs(x);
#if HWY_NATIVE_FMA
  if constexpr (!kNarrow) {
    // This takes half of the time of float64. The bits of a lane do not depend on its neighbours.
    const auto is_small = hn::Le(a, hn::Set(d, 64.0f));
    const V small = TanOfSmall(d, x, a);
    if (HWY_LIKELY(hn::AllTrue(d, is_small))) return small;
    return hn::IfThenElse(is_small, small, TanOfAnySize<false>(d, x, a));
  }
#endif
  return TanOfAnySize<kNarrow>(d, x, a);
}

/// t s / x, where t is the distance of x from an integer, and s = sin(pi t) / (pi t).
struct SincInFloat64 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V t) const {
    const V z = hn::Mul(t, t);
    // Minimax in relative error (Remez's algorithm): 2.2e-11.
    V s = hn::MulAdd(hn::Set(d, -0x1.24f9afa445f29p-9), z, hn::Set(d, 0x1.abe34e4483b3cp-6));
    s = hn::MulAdd(s, z, hn::Set(d, -0x1.86a6b08c534e3p-3));
    s = hn::MulAdd(s, z, hn::Set(d, 0x1.9f9cab7899238p-1));
    s = hn::MulAdd(s, z, hn::Set(d, -0x1.a51a660cac176p+0));
    s = hn::MulAdd(s, z, hn::Set(d, 0x1.ffffffffd17eep-1));
    return Quotient(d, hn::Mul(t, s), x);
  }
};

/// sin(pi x) / (pi x) for any x, 1 for zeros, NaN for infinities. Largest error 0.51 ULP; see Tan for kNarrow.
template <bool kNarrow, class D, class V>
HWY_INLINE V Sinc(D d, V x) {
  const V zero = hn::Zero(d);
  const V whole = hn::Round(x);
  const V t = hn::Sub(x, whole);  // exact
  const V sign = hn::IfThenElseZero(IsOdd(d, whole), hn::Set(d, -0.0f));
  V result;
  if constexpr (kNarrow) {
    const V z = hn::Mul(t, t);
    // Minimax in relative error: 5.3e-9.
    V s = hn::MulAdd(hn::Set(d, 0x1.947dfap-6f), z, hn::Set(d, -0x1.85fe44p-3f));
    s = hn::MulAdd(s, z, hn::Set(d, 0x1.9f98c4p-1f));
    s = hn::MulAdd(s, z, hn::Set(d, -0x1.a51a56p+0f));
    s = hn::MulAdd(s, z, hn::Set(d, 1.0f));
    result = hn::Div(hn::Mul(t, s), x);
  } else {
    result = InFloat64(d, SincInFloat64(), x, t);
  }
  // Between integers, the sign of the sine depends on the half period; at integers, the result is a zero.
  result = hn::IfThenElse(hn::Eq(t, zero), hn::And(x, sign), hn::Xor(result, sign));
  return hn::IfThenElse(hn::Eq(x, zero), hn::Set(d, 1.0f), result);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
