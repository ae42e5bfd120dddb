// SPDX-License-Identifier: Apache-2.0
//
// The hyperbolic tangent of any float32 lanes. Included once per target.

#if defined(PORTACL_SIMD_TANH_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_TANH_H_
#undef PORTACL_SIMD_TANH_H_
#else
#define PORTACL_SIMD_TANH_H_
#endif

#include "hwy/highway.h"
#include "simd/exp_of_any.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// tanh x for any x. Keeps the sign of zero. Largest error 1.6 ULP.
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V a = hn::Abs(x);
  // 1 - 2 / (e^2a + 1), which is 1 in float32 from 9.02 on.
  const V b = AtMost(d, a, 9.1f);
  const V e = Exp<false>(d, hn::Add(b, b));
  const V large = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(e, one)));
  // a + a^3 p(a^2), minimax in relative error (Remez's algorithm).
  const V z = hn::Mul(a, a);
  V p = hn::MulAdd(hn::Set(d, -0x1.94554ap-8f), z, hn::Set(d, 0x1.5811fap-6f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.b905c4p-5f));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.110c5ep-3f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.555548p-2f));
  const V small = hn::MulAdd(hn::Mul(a, z), p, a);
  return hn::CopySignToAbs(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.55f)), small, large), x);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
