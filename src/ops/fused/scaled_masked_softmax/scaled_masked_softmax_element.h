// SPDX-License-Identifier: Apache-2.0
//
// The forward operator on a register of elements: exponentials of differences from the largest element of a row.
// Included once per target.

#if defined(PORTACL_SCALED_MASKED_SOFTMAX_ELEMENT_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SCALED_MASKED_SOFTMAX_ELEMENT_H_
#undef PORTACL_SCALED_MASKED_SOFTMAX_ELEMENT_H_
#else
#define PORTACL_SCALED_MASKED_SOFTMAX_ELEMENT_H_
#endif

#include "hwy/highway.h"
#include "simd/exp.h"
#include "simd/row.h"
#include "simd/row_softmax.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::scaled_masked_softmax::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using simd::FloatLanes;
using simd::FloatVector;
using simd::kFused;
using FloatMask = hn::Mask<FloatLanes>;

constexpr float kFill = -10000;
constexpr float kInfinity = __builtin_inff();

// If the largest t of a row is below this, ExpOfDifference computes differences exactly; without fused multiply-add,
// almost exactly.
constexpr float kNear = kFused ? 8192 : 1024;

// x * c - s for an s near the product, rounded once.
HWY_INLINE FloatVector ProductLess(FloatVector x, FloatVector c, FloatVector s) {
  if constexpr (kFused) return hn::MulSub(x, c, s);
  // Splits the factors into halves, whose products are exact.
  const FloatLanes d;
  const FloatVector upper = hn::BitCast(d, hn::Set(simd::WordLanes(), 0xFFFFF000u));
  const FloatVector x_upper = hn::And(x, upper);
  const FloatVector c_upper = hn::And(c, upper);
  const FloatVector x_lower = hn::Sub(x, x_upper);
  const FloatVector c_lower = hn::Sub(c, c_upper);
  const FloatVector near = hn::Add(hn::Sub(hn::Mul(x_upper, c_upper), s), hn::Mul(x_upper, c_lower));
  return hn::Add(hn::Add(near, hn::Mul(x_lower, c_upper)), hn::Mul(x_lower, c_lower));
}

// The largest t of a row, which is subtracted from all t. A FLOAT row can have t - most down to -87, and rounding that
// difference would cost the exponential 32 ULP. So most is rounded down to a multiple of 2^-9, and ln 2 is split into
// 355/512 and a remainder: most + k * 355/512 is then exact, and t minus that is small and rounded once.
HWY_INLINE FloatVector RoundedDown(FloatVector most) {
  const FloatLanes d;
  const FloatVector shift = hn::Set(d, 0x1.8p14f);  // the last bit of floats of this size is 2^-9
  return hn::Sub(hn::Add(hn::Sub(most, hn::Set(d, 0x1p-10f)), shift), shift);
}

HWY_INLINE FloatMask IsNear(FloatVector most) { return hn::Lt(hn::Abs(most), hn::Set(FloatLanes(), kNear)); }

// t - most, with the product t not rounded.
HWY_INLINE FloatVector Difference(FloatVector x, FloatVector c, FloatMask mask, FloatVector most) {
  const FloatLanes d;
  return hn::IfThenElse(mask, hn::Sub(hn::Set(d, kFill), most), hn::MulSub(x, c, most));
}

// The largest difference of a row shows how much rounding reduced its largest t: beyond 2^24 that is more than an
// exponential can represent.
HWY_INLINE FloatVector RestOf(FloatVector largest_difference) {
  const FloatLanes d;
  const FloatVector size = hn::Abs(largest_difference);
  const FloatMask counts = hn::And(hn::Gt(size, hn::Set(d, 1.0f)), hn::Lt(size, hn::Set(d, kInfinity)));
  return hn::IfThenElseZero(counts, largest_difference);
}

// e^(t - most), or 0 where that is subnormal. `near` is 1 for rows whose largest t is near zero; `most` is that t
// rounded down. For other rows `near` is 0, and `rest` is the difference of the largest t and `most`. kAllNear: all
// rows are near, and masked elements are skipped and become 0.
template <class T, bool kAllNear>
PORTACL_LANE_INLINE FloatVector ExpOfDifference(FloatVector x, FloatVector c, FloatMask mask, FloatVector most,
                                                FloatVector near, FloatVector rest) {
  const FloatLanes d;
  constexpr bool kNarrow = sizeof(T) == 2;
  FloatVector difference = kAllNear ? hn::MulSub(x, c, most) : hn::Sub(Difference(x, c, mask, most), rest);
  FloatMask skip = hn::Lt(difference, hn::Set(d, simd::kLeastExponent));
  if constexpr (kAllNear) skip = hn::Or(skip, mask);
  difference = hn::IfThenZeroElse(skip, difference);
  if constexpr (kNarrow) return hn::IfThenZeroElse(skip, simd::Exp<true>(d, difference));
  const FloatVector shifted = simd::ShiftedExponent(d, difference);
  const FloatVector k = hn::Sub(shifted, hn::Set(d, simd::kExpShift));
  const FloatVector upper = hn::Set(d, 355.0f / 512);
  FloatVector r = ProductLess(x, c, hn::MulAdd(k, upper, most));
  if constexpr (!kAllNear) {
    const FloatMask exact = hn::AndNot(mask, hn::Ne(near, hn::Zero(d)));
    r = hn::IfThenElse(exact, r, hn::NegMulAdd(k, upper, difference));
  }
  r = hn::NegMulAdd(k, hn::Set(d, -0x1.bd0106p-13f), r);
  return hn::IfThenZeroElse(skip, simd::ExpOfParts<false>(d, r, shifted));
}

}  // namespace portacl::ops::scaled_masked_softmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
