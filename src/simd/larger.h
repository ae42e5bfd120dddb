// SPDX-License-Identifier: Apache-2.0
//
// The larger and the smaller of two numbers, NaN if one of them is NaN. Included once per target.

#if defined(PORTACL_SIMD_LARGER_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_LARGER_H_
#undef PORTACL_SIMD_LARGER_H_
#else
#define PORTACL_SIMD_LARGER_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Whether Max and Min give the second operand if one is NaN, or if the two are equal.
inline constexpr bool kPrefersSecond = HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128;

/// The larger of x and y; of two zeros, y.
template <class V>
HWY_INLINE V Larger(V x, V y) {
  if constexpr (kPrefersSecond) return hn::IfThenElse(hn::IsNaN(x), x, hn::Max(x, y));
  return hn::IfThenElse(hn::Or(hn::Gt(x, y), hn::IsNaN(x)), x, y);
}

/// The smaller of x and y; of two zeros, y.
template <class V>
HWY_INLINE V Smaller(V x, V y) {
  if constexpr (kPrefersSecond) return hn::IfThenElse(hn::IsNaN(x), x, hn::Min(x, y));
  return hn::IfThenElse(hn::Or(hn::Lt(x, y), hn::IsNaN(x)), x, y);
}

/// The larger of x and `low`, which is a number; of two zeros, x.
template <class D, class V>
HWY_INLINE V AtLeast(D d, V x, float low) {
  if constexpr (kPrefersSecond) return hn::Max(hn::Set(d, low), x);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, low)), hn::Set(d, low), x);
}

/// The smaller of x and `high`, which is a number; of two zeros, x.
template <class D, class V>
HWY_INLINE V AtMost(D d, V x, float high) {
  if constexpr (kPrefersSecond) return hn::Min(hn::Set(d, high), x);
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, high)), hn::Set(d, high), x);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
