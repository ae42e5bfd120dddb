// SPDX-License-Identifier: Apache-2.0
//
// The natural logarithm for float32 and for float64 lanes. Included once per target.
//
// m = 2^e f with f in [sqrt(1/2), sqrt 2). The difference between the bits of m and those of sqrt(1/2) has e in its
// upper bits, and the difference between the bits of f and those of sqrt(1/2) in its lower bits.

#if defined(PORTACL_SIMD_LOG_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_LOG_H_
#undef PORTACL_SIMD_LOG_H_
#else
#define PORTACL_SIMD_LOG_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "simd/exp.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr uint64_t kBitsOfRoot = 0x3FE6A09E667F3BCD;  // sqrt(1/2) as float64
inline constexpr int32_t kBitsOfFloatRoot = 0x3F3504F4;      // and as float32

/// f, from the difference between the bits of a float64 and kBitsOfRoot.
template <class D, class W>
HWY_INLINE hn::VFromD<D> FractionOf(D d, W from_root) {
  const hn::RebindToUnsigned<D> words;
  const W low = hn::And(from_root, hn::Set(words, (uint64_t{1} << 52) - 1));
  return hn::BitCast(d, hn::Add(low, hn::Set(words, kBitsOfRoot)));
}

/// p in ln(1 + x) = x + x^2 p, for 1 + x in [sqrt(1/2), sqrt 2). Minimax in relative error of the logarithm: 0.09 *
/// 2^-24. Even and odd powers are computed independently.
template <class D, class V>
HWY_INLINE V LogPolynomial(D d, V x, V x2) {
  V even = hn::MulAdd(hn::Set(d, -0x1.38304ep-4f), x2, hn::Set(d, -0x1.0f3764p-3f));
  V odd = hn::MulAdd(hn::Set(d, 0x1.084876p-3f), x2, hn::Set(d, 0x1.227198p-3f));
  even = hn::MulAdd(even, x2, hn::Set(d, -0x1.54276cp-3f));
  odd = hn::MulAdd(odd, x2, hn::Set(d, 0x1.99a3f4p-3f));
  even = hn::MulAdd(even, x2, hn::Set(d, -0x1.000426p-2f));
  odd = hn::MulAdd(odd, x2, hn::Set(d, 0x1.55555p-2f));
  even = hn::MulAdd(even, x2, hn::Set(d, -0x1.fffff8p-2f));
  return hn::MulAdd(odd, x, even);
}

/// x + x^2 p + n ln 2 in float32, for integers n below 2^11; x2 is x^2.
template <class D, class V>
HWY_INLINE V SumOfLog(D d, V p, V x, V x2, V n) {
  // ln 2 in two parts; the first is so short that its product with n is exact even without fused multiply-add.
  const V rest = hn::MulAdd(p, x2, hn::MulAdd(n, hn::Set(d, 0x1.0bfbe8p-15f), x));
  return hn::MulAdd(n, hn::Set(d, 0x1.62ep-1f), rest);
}

/// ln(1 + x) + n ln 2 in float32, for 1 + x in [sqrt(1/2), sqrt 2) and integers n below 2^11.
template <class D, class V>
HWY_INLINE V LogOfParts(D d, V x, V n) {
  const V x2 = hn::Mul(x, x);
  return SumOfLog(d, LogPolynomial(d, x, x2), x, x2, n);
}

/// Splits a normal x > 0 into (1 + rest) 2^n, with 1 + rest in [sqrt(1/2), sqrt 2). Returns rest.
template <class D, class V>
HWY_INLINE V SplitNormal(D d, V x, V& n) {
  const hn::RebindToSigned<D> integers;
  const auto from_root = hn::Sub(hn::BitCast(integers, x), hn::Set(integers, kBitsOfFloatRoot));
  const auto low = hn::And(from_root, hn::Set(integers, (1 << 23) - 1));
  n = hn::ConvertTo(d, hn::ShiftRight<23>(from_root));
  return hn::Sub(hn::BitCast(d, hn::Add(low, hn::Set(integers, kBitsOfFloatRoot))), hn::Set(d, 1.0f));
}

/// ln x in float32 for normal x > 0. Other x give arbitrary bits. Largest error 1.1 ULP.
template <class D, class V>
HWY_INLINE V Log(D d, V x) {
  V n = hn::Zero(d);
  const V rest = SplitNormal(d, x, n);
  return LogOfParts(d, rest, n);
}

/// ln(m 2^n) in float64, for m = 0 and normal m > 0, and any n but NaN. If m is infinite or NaN, the result is m. Error
/// 3.3e-16 of the larger of the two terms, or 3e-9 if kNarrow, which omits precision that float32 results cannot show.
template <bool kNarrow, class D, class V>
HWY_INLINE V LogOfScaled(D d, V m, V n) {
  const hn::RebindToUnsigned<D> words;
  const V one = hn::Set(d, 1.0);
  const auto from_root = hn::Sub(hn::BitCast(words, m), hn::Set(words, kBitsOfRoot));
  // 2^52 + 1023 + e, of which only e remains.
  const auto biased =
      hn::And(hn::Add(hn::ShiftRight<52>(from_root), hn::Set(words, uint64_t{1023})), hn::Set(words, uint64_t{4095}));
  const V shifted = hn::BitCast(d, hn::Or(biased, hn::BitCast(words, hn::Set(d, 0x1p52))));
  n = hn::Add(n, hn::Sub(shifted, hn::Set(d, 0x1p52 + 1023)));
  const V f = FractionOf(d, from_root);
  // ln f = 2 artanh s
  const V s = hn::Div(hn::Sub(f, one), hn::Add(f, one));
  const V z = hn::Mul(s, s);
  V p;
  if constexpr (kNarrow) {
    p = hn::Set(d, 2.0 / 9);
  } else {
    p = hn::MulAdd(hn::Set(d, 2.0 / 23), z, hn::Set(d, 2.0 / 21));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 19));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 17));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 15));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 13));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 11));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 9));
  }
  p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 7));
  p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 5));
  p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 3));
  p = hn::MulAdd(hn::Mul(p, z), s, hn::Add(s, s));
  V result;
  if constexpr (kNarrow) {
    result = hn::MulAdd(n, hn::Set(d, kLn2), p);
  } else {
    result = hn::MulAdd(n, hn::Set(d, kLn2High), hn::MulAdd(n, hn::Set(d, kLn2Low), p));
  }
  result = hn::IfThenElse(hn::Eq(m, hn::Zero(d)), hn::Neg(hn::Inf(d)), result);
  return hn::IfThenElse(hn::Lt(m, hn::Inf(d)), result, m);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
