// SPDX-License-Identifier: Apache-2.0
//
// The exponential for float32 and for float64 lanes. Included once per target.

#if defined(PORTACL_SIMD_EXP_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_EXP_H_
#undef PORTACL_SIMD_EXP_H_
#else
#define PORTACL_SIMD_EXP_H_
#endif

#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Adding a value to 1.5 * 2^23 rounds it to an integer, which is then in the last bits. With 127 more, these bits are
/// the exponent of 2 to the power of that integer.
inline constexpr float kExpShift = 0x1.8p23f + 127;

/// x / ln 2 rounded to an integer k, plus kExpShift.
template <class D, class V>
HWY_INLINE V ShiftedExponent(D d, V x) {
  return hn::MulAdd(x, hn::Set(d, 0x1.715476p0f), hn::Set(d, kExpShift));
}

/// p in e^r = 1 + r + r^2 p, for |r| <= ln 2 / 2. See Exp for kNarrow.
template <bool kNarrow, class D, class V>
HWY_INLINE V ExpCurve(D d, V r) {
  // Minimax in relative error for e^r (Remez's algorithm): 0.07 * 2^-24.
  V p;
  if constexpr (kNarrow) {
    p = hn::MulAdd(hn::Set(d, 0x1.10627ap-7f), r, hn::Set(d, 0x1.572a06p-5f));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.5557aep-3f));
    return hn::MulAdd(p, r, hn::Set(d, 0x1.fffdfcp-2f));
  } else {
    p = hn::MulAdd(hn::Set(d, 0x1.6a2434p-10f), r, hn::Set(d, 0x1.1239e2p-7f));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.5558f2p-5f));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.555492p-3f));
    return hn::MulAdd(p, r, hn::Set(d, 0x1.fffffcp-2f));
  }
}

/// (e^r - 1) / r, for the same r.
template <bool kNarrow, class D, class V>
HWY_INLINE V ExpSlope(D d, V r) {
  return hn::MulAdd(ExpCurve<kNarrow>(d, r), r, hn::Set(d, 1.0f));
}

/// 2^k e^r for |r| <= ln 2 / 2 and `shifted` = k + kExpShift, -126 <= k <= 127; NaN if r is NaN. See Exp for kNarrow.
template <bool kNarrow, class D, class V>
HWY_INLINE V ExpOfParts(D d, V r, V shifted) {
  const hn::RebindToUnsigned<D> du;
  const V e = hn::MulAdd(ExpSlope<kNarrow>(d, r), r, hn::Set(d, 1.0f));
  return hn::Mul(e, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, shifted))));
}

/// x - k ln 2, rounded once, for an integer k below 512. ln 2 is split in two parts; the first is so short that its
/// product with k is exact even without fused multiply-add.
template <class D, class V>
HWY_INLINE V WithoutPowersOfTwo(D d, V x, V k) {
  const V r = hn::NegMulAdd(k, hn::Set(d, 0x1.62e4p-1f), x);
  return hn::NegMulAdd(k, hn::Set(d, 0x1.7f7d1cp-20f), r);
}

/// e^x for x in [-87.33654, 88.3], where the result is a normal number, and NaN for NaN. Other x give arbitrary bits,
/// which the caller replaces by a select. Largest error 1.0 ULP, 1.2 without fused multiply-add. kNarrow omits a step
/// whose effect (1.8 * 2^-24) 16-bit results cannot show.
template <bool kNarrow, class D, class V>
HWY_INLINE V Exp(D d, V x) {
  const V shifted = ShiftedExponent(d, x);
  const V k = hn::Sub(shifted, hn::Set(d, kExpShift));
  return ExpOfParts<kNarrow>(d, WithoutPowersOfTwo(d, x, k), shifted);
}

/// 2^k in float32 for integers k, -127 <= k <= 127; 0 for k = -127.
template <class D, class V>
  requires std::is_same_v<hn::TFromD<D>, float>
HWY_INLINE V PowerOfTwo(D d, V k) {
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, hn::Add(hn::Set(d, kExpShift), k))));
}

/// ShiftedExponent, WithoutPowersOfTwo and Exp for -x, without an operation for the sign.
template <class D, class V>
HWY_INLINE V ShiftedExponentOfNegative(D d, V x) {
  return hn::NegMulAdd(x, hn::Set(d, 0x1.715476p0f), hn::Set(d, kExpShift));
}

template <class D, class V>
HWY_INLINE V NegativeWithoutPowersOfTwo(D d, V x, V k) {
  const V r = hn::NegMulSub(k, hn::Set(d, 0x1.62e4p-1f), x);
  return hn::NegMulAdd(k, hn::Set(d, 0x1.7f7d1cp-20f), r);
}

template <bool kNarrow, class D, class V>
HWY_INLINE V ExpOfNegative(D d, V x) {
  const V shifted = ShiftedExponentOfNegative(d, x);
  const V k = hn::Sub(shifted, hn::Set(d, kExpShift));
  return ExpOfParts<kNarrow>(d, NegativeWithoutPowersOfTwo(d, x, k), shifted);
}

/// The same where x is no NaN.
template <bool kNarrow, class D, class V>
HWY_INLINE V ExpOfNegativeNumber(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const V shift = hn::Set(d, kExpShift - 127);
  const V shifted = hn::NegMulAdd(x, hn::Set(d, 0x1.715476p0f), shift);
  const V r = NegativeWithoutPowersOfTwo(d, x, hn::Sub(shifted, shift));
  const V e = hn::MulAdd(ExpSlope<kNarrow>(d, r), r, hn::Set(d, 1.0f));
  return hn::BitCast(d, hn::Add(hn::BitCast(du, e), hn::ShiftLeft<23>(hn::BitCast(du, shifted))));
}

// In float64, kNarrow omits precision that float32 results cannot show.

/// Adding a value to 1.5 * 2^52 rounds it to an integer, which is then in the last bits.
inline constexpr double kWholeShift = 0x1.8p52;
inline constexpr double kLog2e = 0x1.71547652b82fep0;
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;
/// ln 2 in two parts; the first is so short that its product with an integer below 2^20 is exact.
inline constexpr double kLn2High = 0x1.62e42fefp-1;
inline constexpr double kLn2Low = 0x1.473de6af278edp-34;

template <class D, class V>
HWY_INLINE V RoundToWhole(D d, V x) {
  return hn::Sub(hn::Add(x, hn::Set(d, kWholeShift)), hn::Set(d, kWholeShift));
}

/// 2^(n + k) for integers n and k whose sum is in [-1022, 1023]; `raise` is kWholeShift + 1023 + k.
template <class D, class V>
HWY_INLINE V RaisedTwo(D d, V n, V raise) {
  const hn::RebindToUnsigned<D> words;
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(words, hn::Add(n, raise))));
}

/// 2^n for integers n in [-1022, 1023].
template <class D, class V>
  requires std::is_same_v<hn::TFromD<D>, double>
HWY_INLINE V PowerOfTwo(D d, V n) {
  return RaisedTwo(d, n, hn::Set(d, kWholeShift + 1023));
}

/// e^r for |r| <= ln 2 / 2; relative error 5.2e-11 if kNarrow, else 1e-16.
template <bool kNarrow, class D, class V>
HWY_INLINE V ExpOfFraction(D d, V r) {
  const V one = hn::Set(d, 1.0);
  if constexpr (kNarrow) {
    // Minimax in relative error, by least squares with weights that grow where the error is largest. Few steps depend
    // on each other.
    const V r2 = hn::Mul(r, r);
    const V p23 = hn::MulAdd(hn::Set(d, 0x1.555554433c11ap-3), r, hn::Set(d, 0x1.0000003a23859p-1));
    const V p45 = hn::MulAdd(hn::Set(d, 0x1.111270b2c61edp-7), r, hn::Set(d, 0x1.55548dc47d56bp-5));
    const V p67 = hn::MulAdd(hn::Set(d, 0x1.9f0896b28e30ep-13), r, hn::Set(d, 0x1.6d8d06e981fa1p-10));
    return hn::MulAdd(hn::MulAdd(hn::MulAdd(p67, r2, p45), r2, p23), r2, hn::Add(r, one));
  } else {
    V p = hn::MulAdd(hn::Set(d, 1.0 / 6227020800), r, hn::Set(d, 1.0 / 479001600));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 39916800));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 3628800));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 362880));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 40320));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 5040));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 720));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 120));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 24));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 6));
    p = hn::MulAdd(p, r, hn::Set(d, 0.5));
    return hn::MulAdd(hn::MulAdd(p, r, one), r, one);
  }
}

/// Computes f in [0.7, 1.42] and the integer n in e^(x + rest) = f 2^n, for |x| <= 2^40. `rest` is the rounding error
/// of x; kNarrow ignores it.
template <bool kNarrow, class D, class V>
HWY_INLINE V ExpInParts(D d, V x, V rest, V& n) {
  const V shift = hn::Set(d, kWholeShift);
  n = hn::Sub(hn::MulAdd(x, hn::Set(d, kLog2e), shift), shift);
  if constexpr (kNarrow) {
    return ExpOfFraction<true>(d, hn::NegMulAdd(n, hn::Set(d, kLn2), x));
  } else {
    const V r = hn::NegMulAdd(n, hn::Set(d, kLn2High), x);
    return ExpOfFraction<false>(d, hn::NegMulAdd(n, hn::Set(d, kLn2Low), hn::Add(r, rest)));
  }
}

/// e^x for |x| <= 708. Relative error 5.3e-11 if kNarrow, else 1.1 ULP.
template <bool kNarrow, class D, class V>
  requires std::is_same_v<hn::TFromD<D>, double>
HWY_INLINE V Exp(D d, V x) {
  V n = hn::Undefined(d);
  const V fraction = ExpInParts<kNarrow>(d, x, hn::Zero(d), n);
  return hn::Mul(fraction, PowerOfTwo(d, n));
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
