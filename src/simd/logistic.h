// SPDX-License-Identifier: Apache-2.0
//
// The sigmoid of any float32 lanes and what is made of it. Included once per target.
//
// All are computed for -|x|, where e^-|x| <= 1, and lead to x > 0 by an addition.

#if defined(PORTACL_SIMD_LOGISTIC_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_LOGISTIC_H_
#undef PORTACL_SIMD_LOGISTIC_H_
#else
#define PORTACL_SIMD_LOGISTIC_H_
#endif

#include "hwy/highway.h"
#include "simd/exp_of_any.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// sigmoid(x) = 1 / (1 + e^-x) for any x, subnormal results included. Largest error 1.6 ULP, 1.9 without fused
/// multiply-add.
template <class D, class V>
HWY_INLINE V SigmoidOfAny(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  V shifted = hn::Undefined(d);
  const V r = ExpRest(d, AtLeast(d, NegativeOf(d, x), -105.0f), shifted);
  const V e = TimesPowerOfTwo(d, hn::MulAdd(ExpSlope<false>(d, r), r, one), shifted);
  // With z = sigmoid(-|x|), sigmoid(x) is 1 - z or e (1 - z): the roundings of z count little where e is small.
  const V z = hn::Div(e, hn::Add(one, e));
  const V factor = hn::IfNegativeThenElse(x, e, one);
  return hn::NegMulAdd(factor, z, factor);
}

/// x sigmoid(x) for any x; -0 of -inf. Keeps the sign of zero. Largest error 1.8 ULP, 2.4 without fused multiply-add.
template <class D, class V>
HWY_INLINE V Silu(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  V shifted = hn::Undefined(d);
  const V y = AtLeast(d, NegativeOf(d, x), -112.0f);
  const V r = ExpRest(d, y, shifted);
  const V slope = ExpSlope<false>(d, r);
  const V e = TimesPowerOfTwo(d, hn::MulAdd(slope, r, one), shifted);
  // sigma (1 - lost) = 1 / (1 + e)
  const V sum = hn::Add(one, e);
  const V sigma = hn::Div(one, sum);
  const V lost = hn::Mul(hn::Sub(e, hn::Sub(sum, one)), sigma);
  // w + rest = y e^r
  const V yr = hn::Mul(y, r);
  const V w = hn::MulAdd(yr, slope, y);
  const V rest = hn::MulAdd(yr, slope, hn::Sub(y, w));
  const V product = hn::MulAdd(w, sigma, hn::Mul(hn::NegMulAdd(w, lost, rest), sigma));
  // 0 has lost its sign.
  return hn::Add(NegativeOf(d, TimesPowerOfTwo(d, product, shifted)), AtLeast(d, x, -0.0f));
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
