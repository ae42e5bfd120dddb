// SPDX-License-Identifier: Apache-2.0
//
// Sine and cosine for any float32 lanes. Included once per target.

#if defined(PORTACL_SIMD_SIN_COS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_SIN_COS_H_
#undef PORTACL_SIMD_SIN_COS_H_
#else
#define PORTACL_SIMD_SIN_COS_H_
#endif

#include <cmath>
#include <cstddef>

#include "hwy/highway.h"
#include "simd/in_float64.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Up to this angle, x - k pi/2 is computed in lanes; larger angles are rare.
inline constexpr float kMostAngle = 0x1p17f;

/// x - k pi/2 in float64. pi/2 is in two parts; the first is so short that its product with k is exact.
struct RestOfAngle {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V k) const {
    const V rest = hn::NegMulAdd(k, hn::Set(d, 0x1.921fb544p0), x);
    return hn::NegMulAdd(k, hn::Set(d, 0x1.0b4611a626331p-34), rest);
  }
};

/// x - k pi/2 for integers k up to 2^17; relative error 2^-23.
template <class D, class V>
HWY_INLINE V WithoutRightAngles(D d, V x, V k) {
#if HWY_NATIVE_FMA
  V r = hn::NegMulAdd(k, hn::Set(d, 0x1.921fb4p0f), x);
  r = hn::NegMulAdd(k, hn::Set(d, 0x1.4442dp-24f), r);
  return hn::NegMulAdd(k, hn::Set(d, 0x1.846988p-48f), r);
#else
  return InFloat64(d, RestOfAngle(), x, k);
#endif
}

/// `result`, where lanes of x beyond kMostAngle are replaced by results of the C library's function.
template <class D, class V, class Function>
HWY_NOINLINE V WithLargeAngles(D d, V x, V result, Function function) {
  HWY_ALIGN float from[hn::MaxLanes(D())];
  HWY_ALIGN float to[hn::MaxLanes(D())];
  hn::StoreU(x, d, from);
  hn::StoreU(result, d, to);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (!(std::abs(from[i]) > kMostAngle)) continue;
    to[i] = static_cast<float>(function(double{from[i]}));
  }
  return hn::LoadU(d, to);
}

template <bool kIsCos, class D, class V>
HWY_INLINE V SinOrCos(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const V shift = hn::Set(d, 0x1.8p23f + (kIsCos ? 1 : 0));
  const V a = hn::Abs(x);
  const V shifted = hn::MulAdd(a, hn::Set(d, 0x1.45f306p-1f), shift);
  const V r = WithoutRightAngles(d, a, hn::Sub(shifted, shift));
  const V z = hn::Mul(r, r);
  // sin r = r + r^3 p(r^2), cos r = 1 + r^2 q(r^2), minimax in relative error (Remez's algorithm): 0.08 * 2^-24.
  V p = hn::MulAdd(hn::Set(d, -0x1.990e92p-13f), z, hn::Set(d, 0x1.1106acp-7f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.555544p-3f));
  V q = hn::MulAdd(hn::Set(d, 0x1.999124p-16f), z, hn::Set(d, -0x1.6c0af4p-10f));
  q = hn::MulAdd(q, z, hn::Set(d, 0x1.555548p-5f));
  q = hn::MulAdd(q, z, hn::Set(d, -0.5f));
  const V sine = hn::MulAdd(hn::Mul(r, z), p, r);
  const V cosine = hn::MulAdd(q, z, hn::Set(d, 1.0f));
  // The last bits of k, or of k + 1 for a cosine, select one of both and its sign.
  const auto turns = hn::BitCast(du, shifted);
  const auto is_odd = hn::RebindMask(d, hn::TestBit(turns, hn::Set(du, 1u)));
  V sign = hn::BitCast(d, hn::ShiftLeft<30>(turns));
  if constexpr (!kIsCos) sign = hn::Xor(sign, x);
  const V result = hn::Xor(hn::IfThenElse(is_odd, cosine, sine), hn::And(sign, hn::Set(d, -0.0f)));
  if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(a, hn::Set(d, kMostAngle))))) return result;
  return WithLargeAngles(d, x, result, [](double angle) { return kIsCos ? std::cos(angle) : std::sin(angle); });
}

/// sin x for any x; NaN for infinities. Keeps the sign of zero. Largest error 1.6 ULP.
template <class D, class V>
HWY_INLINE V Sin(D d, V x) {
  return SinOrCos<false>(d, x);
}

/// cos x for any x; NaN for infinities. Largest error 1.6 ULP.
template <class D, class V>
HWY_INLINE V Cos(D d, V x) {
  return SinOrCos<true>(d, x);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
