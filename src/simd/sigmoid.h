// SPDX-License-Identifier: Apache-2.0
//
// The sigmoid for float32 lanes, sigmoid(x) = 1 / (1 + e^-x). Included once per target.

#if defined(PORTACL_SIMD_SIGMOID_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_SIGMOID_H_
#undef PORTACL_SIMD_SIGMOID_H_
#else
#define PORTACL_SIMD_SIGMOID_H_
#endif

#include "hwy/highway.h"
#include "simd/exp.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The largest float below ln 2^126: e^-|x| is a normal number up to here.
inline constexpr float kSigmoidLimit = 0x1.5d589ep6f;

/// Whether sigmoid(x) is less than the smallest normal float32.
template <class D, class V>
HWY_INLINE auto SigmoidUnderflows(D d, V x) {
  return hn::Lt(x, hn::Set(d, -kSigmoidLimit));
}

/// sigmoid(x), given e = e^-x.
template <class D, class V>
HWY_INLINE V SigmoidOfExp(D d, V e) {
  const V one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, e));
}

/// sigmoid(x) for any x: 0 where it underflows, NaN for NaN. Largest error 2.5 ULP, 3.5 if kNarrow.
template <bool kNarrow, class D, class V>
HWY_INLINE V Sigmoid(D d, V x) {
  const V e = hn::IfThenZeroElse(hn::Gt(x, hn::Set(d, kSigmoidLimit)), ExpOfNegative<kNarrow>(d, x));
  return hn::IfThenZeroElse(SigmoidUnderflows(d, x), SigmoidOfExp(d, e));
}

/// sigmoid(x) 2^rest, a normal number, for x >= -300, and e = e^-x 2^-rest. It serves products that are at least a
/// normal float32 although the sigmoid is not. `rest` is 0 where the sigmoid does not underflow. Elsewhere, the result
/// is so far above the smallest normal number that its products with small factors are not subnormal. NaN gives
/// arbitrary bits.
template <bool kNarrow, class D, class V>
HWY_INLINE V ScaledSigmoid(D d, V x, V& e, V& rest) {
  const V shifted = ShiftedExponentOfNegative(d, x);
  const V r = NegativeWithoutPowersOfTwo(d, x, hn::Sub(shifted, hn::Set(d, kExpShift)));
  rest = hn::IfThenElseZero(SigmoidUnderflows(d, x), hn::Sub(shifted, hn::Set(d, kExpShift + 96)));
  const V power = ExpOfParts<kNarrow>(d, r, hn::Sub(shifted, rest));
  e = hn::IfThenElseZero(hn::Le(x, hn::Set(d, kSigmoidLimit)), power);
  return SigmoidOfExp(d, e);
}

/// v 2^-rest for |v| < 2^126, where v is a product with ScaledSigmoid of x. Where the sigmoid underflows, a result
/// below the smallest normal number becomes 0: v is multiplied by zero, because processors are slow at subnormal
/// products. Requires -34 <= rest < 379, or, for kNear, which holds for x >= -140, 0 <= rest <= 126.
template <bool kNear, class D, class V>
HWY_INLINE V Unscaled(D d, V v, V x, V rest) {
  const V most = hn::Set(d, 126.0f);
  const auto lost = [&](V least) HWY_ATTR { return hn::And(SigmoidUnderflows(d, x), hn::Lt(hn::Abs(v), least)); };
  if constexpr (kNear) {
    const hn::RebindToUnsigned<D> du;
    const V least = PowerOfTwo(d, hn::Sub(rest, most));
    // 2^-rest: `least` is 2^(rest - 126), so the biased exponents of both sum to 128.
    const V power = hn::BitCast(d, hn::Sub(hn::Set(du, 128u << 23), hn::BitCast(du, least)));
    return hn::Mul(v, hn::IfThenZeroElse(lost(least), power));
  }
  const V none = hn::Set(d, -127.0f);
  const V least = PowerOfTwo(d, hn::Min(hn::Max(hn::Sub(rest, most), none), most));
  const V first = hn::Min(rest, most);
  const V second = hn::Min(hn::Sub(rest, first), most);
  const V power = hn::IfThenZeroElse(lost(least), PowerOfTwo(d, hn::Neg(second)));
  return hn::Mul(hn::Mul(v, power), PowerOfTwo(d, hn::Neg(first)));
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
