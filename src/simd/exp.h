// SPDX-License-Identifier: Apache-2.0
//
// The exponential of float32 lanes. Included once per target.

#if defined(PORTACL_SIMD_EXP_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_EXP_H_
#undef PORTACL_SIMD_EXP_H_
#else
#define PORTACL_SIMD_EXP_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Added to 1.5 * 2^23, a number is rounded to an integer, which is then in its last bits; 127 more is the exponent of
/// the power of two of that integer.
inline constexpr float kExpShift = 0x1.8p23f + 127;

/// x / ln 2 rounded to an integer k, plus kExpShift.
template <class D, class V>
HWY_INLINE V ShiftedExponent(D d, V x) {
  return hn::MulAdd(x, hn::Set(d, 0x1.715476p0f), hn::Set(d, kExpShift));
}

/// 2^k e^r for |r| <= ln 2 / 2 and `shifted` = k + kExpShift, -126 <= k <= 127; NaN when r is one. See Exp for kNarrow.
template <bool kNarrow, class D, class V>
HWY_INLINE V ExpOfParts(D d, V r, V shifted) {
  const hn::RebindToUnsigned<D> du;
  // 1 + r + r^2 p(r) for |r| <= ln 2 / 2, minimax in relative error (Remez's algorithm): 0.07 * 2^-24.
  V p;
  if constexpr (kNarrow) {
    p = hn::MulAdd(hn::Set(d, 0x1.10627ap-7f), r, hn::Set(d, 0x1.572a06p-5f));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.5557aep-3f));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.fffdfcp-2f));
  } else {
    p = hn::MulAdd(hn::Set(d, 0x1.6a2434p-10f), r, hn::Set(d, 0x1.1239e2p-7f));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.5558f2p-5f));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.555492p-3f));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.fffffcp-2f));
  }
  const V one = hn::Set(d, 1.0f);
  p = hn::MulAdd(hn::MulAdd(p, r, one), r, one);
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, shifted))));
}

/// x - k ln 2 for a whole number k below 512, rounded once: ln 2 in two parts, the first so short that its product with
/// k is exact even where it is not fused.
template <class D, class V>
HWY_INLINE V WithoutPowersOfTwo(D d, V x, V k) {
  const V r = hn::NegMulAdd(k, hn::Set(d, 0x1.62e4p-1f), x);
  return hn::NegMulAdd(k, hn::Set(d, 0x1.7f7d1cp-20f), r);
}

/// e^x for x in [-87.33654, 88.3], where result is a normal number, and NaN of NaN; any bits for other x, which the
/// caller leaves out by a select. Largest error 1.0 ULP, 1.2 without fused multiply-add; kNarrow leaves out a step
/// whose loss (1.8 * 2^-24) 16-bit results cannot show.
template <bool kNarrow, class D, class V>
HWY_INLINE V Exp(D d, V x) {
  const V shifted = ShiftedExponent(d, x);
  const V k = hn::Sub(shifted, hn::Set(d, kExpShift));
  return ExpOfParts<kNarrow>(d, WithoutPowersOfTwo(d, x, k), shifted);
}

/// ShiftedExponent, WithoutPowersOfTwo and Exp of -x, without an operation for its sign.
template <class D, class V>
HWY_INLINE V ShiftedExponentOfNegative(D d, V x) {
  return hn::NegMulAdd(x, hn::Set(d, 0x1.715476p0f), hn::Set(d, kExpShift));
}

template <class D, class V>
HWY_INLINE V NegativeWithoutPowersOfTwo(D d, V x, V k) {
  const V r = hn::NegMulSub(k, hn::Set(d, 0x1.62e4p-1f), x);
  return hn::NegMulAdd(k, hn::Set(d, 0x1.7f7d1cp-20f), r);
}

template <bool kNarrow, class D, class V>
HWY_INLINE V ExpOfNegative(D d, V x) {
  const V shifted = ShiftedExponentOfNegative(d, x);
  const V k = hn::Sub(shifted, hn::Set(d, kExpShift));
  return ExpOfParts<kNarrow>(d, NegativeWithoutPowersOfTwo(d, x, k), shifted);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
