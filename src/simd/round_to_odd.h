// SPDX-License-Identifier: Apache-2.0
//
// Products and quotients of float32 lanes rounded to odd: what is rounded to 16 bits afterwards is the number nearest
// to the exact result. Products of 16-bit numbers and a fraction, as 0.1 is in float32, often lie so close to the
// middle between two 16-bit numbers that their nearest float32 is that middle. Included once per target.

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

/// For an exact result whose nearest float32 is `nearest`, and from which that differs by a number of the sign of `rest`:
/// the neighbour whose last bit is odd, or `nearest` where `rest` is 0 or NaN.
template <class D, class V>
HWY_INLINE V RoundToOdd(D d, V nearest, V rest) {
  const hn::RebindToSigned<D> words;
  const auto bits = hn::BitCast(words, nearest);
  // -1 where the exact result is closer to zero.
  const auto toward_zero = hn::ShiftRight<31>(hn::Xor(bits, hn::BitCast(words, rest)));
  const V odd = hn::BitCast(d, hn::Or(hn::Add(bits, toward_zero), hn::Set(words, 1)));
  return hn::IfThenElse(hn::Gt(hn::Abs(rest), hn::Zero(d)), odd, nearest);
}

// From here on the rests of products and quotients are numbers of float32.
constexpr float kLeastWithRest = 0x1p-100f;

/// Whether a lane is below that, but not 0.
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

// The sign of what rounding to `nearest` left of the result.
template <class Function>
struct RestOf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y, V nearest) const {
    const V rest = hn::Sub(Function()(d, x, y), nearest);
    return hn::IfThenElseZero(hn::Gt(hn::Abs(rest), hn::Zero(d)), hn::CopySign(hn::Set(d, 1.0), rest));
  }
};

/// Function()(x, y), computed in float64, where a subnormal float32 has fewer bits, too.
template <class D, class Function, class V>
HWY_INLINE V ToOddByFloat64(D d, const Function& function, V x, V y) {
  const V nearest = InFloat64(d, function, x, y);
  return RoundToOdd(d, nearest, InFloat64(d, RestOf<Function>(), x, y, nearest));
}

/// x y; the product of 24 bits and 11 is exact in float64.
template <class D, class V>
HWY_INLINE V ProductToOdd(D d, V x, V y) {
#if HWY_NATIVE_FMA
  const V product = hn::Mul(x, y);
  if (HWY_LIKELY(!HasTiny(d, product))) return RoundToOdd(d, product, hn::MulSub(x, y, product));
#endif
  return ToOddByFloat64(d, ProductOfLanes(), x, y);
}

/// x / y
template <class D, class V>
HWY_INLINE V QuotientToOdd(D d, V x, V y) {
#if HWY_NATIVE_FMA
  if (HWY_LIKELY(!HasTiny(d, x))) {
    const V quotient = hn::Div(x, y);
    const V rest = hn::NegMulAdd(quotient, y, x);  // of y times what is missing
    return RoundToOdd(d, quotient, hn::Xor(rest, hn::And(y, hn::SignBit(d))));
  }
#endif
  return ToOddByFloat64(d, QuotientOfLanes(), x, y);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
