// SPDX-License-Identifier: Apache-2.0
//
// Angles of points, and inverse trigonometric functions, for any float32 lanes. Included once per target.

#if defined(PORTACL_SIMD_ATAN2_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_ATAN2_H_
#undef PORTACL_SIMD_ATAN2_H_
#else
#define PORTACL_SIMD_ATAN2_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "simd/in_float64.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The angle of (x, y), from the angle between (|x|, |y|) and the nearer axis.
template <class D, class V, class M>
HWY_INLINE V AngleOfPoint(D d, V y, V x, V angle, M is_steep) {
  using T = hn::TFromD<D>;
  angle = hn::IfThenElse(is_steep, hn::Sub(hn::Set(d, T(0x1.921fb54442d18p+0)), angle), angle);
  const auto is_left = hn::Lt(hn::CopySign(hn::Set(d, T{1}), x), hn::Zero(d));  // true for -0, too
  angle = hn::IfThenElse(is_left, hn::Sub(hn::Set(d, T(0x1.921fb54442d18p+1)), angle), angle);
  const auto are_numbers = hn::And(hn::Eq(x, x), hn::Eq(y, y));
  return hn::IfThenElse(are_numbers, hn::CopySignToAbs(angle, y), hn::Set(d, std::numeric_limits<T>::quiet_NaN()));
}

/// The angle between an axis and the point at `larger` along it and `smaller` across it. Requires 0 <= smaller <=
/// larger, larger > 0.
template <class D, class V>
HWY_INLINE V AngleInFloat64(D d, V smaller, V larger) {
  // Above pi/8 the angle is pi/4 + atan((s - l) / (s + l)).
  const auto is_large = hn::Gt(smaller, hn::Mul(larger, hn::Set(d, 0x1.a827999fcef32p-2)));
  const V u = Quotient(d, hn::IfThenElse(is_large, hn::Sub(smaller, larger), smaller),
                       hn::IfThenElse(is_large, hn::Add(smaller, larger), larger));
  const V z = hn::Mul(u, u);
  // Minimax in relative error (Remez's algorithm): 2.1e-11.
  V p = hn::MulAdd(hn::Set(d, 0x1.82323b4da48cep-5), z, hn::Set(d, -0x1.5a8349eda0f1cp-4));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.c43f38154278fp-4));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.247cfb74e7bcfp-3));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.9999011755b57p-3));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.5555548770e90p-2));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.ffffffffd27b8p-1));
  return hn::MulAdd(u, p, hn::IfThenElseZero(is_large, hn::Set(d, 0x1.921fb54442d18p-1)));
}

struct Atan2InFloat64 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V x) const {
    // Replaces infinities by a value beside which every finite float32 is negligible.
    const V most = hn::Set(d, 0x1p1000);
    const V ay = hn::Abs(y), ax = hn::Abs(x);
    const auto is_steep = hn::Gt(ay, ax);
    const V larger = hn::Max(hn::Min(hn::IfThenElse(is_steep, ay, ax), most), hn::Set(d, 0x1p-1000));
    const V smaller = hn::Min(hn::IfThenElse(is_steep, ax, ay), most);
    return AngleOfPoint(d, y, x, AngleInFloat64(d, smaller, larger), is_steep);
  }
};

/// pi/2 - angle in float32, for angles whose last bit is not larger than that of the result.
template <class D, class V>
HWY_INLINE V RightAngleLess(D d, V angle) {
  return hn::Sub(hn::Set(d, 0x1.921fb6p0f), hn::Add(angle, hn::Set(d, 0x1.777a5cp-25f)));
}

/// atan x for any x. Keeps the sign of zero. Largest error 1.2 ULP.
template <class D, class V>
HWY_INLINE V Atan(D d, V x) {
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0f);
  const V a = hn::Abs(x);
  // atan a = angle + atan u. For the angle pi/2, u is -1 / a; for pi/4, u is (a - 1) / (a + 1). Sums of both are above
  // 1/2.
  const auto is_large = hn::Gt(a, hn::Set(d, 0.5625f)), is_steep = hn::Gt(a, hn::Set(d, 1.8125f));
  const V above = hn::IfThenElse(is_steep, hn::Neg(one), hn::IfThenElse(is_large, hn::Sub(a, one), a));
  const V below = hn::IfThenElse(is_steep, a, hn::IfThenElse(is_large, hn::Add(a, one), one));
  const V u = hn::Div(above, below);
  const V high = hn::IfThenElse(is_steep, hn::Set(d, 0x1.921fb6p0f), hn::Set(d, 0x1.921fb6p-1f));
  const V low = hn::IfThenElse(is_steep, hn::Set(d, -0x1.777a5cp-25f), hn::Set(d, -0x1.777a5cp-26f));
  const V z = hn::Mul(u, u);
  // atan u = u + u z p(z), |u| <= 9/16, minimax in relative error (Remez's algorithm): 0.02 * 2^-24.
  V p = hn::MulAdd(hn::Set(d, 0x1.0d1d22p-5f), z, hn::Set(d, -0x1.34b672p-4f));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.baf9bap-4f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.23f696p-3f));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.99924ap-3f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.555546p-2f));
  const V rest = hn::MulAdd(hn::Mul(u, z), p, hn::IfThenElse(is_large, low, zero));
  return hn::CopySignToAbs(hn::Add(hn::IfThenElse(is_large, high, zero), hn::Add(u, rest)), x);
}

/// asin x or acos x for any x, NaN if |x| > 1. asin keeps the sign of zero. Largest error 1.4 ULP.
template <bool kIsCos, class D, class V>
HWY_INLINE V InverseSine(D d, V x) {
  const V a = hn::Abs(x);
  // Above 9/16, asin a is pi/2 - 2 asin sqrt((1 - a) / 2), and the second term is below 1.
  const auto is_large = hn::Gt(a, hn::Set(d, 0.5625f));
  const V rest = hn::Mul(hn::Sub(hn::Set(d, 1.0f), a), hn::Set(d, 0.5f));  // NaN and |x| > 1 give a NaN root
  const V u = hn::IfThenElse(is_large, hn::Sqrt(rest), a);
  const V z = hn::IfThenElse(is_large, rest, hn::Mul(a, a));
  const V z2 = hn::Mul(z, z);
  // asin u = u + u z p(z), minimax in relative error (Remez's algorithm): 0.03 * 2^-24.
  V even = hn::MulAdd(hn::Set(d, 0x1.b80f0ep-8f), z2, hn::Set(d, 0x1.6a55a4p-5f));
  V odd = hn::MulAdd(hn::Set(d, 0x1.8536d2p-5f), z2, hn::Set(d, 0x1.16b40cp-5f));
  even = hn::MulAdd(even, z2, hn::Set(d, 0x1.555526p-3f));
  odd = hn::MulAdd(odd, z2, hn::Set(d, 0x1.33495cp-4f));
  const V angle = hn::MulAdd(hn::Mul(u, z), hn::MulAdd(odd, z, even), u);
  const V twice = hn::Add(angle, angle);
  if constexpr (kIsCos) {
    const V of_small = RightAngleLess(d, hn::CopySignToAbs(angle, x));
    const V mirrored = hn::Sub(hn::Set(d, 0x1.921fb6p1f), hn::Add(twice, hn::Set(d, 0x1.777a5cp-24f)));
    const V of_large = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), mirrored, twice);
    return hn::IfThenElse(is_large, of_large, of_small);
  } else {
    return hn::CopySignToAbs(hn::IfThenElse(is_large, RightAngleLess(d, twice), angle), x);
  }
}

/// The angle of the point (x, y) for any x and y, like atan2 of the C library. Largest error 0.501 ULP. kNarrow omits
/// precision that 16-bit results cannot show.
template <bool kNarrow, class D, class V>
HWY_INLINE V Atan2(D d, V y, V x) {
  if constexpr (!kNarrow) return InFloat64(d, Atan2InFloat64(), y, x);
  const V one = hn::Set(d, 1.0f);
  const V ay = hn::Abs(y), ax = hn::Abs(x);
  const auto is_steep = hn::Gt(ay, ax);
  const V larger = hn::IfThenElse(is_steep, ay, ax);
  const V smaller = hn::IfThenElse(is_steep, ax, ay);
  // The quotient of two infinities counts as 1, that of two zeros as 0.
  const V quotient = hn::IfThenElseZero(hn::Gt(smaller, hn::Zero(d)), hn::Div(smaller, larger));
  const V u = hn::IfThenElse(hn::Eq(smaller, hn::Inf(d)), one, quotient);
  const V z = hn::Mul(u, u);
  // Minimax in relative error: 9.9e-8.
  V p = hn::MulAdd(hn::Set(d, -0x1.339468p-8f), z, hn::Set(d, 0x1.8d5a56p-6f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.e7505ep-5f));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.96170ep-4f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.1f1e7ep-3f));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.98fae0p-3f));
  p = hn::MulAdd(p, z, hn::Set(d, -0x1.5551d0p-2f));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.fffffcp-1f));
  return AngleOfPoint(d, y, x, hn::Mul(u, p), is_steep);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
