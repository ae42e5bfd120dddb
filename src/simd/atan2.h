// SPDX-License-Identifier: Apache-2.0
//
// Angles of points, and inverse functions of angles, of any float32 lanes. Included once per target.

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

/// The angle of (x, y) from that of (|x|, |y|) to the nearer axis.
template <class D, class V, class M>
HWY_INLINE V AngleOfPoint(D d, V y, V x, V angle, M is_steep) {
  using T = hn::TFromD<D>;
  angle = hn::IfThenElse(is_steep, hn::Sub(hn::Set(d, T(0x1.921fb54442d18p+0)), angle), angle);
  const auto is_left = hn::Lt(hn::CopySign(hn::Set(d, T{1}), x), hn::Zero(d));  // of -0, too
  angle = hn::IfThenElse(is_left, hn::Sub(hn::Set(d, T(0x1.921fb54442d18p+1)), angle), angle);
  const auto are_numbers = hn::And(hn::Eq(x, x), hn::Eq(y, y));
  return hn::IfThenElse(are_numbers, hn::CopySignToAbs(angle, y), hn::Set(d, std::numeric_limits<T>::quiet_NaN()));
}

/// The angle between an axis and the point `larger` along it and `smaller` beside it, for 0 <= smaller <= larger,
/// larger > 0.
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
    // Infinities are made numbers that every finite float32 is nothing beside.
    const V most = hn::Set(d, 0x1p1000);
    const V ay = hn::Abs(y), ax = hn::Abs(x);
    const auto is_steep = hn::Gt(ay, ax);
    const V larger = hn::Max(hn::Min(hn::IfThenElse(is_steep, ay, ax), most), hn::Set(d, 0x1p-1000));
    const V smaller = hn::Min(hn::IfThenElse(is_steep, ax, ay), most);
    return AngleOfPoint(d, y, x, AngleInFloat64(d, smaller, larger), is_steep);
  }
};

/// atan x for float32 x. Keeps the sign of zero.
struct AtanInFloat64 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0);
    const V a = hn::Abs(x);
    const auto is_steep = hn::Gt(a, one);
    const V larger = hn::IfThenElse(is_steep, hn::Min(a, hn::Set(d, 0x1p1000)), one);
    const V angle = AngleInFloat64(d, hn::IfThenElse(is_steep, one, a), larger);
    const V result = hn::IfThenElse(is_steep, hn::Sub(hn::Set(d, 0x1.921fb54442d18p+0), angle), angle);
    return hn::CopySignToAbs(result, x);
  }
};

/// asin x or acos x for float32 x, NaN where |x| > 1. A zero sine keeps the sign.
template <bool kIsCos>
struct InverseInFloat64 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V a = hn::Abs(x);
    const V right = hn::Set(d, 0x1.921fb54442d18p+0);
    // Above 1/2 asin a is pi/2 - 2 asin sqrt((1 - a) / 2).
    const auto is_large = hn::Gt(a, hn::Set(d, 0.5));
    const V rest = hn::Max(hn::NegMulAdd(a, hn::Set(d, 0.5), hn::Set(d, 0.5)), hn::Set(d, 0x1p-1000));
    const V z = hn::IfThenElse(is_large, rest, hn::Mul(a, a));
    // Minimax in relative error (Remez's algorithm): 1.5e-11.
    V p = hn::MulAdd(hn::Set(d, 0x1.1e52d761cebf6p-5), z, hn::Set(d, 0x1.d96ae3072372dp-8));
    p = hn::MulAdd(p, z, hn::Set(d, 0x1.94dfcbcce8bccp-6));
    p = hn::MulAdd(p, z, hn::Set(d, 0x1.ed07dc47f82aap-6));
    p = hn::MulAdd(p, z, hn::Set(d, 0x1.6ddf13ec665f1p-5));
    p = hn::MulAdd(p, z, hn::Set(d, 0x1.33328d4cc1f88p-4));
    p = hn::MulAdd(p, z, hn::Set(d, 0x1.55555658c2b36p-3));
    p = hn::MulAdd(p, z, hn::Set(d, 0x1.ffffffffdecf3p-1));
    const V angle = hn::Mul(p, hn::IfThenElse(is_large, Root(d, rest), a));
    const V sine = hn::IfThenElse(is_large, hn::NegMulAdd(angle, hn::Set(d, 2.0), right), angle);
    V result = hn::CopySignToAbs(sine, x);
    if constexpr (kIsCos) {
      const V of_large = hn::Add(angle, angle);
      const V mirrored = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Add(right, right), of_large), of_large);
      result = hn::IfThenElse(is_large, mirrored, hn::Sub(right, result));
    }
    const V none = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    return hn::IfThenElse(hn::Le(a, hn::Set(d, 1.0)), result, none);
  }
};

/// The angle of the point (x, y) for any x and y, as atan2 of the C library. Largest error 0.501 ULP; kNarrow leaves
/// out what 16-bit results cannot show.
template <bool kNarrow, class D, class V>
HWY_INLINE V Atan2(D d, V y, V x) {
  if constexpr (!kNarrow) return InFloat64(d, Atan2InFloat64(), y, x);
  const V one = hn::Set(d, 1.0f);
  const V ay = hn::Abs(y), ax = hn::Abs(x);
  const auto is_steep = hn::Gt(ay, ax);
  const V larger = hn::IfThenElse(is_steep, ay, ax);
  const V smaller = hn::IfThenElse(is_steep, ax, ay);
  // Of two infinities the quotient is 1, of two zeros 0.
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
