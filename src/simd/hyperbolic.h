// SPDX-License-Identifier: Apache-2.0
//
// Hyperbolic functions and logarithms of sums, in float64 lanes for float32 results. Included once per target.

#if defined(PORTACL_SIMD_HYPERBOLIC_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_HYPERBOLIC_H_
#undef PORTACL_SIMD_HYPERBOLIC_H_
#else
#define PORTACL_SIMD_HYPERBOLIC_H_
#endif

#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "simd/exp.h"
#include "simd/exp_of_any.h"
#include "simd/in_float64.h"
#include "simd/log.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// p in 2 artanh s = p(s^2) s, for |s| <= 0.2; relative error 2.1e-11.
template <class D, class V>
HWY_INLINE V TwiceArtanhCurve(D d, V z) {
  // Minimax in relative error (Remez's algorithm).
  V p = hn::MulAdd(hn::Set(d, 0x1.eea4968db4980p-3), z, hn::Set(d, 0x1.23dd54871ae5fp-2));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.999c3782858aap-2));
  p = hn::MulAdd(p, z, hn::Set(d, 0x1.555553a4e50c3p-1));
  return hn::MulAdd(p, z, hn::Set(d, 0x1.00000000164b6p+1));
}
template <class D, class V>
HWY_INLINE V TwiceArtanh(D d, V s) {
  return hn::Mul(TwiceArtanhCurve(d, hn::Mul(s, s)), s);
}

/// ln(1 + e) for 0 <= e <= 1.
template <class D, class V>
HWY_INLINE V Log1pOfFraction(D d, V e) {
  const auto is_large = hn::Gt(e, hn::Set(d, 0x1.a8279ap-2));
  // (f - 1) / (f + 1), where f is 1 + e or half of that.
  const V above = hn::IfThenElse(is_large, hn::Sub(e, hn::Set(d, 1.0)), e);
  const V sum = hn::Add(e, hn::IfThenElse(is_large, hn::Set(d, 3.0), hn::Set(d, 2.0)));
  const V s = Quotient(d, above, sum);
  return hn::MulAdd(TwiceArtanhCurve(d, hn::Mul(s, s)), s, hn::IfThenElseZero(is_large, hn::Set(d, kLn2)));
}

/// 2^-n for integers n in [-1023, 1022].
template <class D, class V>
HWY_INLINE V PowerOfNegative(D d, V n) {
  const hn::RebindToUnsigned<D> words;
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(words, hn::Sub(hn::Set(d, kWholeShift + 1023), n))));
}

/// ln(e^x + e^y), or log2(2^x + 2^y), for float32 x and y. For two equal infinities, that infinity.
template <bool kOfTwo>
struct LogAddExp {
  // e^-distance or 2^-distance, for distances from 0 to 700.
  template <class D, class V>
  static HWY_INLINE V ExpOfDistance(D d, V distance) {
    const V shift = hn::Set(d, kWholeShift);
    if constexpr (kOfTwo) {
      const V n = hn::Sub(hn::Add(distance, shift), shift);
      const V fraction = ExpOfFraction<true>(d, hn::Mul(hn::Sub(n, distance), hn::Set(d, kLn2)));
      return hn::Mul(fraction, PowerOfNegative(d, n));
    } else {
      const V n = hn::Sub(hn::MulAdd(distance, hn::Set(d, kLog2e), shift), shift);
      return hn::Mul(ExpOfFraction<true>(d, hn::MulSub(n, hn::Set(d, kLn2), distance)), PowerOfNegative(d, n));
    }
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V larger = hn::IfThenElse(hn::Gt(x, y), x, y);
    const V distance = hn::IfThenZeroElse(hn::Eq(x, y), hn::Abs(hn::Sub(x, y)));  // 0 for equal infinities
    // If x or y is NaN, the distance is NaN, and so is the result.
    const V rest = Log1pOfFraction(d, ExpOfDistance(d, AtMost(d, distance, 700.0f)));
    return kOfTwo ? hn::MulAdd(rest, hn::Set(d, kLog2e), larger) : hn::Add(rest, larger);
  }
};

/// atanh x for float32 x: infinite for 1 and -1, NaN beyond. Keeps the sign of zero.
struct AtanhInFloat64 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const hn::RebindToUnsigned<D> words;
    const V one = hn::Set(d, 1.0);
    const V a = hn::Abs(x);
    // ln(p / q) = n ln 2 + ln(p / (q 2^n)). n is near log2(p / q); the difference of the bits of p and q gives it.
    const V p = hn::Add(one, a), q = hn::Sub(one, a);
    const auto difference = hn::Sub(hn::BitCast(words, p), hn::BitCast(words, q));
    const auto n = hn::ShiftRight<52>(hn::Add(difference, hn::Set(words, uint64_t{1} << 51)));
    const V scaled = hn::BitCast(d, hn::Add(hn::BitCast(words, q), hn::ShiftLeft<52>(n)));
    const V shifted = hn::BitCast(d, hn::Add(n, hn::BitCast(words, hn::Set(d, 0x1p52))));
    // If n is 0, this quotient is a; a itself is used, because 1 + a has lost bits of it.
    const V quotient = Quotient(d, hn::Sub(p, scaled), hn::Add(p, scaled));
    const V s = hn::IfThenElse(hn::RebindMask(d, hn::Eq(n, hn::Zero(words))), a, quotient);
    const V twice = hn::MulAdd(hn::Sub(shifted, hn::Set(d, 0x1p52)), hn::Set(d, kLn2), TwiceArtanh(d, s));
    const V of_others =
        hn::IfThenElse(hn::Eq(a, one), hn::Inf(d), hn::Set(d, std::numeric_limits<double>::quiet_NaN()));
    const V result = hn::IfThenElse(hn::Lt(a, one), hn::Mul(twice, hn::Set(d, 0.5)), of_others);
    return hn::CopySignToAbs(result, x);
  }
};

/// e^|x| / 2 for float32 x, limited to the range of float64; NaN for NaN.
template <class D, class V>
HWY_INLINE V HalfExpOfSize(D d, V x) {
  const V a = hn::Abs(x);
  const V bounded = hn::IfThenElse(hn::Gt(a, hn::Set(d, 200.0)), hn::Set(d, 200.0), a);
  return hn::Mul(Exp<true>(d, bounded), hn::Set(d, 0.5));
}

/// cosh x for float32 x.
struct CoshInFloat64 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V half = HalfExpOfSize(d, x);
    return hn::Add(half, Quotient(d, hn::Set(d, 0.25), half));
  }
};

/// sinh x for float32 x. Keeps the sign of zero.
struct SinhInFloat64 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V half = HalfExpOfSize(d, x);
    const V large = hn::Sub(half, Quotient(d, hn::Set(d, 0.25), half));
    const V z = hn::Mul(x, x);
    // Minimax in relative error (Remez's algorithm): 4.6e-11.
    V p = hn::MulAdd(hn::Set(d, 0x1.7a4bbeed92187p-19), z, hn::Set(d, 0x1.9ffcb507cb6a4p-13));
    p = hn::MulAdd(p, z, hn::Set(d, 0x1.11113a6d2cc4ep-7));
    p = hn::MulAdd(p, z, hn::Set(d, 0x1.55555504197b9p-3));
    p = hn::MulAdd(p, z, hn::Set(d, 0x1.00000000328c0p+0));
    const auto is_small = hn::Lt(z, hn::Set(d, 1.0));
    return hn::CopySign(hn::IfThenElse(is_small, hn::Mul(p, x), large), x);
  }
};

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
