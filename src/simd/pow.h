// SPDX-License-Identifier: Apache-2.0
//
// Powers for any float32 lanes. Included once per target.

#if defined(PORTACL_SIMD_POW_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_POW_H_
#undef PORTACL_SIMD_POW_H_
#else
#define PORTACL_SIMD_POW_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "simd/exp_of_any.h"
#include "simd/in_float64.h"
#include "simd/log.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// a^y = e^(y ln a) for a >= 0 in float64. The limits are beyond the range of float32.
struct PowOfMagnitude {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V y) const {
    const V exponent = hn::Mul(y, LogOfScaled<false>(d, a, hn::Zero(d)));
    return Exp<true>(d, AtMost(d, AtLeast(d, exponent, -150.0f), 150.0f));
  }
};

/// x^y for any x and y, like pow of the C library: 1 for y = 0 and for x = 1 whatever the other operand, NaN for finite
/// x < 0 unless y is an integer, the sign of x for odd y. Largest error 0.51 ULP.
template <class D, class V>
HWY_INLINE V Pow(D d, V x, V y) {
  const V one = hn::Set(d, 1.0f);
  const V zero = hn::Zero(d);
  const V a = hn::Abs(x);
  const V magnitude = InFloat64(d, PowOfMagnitude(), a, y);
  const V half = hn::Mul(y, hn::Set(d, 0.5f));
  const auto is_whole = hn::Eq(hn::Floor(y), y);
  const auto is_odd = hn::AndNot(hn::Eq(hn::Floor(half), half), is_whole);
  const V sign = hn::IfThenElseZero(is_odd, hn::And(x, hn::Set(d, -0.0f)));
  V result = hn::Or(magnitude, sign);
  const auto is_negative = hn::And(hn::Lt(x, zero), hn::Gt(x, hn::Neg(hn::Inf(d))));
  result =
      hn::IfThenElse(hn::AndNot(is_whole, is_negative), hn::Set(d, std::numeric_limits<float>::quiet_NaN()), result);
  const auto is_unit = hn::And(hn::Eq(a, one), hn::Eq(hn::Abs(y), hn::Inf(d)));
  const auto is_one = hn::Or(hn::Or(hn::Eq(x, one), hn::Eq(y, zero)), is_unit);
  return hn::IfThenElse(is_one, one, result);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
