// SPDX-License-Identifier: Apache-2.0
//
// The error function and its complement for any float32 lanes. Included once per target.

#if defined(PORTACL_SIMD_ERF_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_ERF_H_
#undef PORTACL_SIMD_ERF_H_
#else
#define PORTACL_SIMD_ERF_H_
#endif

#include "hwy/highway.h"
#include "simd/exp_of_any.h"
#include "simd/gelu.h"
#include "simd/pieces.h"
#include "simd/product.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// erf x for any x. Keeps the sign of zero. Largest error 1.2 ULP, 1.4 without fused multiply-add.
template <class D, class V>
HWY_INLINE V Erf(D d, V x) {
  const V a = hn::Abs(x);
  // a + a p(a^2), minimax in relative error (Remez's algorithm): 0.3 * 2^-24.
  const V z = hn::Mul(a, a);
  V p = hn::MulAdd(hn::Set(d, -0x1.386c4ap-11f), z, hn::Set(d, 0x1.46d83cp-8f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.b67bcep-6f));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.ce1984p-4f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.8126e2p-2f));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.06eba6p-3f));
  const V small = hn::MulAdd(a, p, a);
  // 1 - e^q(a), where q = ln(1 - erf). In float32 this is 1 from 3.92 on.
  const V b = AtMost(d, a, 4.0f);
  V q = hn::MulAdd(hn::Set(d, 0x1.98d4ecp-13f), b, hn::Set(d, -0x1.8da1c2p-9f));
  q = hn::MulAdd(q, b, hn::Set(d, 0x1.6b8ebp-6f));
  q = hn::MulAdd(q, b, hn::Set(d, -0x1.a96556p-4f));
  q = hn::MulAdd(q, b, hn::Set(d, -0x1.4647bp-1f));
  q = hn::MulAdd(q, b, hn::Set(d, -0x1.20ac32p+0f));
  q = hn::MulAdd(q, b, hn::Set(d, -0x1.b21abep-13f));
  const V large = hn::Sub(hn::Set(d, 1.0f), Exp<false>(d, q));
  return hn::CopySignToAbs(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.93f)), small, large), x);
}

#if HWY_TARGET == HWY_AVX3

/// With pieces, Erfc takes 0.63 of the time (Golden Cove).
template <class D, class V>
HWY_INLINE V ErfcByPieces(D d, V x) {
  // 2 Phi(-a sqrt 2), subtracted from 2 if x < 0. The root is the sum of two constants, and the product is exact.
  const V root = hn::Set(d, 0x1.6a09e6p0f);
  const V a = AtMost(d, hn::Abs(x), 10.3f);
  const V y = hn::Mul(a, root);
  V around = hn::Undefined(d), distance = hn::Undefined(d), slope = hn::Undefined(d);
  EvaluatePieces(d, kNormalTailPieces, y, around, distance, slope);
  distance = hn::Add(distance, hn::MulAdd(a, hn::Set(d, 0x1.99fcfp-26f), hn::MulSub(a, root, y)));
  // e^(-a^2) = 2^k e^(-r). The product with the upper part of ln 2 is exact.
  const V shift = hn::Set(d, 0x1.8p23f);
  const V k = hn::Sub(hn::MulAdd(hn::Mul(a, a), hn::Set(d, -0x1.715476p0f), shift), shift);
  const V r = hn::MulAdd(k, hn::Set(d, 0x1.7f7d1cp-20f), hn::MulAdd(a, a, hn::Mul(k, hn::Set(d, 0x1.62e4p-1f))));
  // e^(-r) = 1 + change. The curve is ExpCurve for -r.
  V curve = hn::MulAdd(hn::Set(d, 0x1.6a2434p-10f), r, hn::Set(d, -0x1.1239e2p-7f));
  curve = hn::MulAdd(curve, r, hn::Set(d, 0x1.5558f2p-5f));
  curve = hn::MulAdd(curve, r, hn::Set(d, -0x1.555492p-3f));
  curve = hn::MulAdd(curve, r, hn::Set(d, 0x1.fffffcp-2f));
  const V change = hn::MulSub(hn::Mul(r, r), curve, r);
  const V rest = hn::Mul(distance, slope);
  const V more = hn::MulAdd(hn::Add(around, rest), change, rest);
  const V one = hn::Set(d, 1.0f);
  const V small = ScaledUnlessBelow(-145, hn::Add(around, more), hn::Add(k, one));
  return hn::IfNegativeThenElse(x, hn::Sub(hn::Set(d, 2.0f), small), small);
}

#endif

/// 1 - erf x for any x, subnormal results included. Largest error 1.7 ULP, 2.6 without fused multiply-add.
template <class D, class V>
HWY_INLINE V Erfc(D d, V x) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (kFindsPieces<V>) return ErfcByPieces(d, x);
#endif
  // 2 Phi(-|x| sqrt 2), subtracted from 2 if x < 0. `share` is the relative effect of the rounding errors of y, also
  // through the sum in NormalTail, and of the square.
  const V one = hn::Set(d, 1.0f), root = hn::Set(d, 0x1.6a09e6p0f);
  const V b = AtLeast(d, NegativeOf(d, x), -10.6f), a = hn::Neg(b);
  const V y = hn::Mul(b, root), square = hn::Mul(b, a);
  V v = hn::Undefined(d), low = hn::Undefined(d), shifted = hn::Undefined(d);
  const V q = NormalTail(d, y, v, low);
  const V lost = hn::MulAdd(b, hn::Set(d, 0x1.99fcfp-26f), LostInProduct(d, b, root, y));
  const V slope = hn::MulAdd(v, hn::Set(d, 0.625f), hn::Set(d, 0.155f));
  const V share = hn::MulAdd(hn::Mul(v, lost), slope, LostInProduct(d, b, a, square));
  const V tail = hn::Mul(v, q);
  const V rest = hn::MulAdd(tail, share, hn::MulAdd(v, low, LostInProduct(d, v, q, tail)));
  // e + e_low = e^r
  const V r = ExpRest(d, square, shifted), curve = ExpSlope<false>(d, r);
  const V e = hn::MulAdd(curve, r, one), e_low = hn::MulAdd(curve, r, hn::Sub(one, e));
  const V sum = hn::MulAdd(tail, e, hn::MulAdd(tail, e_low, hn::Mul(rest, e)));
  const V small = ScaledDown(d, hn::Add(sum, sum), shifted);
  return hn::IfNegativeThenElse(x, hn::Sub(hn::Set(d, 2.0f), small), small);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
