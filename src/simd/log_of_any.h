// SPDX-License-Identifier: Apache-2.0
//
// Logarithms for any float32 lanes. Included once per target.

#if defined(PORTACL_SIMD_LOG_OF_ANY_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_LOG_OF_ANY_H_
#undef PORTACL_SIMD_LOG_OF_ANY_H_
#else
#define PORTACL_SIMD_LOG_OF_ANY_H_
#endif

#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "simd/log.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// `result` where x is positive and finite; elsewhere the special value: -inf for 0, inf for inf, NaN for others.
template <class D, class V>
HWY_INLINE V LogOrSpecial(D d, V x, V result) {
  const V zero = hn::Zero(d);
  const V none = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  const V of_others = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(hn::Inf(d)), none);
  const V of_positive = hn::IfThenElse(hn::Lt(x, hn::Inf(d)), result, x);
  return hn::IfThenElse(hn::Gt(x, zero), of_positive, of_others);
}

/// SplitNormal for any positive x.
template <class D, class V>
HWY_INLINE V SplitForLog(D d, V x, V& n) {
  // Subnormals are scaled to normal numbers.
  const auto is_small = hn::Lt(x, hn::Set(d, 0x1p-126f));
  const V rest = SplitNormal(d, hn::IfThenElse(is_small, hn::Mul(x, hn::Set(d, 0x1p23f)), x), n);
  n = hn::Sub(n, hn::IfThenElseZero(is_small, hn::Set(d, 23.0f)));
  return rest;
}

#if HWY_TARGET == HWY_AVX3
// The processor splits a value into a mantissa in [3/4, 3/2) and an exponent. Negative values have the mantissa NaN, 0
// and infinity have infinite exponents. So a logarithm takes 0.6 of the time that it takes by operations on bits.
#define PORTACL_LOG_SPLITS 1
template <class D, class V>
HWY_INLINE V SplitByExponent(D d, V x, V& n) {
  static_assert(sizeof(V) == 64, "a whole register");
  const V f{_mm512_getmant_ps(x.raw, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan)};
  n = hn::Sub(V{_mm512_getexp_ps(x.raw)}, V{_mm512_getexp_ps(f.raw)});
  return hn::Sub(f, hn::Set(d, 1.0f));
}

/// LogPolynomial for 1 + x in [3/4, 3/2), by least squares with weights that grow with the error.
template <class D, class V>
HWY_INLINE V SplitLogPolynomial(D d, V x, V x2) {
  V even = hn::MulAdd(hn::Set(d, -0x1.71e32cp-5f), x2, hn::Set(d, -0x1.0d98fp-3f));
  V odd = hn::MulAdd(hn::Set(d, 0x1.acf4a8p-4f), x2, hn::Set(d, 0x1.28807ap-3f));
  even = hn::MulAdd(even, x2, hn::Set(d, -0x1.54ed96p-3f));
  odd = hn::MulAdd(odd, x2, hn::Set(d, 0x1.99699ep-3f));
  even = hn::MulAdd(even, x2, hn::Set(d, -0x1.00004ap-2f));
  odd = hn::MulAdd(odd, x2, hn::Set(d, 0x1.5555a4p-2f));
  // One half is subtracted last, so that the rounding errors before it have less effect.
  return hn::Sub(hn::MulAdd(odd, x, hn::Mul(even, x2)), hn::Set(d, 0.5f));
}
#else
#define PORTACL_LOG_SPLITS 0
#endif

#if HWY_TARGET == HWY_AVX2
// Whether all elements are positive normal numbers. Then logarithms need no selects, each of which is three operations
// on some processors: Log takes 0.63 of the time, and 1.28 times as long where every register has others (Golden Cove).
template <class D, class V>
HWY_INLINE bool ArePositiveNormal(D, V x) {
  const hn::RebindToSigned<D> integers;
  // The bits of a normal number are in [0x00800000, 0x7F800000). Here they become the least numbers.
  const auto bits = hn::Add(hn::BitCast(integers, x), hn::Set(integers, 0x7F800000));
  return hn::AllTrue(integers, hn::Lt(bits, hn::Set(integers, -0x01000000)));
}
#endif

/// ln x for any x: -inf for zeros, NaN for negative x. Largest error 1.0 ULP, 1.1 without fused multiply-add.
template <class D, class V>
HWY_INLINE V LogOfAny(D d, V x) {
#if HWY_TARGET == HWY_AVX2
  if (HWY_LIKELY(ArePositiveNormal(d, x))) return HWY_NAMESPACE::Log(d, x);  // not Highway's
#endif
  V n = hn::Zero(d);
#if PORTACL_LOG_SPLITS
  const V rest = SplitByExponent(d, x, n);
  const V square = hn::Mul(rest, rest);
  return SumOfLog(d, SplitLogPolynomial(d, rest, square), rest, square, n);
#else
  const V rest = SplitForLog(d, x, n);
  return LogOrSpecial(d, x, LogOfParts(d, rest, n));
#endif
}

/// A base b. 1 / ln b = `half` + `rest`, where products with `half` are exact. ln 2 / ln b is in two parts, of which
/// the first is so short that its product with n is exact. The second part is not 0, as exponents may be infinite.
struct LogBase {
  float scale;
  float half, rest;
  float two_high, two_low;
};
inline constexpr LogBase kBaseTwo = {0x1.715476p0f, 1, 0x1.c551dap-2f, 1, 0x1p-100f};
inline constexpr LogBase kBaseTen = {0x1.bcb7b2p-2f, 0.5f, -0x1.0d213ap-4f, 0x1.344p-2f, 0x1.3509f8p-18f};

/// The logarithm to this base for any x, see LogOfAny. Largest error 1.6 ULP, 1.7 without fused multiply-add.
template <class D, class V>
HWY_INLINE V LogToBase(D d, V x, const LogBase& base) {
  V n = hn::Zero(d);
  const V two_high = hn::Set(d, base.two_high);
  const auto low_part = [&](V rest, V curve) {
    const V sum = hn::MulAdd(rest, hn::Set(d, base.rest), hn::Mul(n, hn::Set(d, base.two_low)));
    return hn::MulAdd(curve, hn::Set(d, base.scale), sum);
  };
#if PORTACL_LOG_SPLITS
  const V rest = SplitByExponent(d, x, n);
  const V square = hn::Mul(rest, rest);
  const V low = low_part(rest, hn::Mul(SplitLogPolynomial(d, rest, square), square));
  // Terms cancel more than with a mantissa around 1. They do so most for n = 1 and -1, where this sum is exact.
  return hn::Add(hn::MulAdd(n, two_high, hn::Mul(rest, hn::Set(d, base.half))), low);
#else
  const auto of_parts = [&](V rest) {
    const V square = hn::Mul(rest, rest);
    const V low = low_part(rest, hn::Mul(LogPolynomial(d, rest, square), square));
    return hn::MulAdd(n, two_high, hn::MulAdd(rest, hn::Set(d, base.half), low));
  };
#if HWY_TARGET == HWY_AVX2
  if (HWY_LIKELY(ArePositiveNormal(d, x))) return of_parts(SplitNormal(d, x, n));
#endif
  return LogOrSpecial(d, x, of_parts(SplitForLog(d, x, n)));
#endif
}
#undef PORTACL_LOG_SPLITS

/// ln(1 + x) for any x: -inf for -1, NaN below. Keeps the sign of zero. Largest error 1.6 ULP.
template <class D, class V>
HWY_INLINE V Log1p(D d, V x) {
  const hn::RebindToSigned<D> integers;
  const V one = hn::Set(d, 1.0f);
  const V whole = hn::Add(x, one);
  // 1 + x = 2^n f as in Log, with f - 1 = x 2^-n + (2^-n - 1), so that no bits of x are lost.
  const auto from_root = hn::Sub(hn::BitCast(integers, whole), hn::Set(integers, kBitsOfFloatRoot));
  const auto n = hn::ShiftRight<23>(from_root);
  const V scale = hn::BitCast(d, hn::Sub(hn::BitCast(integers, hn::Set(d, 0x1p64f)), hn::ShiftLeft<23>(n)));
  const V least = hn::Set(d, 0x1p-64f);
  const V rest = hn::MulAdd(hn::Mul(x, least), scale, hn::MulSub(scale, least, one));
  const V result = LogOrSpecial(d, whole, LogOfParts(d, rest, hn::ConvertTo(d, n)));
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-26f)), x, result);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
