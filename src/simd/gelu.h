// SPDX-License-Identifier: Apache-2.0
//
// GELU for any float32 lanes, in both forms. Included once per target.
//
// Both are computed for -|x|; for x > 0, gelu(x) = x + gelu(-x).

#if defined(PORTACL_SIMD_GELU_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_GELU_H_
#undef PORTACL_SIMD_GELU_H_
#else
#define PORTACL_SIMD_GELU_H_
#endif

#include "hwy/highway.h"
#include "simd/logistic.h"
#include "simd/pieces.h"
#include "simd/product.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Phi(y) e^(y^2/2) for -15 <= y <= 0, where Phi is the standard normal distribution function. The result is v (q +
/// low), and q is returned. Relative error 2^-24.
template <class D, class V>
HWY_INLINE V NormalTail(D d, V y, V& v, V& low) {
  // v = 4 / (4 - y). `lost` is the relative effect of its two rounding errors: the slope of the function's logarithm,
  // relative to that of v, is between 1.2 and 3.2, about 0.62 + 2.5 v.
  const V four = hn::Set(d, 4.0f);
  const V sum = hn::Sub(four, y);
  v = hn::Div(four, sum);
  const V rounded_off = hn::Add(hn::Sub(sum, four), y);
  const V rest = hn::MulSub(v, rounded_off, LostInProduct(d, v, sum, four));
  const V lost = hn::Mul(rest, hn::MulAdd(v, hn::Set(d, 0.625f), hn::Set(d, 0.155f)));
  // Minimax in relative error (Remez's algorithm): 0.24 * 2^-24. The polynomial is around a point in the middle, where
  // rounding errors of the steps have less effect.
  const V t = hn::Sub(v, hn::Set(d, 0.515625f));
  V q = hn::MulAdd(hn::Set(d, 0x1.196d6ep-6f), t, hn::Set(d, 0x1.bd71b8p-7f));
  q = hn::MulAdd(q, t, hn::Set(d, -0x1.8e774ap-5f));
  q = hn::MulAdd(q, t, hn::Set(d, -0x1.f8636ep-5f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.bfdf32p-5f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.f80584p-3f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.8d9c16p-2f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.9eb2fep-2f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.43ea3ep-2f));
  const V middle = hn::Set(d, 0x1.8ca0fcp-3f);
  const V whole = hn::MulAdd(q, t, middle);
  low = hn::MulAdd(whole, lost, hn::MulAdd(q, t, hn::Sub(middle, whole)));
  return whole;
}

/// ExpRest for -y^2/2.
template <class D, class V>
HWY_INLINE V NormalExpRest(D d, V y, V& shifted) {
  const V half = hn::Mul(y, hn::Set(d, -0.5f));
  const V square = hn::Mul(y, half);
  return hn::Add(ExpRest(d, square, shifted), LostInProduct(d, y, half, square));
}

#if HWY_TARGET == HWY_AVX3

/// With pieces, Gelu takes 0.54 of the time. kNarrow is for 16-bit elements.
template <bool kNarrow, class D, class V>
HWY_INLINE V GeluByPieces(D d, V x) {
  const V a{_mm512_range_ps(x.raw, _mm512_set1_ps(14.7f), 0b1010)};  // the one with the smaller magnitude
  V around = hn::Undefined(d), distance = hn::Undefined(d), slope = hn::Undefined(d);
  EvaluatePieces(d, kNormalTailPieces, a, around, distance, slope);
  // e^(-a^2 / 2) = 2^k e^(-r / 2). The product with the upper part of 2 ln 2 is exact.
  const V shift = hn::Set(d, 0x1.8p23f);
  const V square = hn::Mul(a, a);
  const V k = hn::Sub(hn::MulAdd(square, hn::Set(d, -0x1.715476p-1f), shift), shift);
  V first, more;
  if constexpr (kNarrow) {
    const V r = hn::MulAdd(k, hn::Set(d, 0x1.62e43p0f), square);
    // ExpSlope for -r / 2, times -1/2.
    V e = hn::MulAdd(hn::Set(d, -0x1.10627ap-12f), r, hn::Set(d, 0x1.572a06p-9f));
    e = hn::MulAdd(e, r, hn::Set(d, -0x1.5557aep-6f));
    e = hn::MulAdd(e, r, hn::Set(d, 0x1.fffdfcp-4f));
    e = hn::MulAdd(e, r, hn::Set(d, -0.5f));
    first = hn::Mul(a, hn::MulAdd(slope, distance, around));
    more = hn::Mul(hn::Mul(first, r), e);
  } else {
    const V r = hn::MulAdd(k, hn::Set(d, 0x1.7f7d1cp-19f), hn::MulAdd(a, a, hn::Mul(k, hn::Set(d, 0x1.62e4p0f))));
    V e = hn::MulAdd(hn::Set(d, 0x1.6a2434p-16f), r, hn::Set(d, -0x1.1239e2p-12f));
    e = hn::MulAdd(e, r, hn::Set(d, 0x1.5558f2p-9f));
    e = hn::MulAdd(e, r, hn::Set(d, -0x1.555492p-6f));
    e = hn::MulAdd(e, r, hn::Set(d, 0x1.fffffcp-4f));
    e = hn::MulAdd(e, r, hn::Set(d, -0.5f));
    // a (around + distance slope) = first + rest. Times e^(-r / 2), that is first + rest + (first + rest) r e.
    first = hn::Mul(a, around);
    const V rest = hn::MulAdd(hn::Mul(a, distance), slope, hn::MulSub(a, around, first));
    more = hn::MulAdd(hn::Mul(hn::Add(first, rest), r), e, rest);
  }
  return hn::Sub(AtLeast(d, x, -0.0f), ScaledUnlessBelow(-150, hn::Add(first, more), k));
}

#endif

/// x Phi(x) for any x; -0 for -inf. Keeps the sign of zero. Largest error 1.8 ULP, 2.6 without fused multiply-add.
template <class D, class V>
HWY_INLINE V Gelu(D d, V x) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (kFindsPieces<V>) return GeluByPieces<false>(d, x);
#endif
  const V y = AtLeast(d, NegativeOf(d, x), -14.9f);
  V v = hn::Undefined(d), low = hn::Undefined(d), shifted = hn::Undefined(d);
  const V q = NormalTail(d, y, v, low);
  const V r = NormalExpRest(d, y, shifted);
  const V slope = ExpSlope<false>(d, r);
  // w + rest = y e^r, product + ... = w v
  const V yr = hn::Mul(y, r);
  const V w = hn::MulAdd(yr, slope, y);
  const V rest = hn::MulAdd(yr, slope, hn::Sub(y, w));
  const V wv = hn::Mul(w, v);
  const V wv_low = hn::MulAdd(rest, v, LostInProduct(d, w, v, wv));
  const V product = hn::MulAdd(wv, q, hn::MulAdd(wv, low, hn::Mul(wv_low, q)));
  return hn::Add(NegativeOf(d, ScaledDown(d, product, shifted)), AtLeast(d, x, -0.0f));
}

/// Gelu for elements of at most 12 significant bits, whose squares are exact in float32, with results of 16 bits:
/// relative error 2^-20.
template <class D, class V>
HWY_INLINE V NarrowGelu(D d, V x) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (kFindsPieces<V>) return GeluByPieces<true>(d, x);
#endif
  const V y = AtLeast(d, NegativeOf(d, x), -14.9f);
  const V four = hn::Set(d, 4.0f);
  const V v = hn::Div(four, hn::Sub(four, y));
  // As in NormalTail, minimax in relative error by least squares with weights that grow with the error: 2^-21.
  const V t = hn::Sub(v, hn::Set(d, 0.515625f));
  V q = hn::MulAdd(hn::Set(d, -0x1.f5fe2cp-6f), t, hn::Set(d, -0x1.ef79b2p-5f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.a81e84p-5f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.f80e08p-3f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.8dc364p-2f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.9eb2dp-2f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.43e9b8p-2f));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.8ca0fcp-3f));
  V shifted = hn::Undefined(d);
  const V r = ExpRest(d, hn::Mul(y, hn::Mul(y, hn::Set(d, -0.5f))), shifted);
  const V factor = hn::Mul(hn::Mul(y, v), q);
  const V product = hn::MulAdd(hn::Mul(factor, r), ExpSlope<true>(d, r), factor);
  return hn::Add(NegativeOf(d, ScaledDown(d, product, shifted)), AtLeast(d, x, -0.0f));
}

/// The derivative of Gelu, Phi(x) + x phi(x), for any x. Largest error 2.7 ULP of the larger term, 3.6 without fused
/// multiply-add.
template <class D, class V>
HWY_INLINE V GeluSlope(D d, V x) {
  const V y = AtLeast(d, NegativeOf(d, x), -14.9f);
  V v = hn::Undefined(d), low = hn::Undefined(d), shifted = hn::Undefined(d);
  const V q = NormalTail(d, y, v, low);
  const V r = NormalExpRest(d, y, shifted);
  const V tail = hn::Mul(v, q);
  const V sum = hn::MulAdd(y, hn::Set(d, 0x1.988454p-2f), tail);
  const V rest = hn::MulAdd(v, low, LostInProduct(d, v, q, tail));
  const V e = hn::MulAdd(hn::Mul(sum, r), ExpSlope<false>(d, r), rest);
  const V product = ScaledDown<true>(d, hn::Add(sum, e), shifted);
  return hn::IfNegativeThenElse(x, product, hn::Sub(hn::Set(d, 1.0f), product));
}

/// ExpRest for 2u = 2 sqrt(2/pi) (y + 0.044715 y^3), y <= 0.
template <class D, class V>
HWY_INLINE V TanhFormRest(D d, V y, V& shifted) {
  const V one = hn::Set(d, 0x1.98845p0f);  // so short that its difference from the sum is exact in float32
  const V cube = hn::Set(d, 0x1.2444f2p-4f);
  const V square = hn::Mul(y, y);
  const V part = hn::Mul(cube, square);
  const V sum = hn::Add(one, part);
  V low = hn::Add(LostInProduct(d, cube, square, part), hn::Add(hn::Sub(one, sum), part));
  low = hn::MulAdd(cube, LostInProduct(d, y, y, square), low);
  low = hn::Add(low, hn::MulAdd(hn::Set(d, 0x1.49b16ap-29f), square, hn::Set(d, 0x1.9ea1b2p-23f)));
  const V product = hn::Mul(y, sum);
  low = hn::MulAdd(y, low, LostInProduct(d, y, sum, product));
  return hn::Add(ExpRest(d, product, shifted), low);
}

/// 0.5 x (1 + tanh u) = x sigmoid(2u) for u = sqrt(2/pi) (x + 0.044715 x^3) and any x; -0 for -inf. Keeps the sign of
/// zero. Largest error 1.9 ULP, 2.5 without fused multiply-add.
template <class D, class V>
HWY_INLINE V GeluOfTanh(D d, V x) {
  V shifted = hn::Undefined(d);
  const V y = AtLeast(d, NegativeOf(d, x), -11.0f);
  const V r = TanhFormRest(d, y, shifted);
  return hn::Add(TimesSigmoid(d, y, r, shifted), AtLeast(d, x, -0.0f));
}

/// The derivative of GeluOfTanh, s + x s (1 - s) (2u)' with s = sigmoid(2u), for any x. Largest error 5.5 ULP
/// of the larger term, 6.7 without fused multiply-add.
template <class D, class V>
HWY_INLINE V GeluOfTanhSlope(D d, V x) {
  V shifted = hn::Undefined(d);
  const V y = AtLeast(d, NegativeOf(d, x), -11.0f);
  const V r = TanhFormRest(d, y, shifted);
  const V slope_of_u = hn::MulAdd(hn::Set(d, 0x1.b6676cp-3f), hn::Mul(y, y), hn::Set(d, 0x1.988454p0f));
  return SigmoidAndSlope(d, x, hn::Mul(y, slope_of_u), r, shifted);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
