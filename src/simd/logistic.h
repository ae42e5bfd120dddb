// SPDX-License-Identifier: Apache-2.0
//
// The sigmoid for any float32 lanes, and functions that use it. Included once per target.
//
// All are computed for -|x|, where e^-|x| <= 1; for x > 0, one addition gives the result.

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

/// sigmoid(x) = 1 / (1 + e^-x) for any x, subnormal results included. Largest error 1.7 ULP, 2.0 without fused
/// multiply-add.
template <class D, class V>
HWY_INLINE V SigmoidOfAny(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = ExpOfNegativeOfAny(d, NegativeOf(d, x));
  // With z = sigmoid(-|x|), sigmoid(x) is 1 - z or e (1 - z). Rounding errors of z have little effect where e is small.
  const V z = hn::Div(e, hn::Add(one, e));
  const V factor = hn::IfNegativeThenElse(x, e, one);
  return hn::NegMulAdd(factor, z, factor);
}

/// y sigmoid(ln E) for E = 2^k e^r <= 1, given r and k + kTwoPowersShift from ExpRest, and y < 0. -0 for -0.
template <class D, class V>
HWY_INLINE V TimesSigmoid(D d, V y, V r, V shifted) {
  const V one = hn::Set(d, 1.0f);
  const V slope = ExpSlope<false>(d, r);
  const V e = ScaledDown(d, hn::MulAdd(slope, r, one), shifted);
  // sigma (1 - lost) = 1 / (1 + e)
  const V sum = hn::Add(one, e);
  const V sigma = hn::Div(one, sum);
  const V lost = hn::Mul(hn::Sub(e, hn::Sub(sum, one)), sigma);
  // w + rest = y e^r
  const V yr = hn::Mul(y, r);
  const V w = hn::MulAdd(yr, slope, y);
  const V rest = hn::MulAdd(yr, slope, hn::Sub(y, w));
  const V product = hn::MulAdd(w, sigma, hn::Mul(hn::NegMulAdd(w, lost, rest), sigma));
  return NegativeOf(d, ScaledDown(d, product, shifted));  // otherwise 0 would have lost its sign
}

/// x sigmoid(x) for any x; -0 for -inf. Keeps the sign of zero. Largest error 1.9 ULP, 2.5 without fused multiply-add.
template <class D, class V>
HWY_INLINE V Silu(D d, V x) {
  V shifted = hn::Undefined(d);
  const V y = AtLeast(d, NegativeOf(d, x), -112.0f);
  const V r = ExpRest(d, y, shifted);
  return hn::Add(TimesSigmoid(d, y, r, shifted), AtLeast(d, x, -0.0f));
}

/// sigma + sigma (1 - sigma) t. For x >= 0 it is 1 minus the same sum for -|x|. Given are r and `shifted` from ExpRest,
/// with sigma(-|x|) = E / (1 + E), E = 2^k e^r, and t for -|x|.
template <class D, class V>
HWY_INLINE V SigmoidAndSlope(D d, V x, V t, V r, V shifted) {
  const V one = hn::Set(d, 1.0f);
  const V slope = ExpSlope<false>(d, r);
  const V e = ScaledDown(d, hn::MulAdd(slope, r, one), shifted);
  const V other = hn::Div(one, hn::Add(one, e));  // 1 - sigma
  const V factor = hn::Mul(other, hn::MulAdd(other, t, one));
  const V sum = ScaledDown<true>(d, hn::MulAdd(hn::Mul(factor, r), slope, factor), shifted);
  return hn::IfNegativeThenElse(x, sum, hn::Sub(one, sum));
}

/// The derivative of Silu, sigma + x sigma (1 - sigma), for any x. Largest error 5 ULP of the larger term.
template <class D, class V>
HWY_INLINE V SiluSlope(D d, V x) {
  V shifted = hn::Undefined(d);
  const V y = AtLeast(d, NegativeOf(d, x), -112.0f);
  const V r = ExpRest(d, y, shifted);
  return SigmoidAndSlope(d, x, y, r, shifted);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
