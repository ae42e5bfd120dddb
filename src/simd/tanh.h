// SPDX-License-Identifier: Apache-2.0
//
// The hyperbolic tangent for any float32 lanes. Included once per target.

#if defined(PORTACL_SIMD_TANH_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_TANH_H_
#undef PORTACL_SIMD_TANH_H_
#else
#define PORTACL_SIMD_TANH_H_
#endif

#include "hwy/highway.h"
#include "simd/exp_of_any.h"
#include "simd/pieces.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// tanh x for any x. Keeps the sign of zero. Largest error 1.6 ULP.
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  const V a = hn::Abs(x);
#if HWY_TARGET == HWY_AVX3
  if constexpr (kFindsPieces<V>) {
    V around = hn::Undefined(d), distance = hn::Undefined(d), slope = hn::Undefined(d);
    EvaluatePieces(d, kTanhPieces, AtMost(d, a, 9.1f), around, distance, slope);
    return hn::CopySignToAbs(hn::MulAdd(slope, distance, around), x);
  }
#endif
  const V one = hn::Set(d, 1.0f);
  const V two = hn::Set(d, 2.0f);
  // 1 - 2 / (e^2a + 1), which is 1 in float32 from 9.02 on, with a = k ln 2 / 2 + r. One part of ln 2 suffices: where k
  // is large, the slope of the result is small.
  const V b = AtMost(d, a, 9.1f);
  const V shift = hn::Set(d, kTwoPowersShift);
  const V shifted = hn::MulAdd(b, hn::Set(d, 0x1.715476p1f), shift);
  const V r = hn::NegMulAdd(hn::Sub(shifted, shift), hn::Set(d, 0x1.62e43p-2f), b);
  // s in e^2r = 1 + r s, minimax in relative error (by least squares with weights that grow with it): 0.06 * 2^-24.
  V s = hn::MulAdd(hn::Set(d, 0x1.6a4d5cp-4f), r, hn::Set(d, 0x1.12398ep-2f));
  s = hn::MulAdd(s, r, hn::Set(d, 0x1.5558bp-1f));
  s = hn::MulAdd(s, r, hn::Set(d, 0x1.555492p+0f));
  s = hn::MulAdd(s, r, hn::Set(d, 0x1.fffffcp+0f));
  s = hn::MulAdd(s, r, two);
  const V sum = hn::Add(TimesPowerOfTwo(d, hn::MulAdd(s, r, one), shifted), one);
  const V large = hn::Sub(one, hn::Div(two, sum));
  // a + a^3 p(a^2), minimax in relative error (by least squares with weights that grow with the error): 0.08 * 2^-24.
  const V z = hn::Mul(a, a);
  V p = hn::MulAdd(hn::Set(d, -0x1.750ce4p-8f), z, hn::Set(d, 0x1.51f8cep-6f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.b835a4p-5f));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.1106f6p-3f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.555532p-2f));
  const V small = hn::MulAdd(hn::Mul(a, z), p, a);
  return hn::CopySignToAbs(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.625f)), small, large), x);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
