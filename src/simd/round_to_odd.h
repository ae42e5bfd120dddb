// SPDX-License-Identifier: Apache-2.0
//
// Products and quotients of float32 lanes, rounded to odd: rounding them again to 16 bits gives the value nearest to
// the exact result. The product of a 16-bit element and a fraction, such as 0.1 in float32, is often so close to the
// middle between two 16-bit values that the nearest float32 is that middle. Included once per target.

#if defined(PORTACL_SIMD_ROUND_TO_ODD_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_ROUND_TO_ODD_H_
#undef PORTACL_SIMD_ROUND_TO_ODD_H_
#else
#define PORTACL_SIMD_ROUND_TO_ODD_H_
#endif

#include "hwy/highway.h"
#include "simd/in_float64.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rounds an exact result to odd. `nearest` is the nearest float32, `rest` has the sign of the exact result minus
/// `nearest`. Returns the neighbour of the exact result whose last bit is 1, or `nearest` if `rest` is 0 or NaN.
template <class D, class V>
HWY_INLINE V RoundToOdd(D d, V nearest, V rest) {
  const hn::RebindToSigned<D> words;
  const auto bits = hn::BitCast(words, nearest);
  // -1 where the exact result is closer to zero.
  const auto toward_zero = hn::ShiftRight<31>(hn::Xor(bits, hn::BitCast(words, rest)));
  const V odd = hn::BitCast(d, hn::Or(hn::Add(bits, toward_zero), hn::Set(words, 1)));
  return hn::IfThenElse(hn::Gt(hn::Abs(rest), hn::Zero(d)), odd, nearest);
}

// From here on, the rounding errors of products and quotients are representable in float32.
constexpr float kLeastWithRest = 0x1p-100f;

/// Whether a lane is below that limit, but not 0.
template <class D, class V>
HWY_INLINE bool HasTiny(D d, V v) {
  const auto is_tiny = hn::And(hn::Lt(hn::Abs(v), hn::Set(d, kLeastWithRest)), hn::Ne(v, hn::Zero(d)));
  return !hn::AllFalse(d, is_tiny);
}

struct ProductOfLanes {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Mul(x, y);
  }
};
struct QuotientOfLanes {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Div(x, y);
  }
};

// The sign of the exact result minus `nearest`.
template <class Function>
struct RestOf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y, V nearest) const {
    const V rest = hn::Sub(Function()(d, x, y), nearest);
    return hn::IfThenElseZero(hn::Gt(hn::Abs(rest), hn::Zero(d)), hn::CopySign(hn::Set(d, 1.0), rest));
  }
};

/// Function()(x, y), rounded to odd by way of float64, which also handles subnormal results with fewer bits.
template <class D, class Function, class V>
HWY_INLINE V ToOddByFloat64(D d, const Function& function, V x, V y) {
  const V nearest = InFloat64(d, function, x, y);
  return RoundToOdd(d, nearest, InFloat64(d, RestOf<Function>(), x, y, nearest));
}

/// x y, rounded to odd. The product of 24 bits and 11 bits is exact in float64.
template <class D, class V>
HWY_INLINE V ProductToOdd(D d, V x, V y) {
#if HWY_NATIVE_FMA
  const V product = hn::Mul(x, y);
  if (HWY_LIKELY(!HasTiny(d, product))) return RoundToOdd(d, product, hn::MulSub(x, y, product));
#endif
  return ToOddByFloat64(d, ProductOfLanes(), x, y);
}

/// x / y, rounded to odd.
template <class D, class V>
HWY_INLINE V QuotientToOdd(D d, V x, V y) {
#if HWY_NATIVE_FMA
  if (HWY_LIKELY(!HasTiny(d, x))) {
    const V quotient = hn::Div(x, y);
    const V rest = hn::NegMulAdd(quotient, y, x);  // y times the rounding error
    return RoundToOdd(d, quotient, hn::Xor(rest, hn::And(y, hn::SignBit(d))));
  }
#endif
  return ToOddByFloat64(d, QuotientOfLanes(), x, y);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
