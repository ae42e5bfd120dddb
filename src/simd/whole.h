// SPDX-License-Identifier: Apache-2.0
//
// Lanes rounded to whole numbers, which keep the sign of zero. Included once per target.

#if defined(PORTACL_SIMD_WHOLE_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_WHOLE_H_
#undef PORTACL_SIMD_WHOLE_H_
#else
#define PORTACL_SIMD_WHOLE_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// `rounded`, which is x rounded to a whole number, with the sign of x: EMU128 changes that of zeros.
template <class V>
HWY_INLINE V WithSign(V rounded, V x) {
  return HWY_TARGET == HWY_EMU128 ? hn::CopySign(rounded, x) : rounded;
}

template <class V>
HWY_INLINE V ToEven(V x) {
  return WithSign(hn::Round(x), x);
}
template <class V>
HWY_INLINE V Down(V x) {
  return WithSign(hn::Floor(x), x);
}
template <class V>
HWY_INLINE V Up(V x) {
  return WithSign(hn::Ceil(x), x);
}
template <class V>
HWY_INLINE V ToZero(V x) {
  return WithSign(hn::Trunc(x), x);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
