// SPDX-License-Identifier: Apache-2.0
//
// The exponential for any float32 lanes, and its parts for functions that use it. Included once per target.

#if defined(PORTACL_SIMD_EXP_OF_ANY_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_EXP_OF_ANY_H_
#undef PORTACL_SIMD_EXP_OF_ANY_H_
#else
#define PORTACL_SIMD_EXP_OF_ANY_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "simd/exp.h"
#include "simd/larger.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// -|x|
template <class D, class V>
HWY_INLINE V NegativeOf(D d, V x) {
  return hn::Or(x, hn::Set(d, -0.0f));
}

/// Adding a value to 1.5 * 2^23 rounds it to an integer, which is then in the last bits. With 254 more, these bits are
/// the sum of the exponents of two powers of two, whose product is 2 to the power of that integer.
inline constexpr float kTwoPowersShift = 0x1.8p23f + 254;

/// v, or 0 where x < least, for positive v whose product with a power of two would underflow there, see ScaledDown.
template <class D, class V>
HWY_INLINE V ZeroBelow(D d, V x, float least, V v) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) == 64)
    return V{_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x.raw, _mm512_set1_ps(least), _CMP_NLT_UQ), v.raw)};
#endif
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, least)), v);
}

/// v 2^k, rounded once, for `shifted` = k + kTwoPowersShift, |k| <= 200. v 2^(k/2) must be a normal number, with kIsNormal
/// the result, too.
template <bool kIsNormal = false, class D, class V>
HWY_INLINE V TimesPowerOfTwo(D d, V v, V shifted) {
#if HWY_TARGET == HWY_AVX3
  // With this instruction, ExpOfAny takes a sixth less time.
  if constexpr (sizeof(V) == 64) return V{_mm512_scalef_ps(v.raw, hn::Sub(shifted, hn::Set(d, kTwoPowersShift)).raw)};
#endif
  const hn::RebindToUnsigned<D> du;
  const auto both = hn::BitCast(du, shifted);
  if constexpr (kIsNormal) {
    const auto exponent = hn::ShiftLeft<23>(hn::Sub(both, hn::Set(du, 254)));
    return hn::BitCast(d, hn::Add(hn::BitCast(du, v), exponent));
  }
  const auto first = hn::ShiftRight<1>(both);
  const V power = hn::BitCast(d, hn::ShiftLeft<23>(first));
  return hn::Mul(hn::Mul(v, power), hn::BitCast(d, hn::ShiftLeft<23>(hn::Sub(both, first))));
}

#if HWY_TARGET == HWY_AVX3
/// v 2^k, or 0 where k < least; see ScaledDown.
template <class V>
HWY_INLINE V ScaledUnlessBelow(float least, V v, V k) {
  const __mmask16 is_kept = _mm512_cmp_ps_mask(k.raw, _mm512_set1_ps(least), _CMP_NLT_UQ);  // for NaN, too
  return V{_mm512_maskz_scalef_ps(is_kept, v.raw, k.raw)};
}
#endif

/// TimesPowerOfTwo for -163 <= k <= 0 and |v| <= 2^8. Where k < -158 the result is zero, which costs nothing: an
/// underflow takes Intel's processors 60 to 120 ns. Zeros have the sign of v if kSigned, and else on some targets.
template <bool kSigned = false, class D, class V>
HWY_INLINE V ScaledDown(D d, V v, V shifted) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) == 64) {
    const V k = hn::Sub(shifted, hn::Set(d, kTwoPowersShift));
    const V scaled = ScaledUnlessBelow(-158, v, k);
    return kSigned ? hn::Or(scaled, hn::And(v, hn::Set(d, -0.0f))) : scaled;
  }
#endif
  // k + 159 is the exponent of 2^(k + 32), and 0 that of zero.
  const hn::RebindToUnsigned<D> du;
  const hn::Repartition<uint16_t, D> words;
  const auto least = hn::BitCast(words, hn::Set(d, kTwoPowersShift - 159));
  const auto exponent = hn::SaturatedSub(hn::BitCast(words, shifted), least);
  return hn::Mul(hn::Mul(v, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, exponent)))), hn::Set(d, 0x1p-32f));
}

/// Computes r, |r| <= 0.35, and `shifted` = k + kTwoPowersShift, so that e^x = 2^k e^r, for |x| <= 170.
template <class D, class V>
HWY_INLINE V ExpRest(D d, V x, V& shifted) {
  shifted = hn::MulAdd(x, hn::Set(d, 0x1.715476p0f), hn::Set(d, kTwoPowersShift));
  return WithoutPowersOfTwo(d, x, hn::Sub(shifted, hn::Set(d, kTwoPowersShift)));
}

/// e^x for any x, subnormal results included. Largest error 0.9 ULP, 1.2 without fused multiply-add.
template <class D, class V>
HWY_INLINE V ExpOfAny(D d, V x) {
  V shifted = hn::Undefined(d);
  const V r = ExpRest(d, AtMost(d, AtLeast(d, x, -105.0f), 90.0f), shifted);
  const V fraction = hn::MulAdd(ExpSlope<false>(d, r), r, hn::Set(d, 1.0f));
  return TimesPowerOfTwo(d, ZeroBelow(d, x, -104.0f, fraction), shifted);
}

/// e^x for any x <= 0, subnormal results included, with the error of ExpOfAny.
template <class D, class V>
HWY_INLINE V ExpOfNegativeOfAny(D d, V x) {
  V shifted = hn::Undefined(d);
  const V r = ExpRest(d, AtLeast(d, x, -112.0f), shifted);
  return ScaledDown(d, hn::MulAdd(ExpSlope<false>(d, r), r, hn::Set(d, 1.0f)), shifted);
}

/// 2^x for any x, subnormal results included, with kIsNormal for |x| <= 126; exact for integers x. Largest error 1.1 ULP.
template <bool kIsNormal = false, class D, class V>
HWY_INLINE V Exp2OfAny(D d, V x) {
  const V bounded = kIsNormal ? x : AtMost(d, AtLeast(d, x, -151.0f), 129.0f);
  const V shifted = hn::Add(bounded, hn::Set(d, kTwoPowersShift));
  const V fraction = hn::Sub(bounded, hn::Sub(shifted, hn::Set(d, kTwoPowersShift)));
  const V r = hn::Mul(fraction, hn::Set(d, 0x1.62e43p-1f));
  const V power = hn::MulAdd(ExpSlope<false>(d, r), r, hn::Set(d, 1.0f));
  return TimesPowerOfTwo<kIsNormal>(d, kIsNormal ? power : ZeroBelow(d, x, -0x1.2bfffep7f, power), shifted);
}

/// e^x - 1 for any x. Keeps the sign of zero. Largest error 1.4 ULP.
template <class D, class V>
HWY_INLINE V Expm1(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  V shifted = hn::Undefined(d);
  const V r = ExpRest(d, AtMost(d, AtLeast(d, x, -30.0f), 90.0f), shifted);
  // 2^k (1 - 2^-k + r + r^2 p), where 2^-k is negligible for k = 127.
  const V k = hn::Sub(shifted, hn::Set(d, kTwoPowersShift));
  const V whole = hn::Sub(one, PowerOfTwo(d, hn::Neg(hn::Min(k, hn::Set(d, 127.0f)))));
  const V sum = hn::MulAdd(hn::Mul(r, r), ExpCurve<false>(d, r), hn::Add(whole, r));
  return hn::CopySign(TimesPowerOfTwo(d, sum, shifted), x);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
