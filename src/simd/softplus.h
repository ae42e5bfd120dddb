// SPDX-License-Identifier: Apache-2.0
//
// The softplus for any float32 lanes, ln(1 + e^x). Included once per target.

#if defined(PORTACL_SIMD_SOFTPLUS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_SOFTPLUS_H_
#undef PORTACL_SIMD_SOFTPLUS_H_
#else
#define PORTACL_SIMD_SOFTPLUS_H_
#endif

#include "hwy/highway.h"
#include "simd/exp_of_any.h"
#include "simd/log_of_any.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// ln(1 + e^x) for any x, subnormal results included. Largest error 2.0 ULP.
template <class D, class V>
HWY_INLINE V Softplus(D d, V x) {
  // max(x, 0) + ln(1 + E) with E = e^-|x|, 1 + E = 2^n (1 + rest).
  const V e = ExpOfNegativeOfAny(d, NegativeOf(d, x));
  const auto is_large = hn::Gt(e, hn::Set(d, 0x1.a8279ap-2f));
  const V half = hn::IfThenElseZero(is_large, hn::Set(d, 0.5f));
  const V rest = hn::Sub(hn::NegMulAdd(e, half, e), half);
  return hn::Add(LogOfParts(d, rest, hn::Add(half, half)), AtLeast(d, x, 0.0f));
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
