// SPDX-License-Identifier: Apache-2.0
//
// The rounding error of a product of lanes. Included once per target.

#if defined(PORTACL_SIMD_PRODUCT_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_PRODUCT_H_
#undef PORTACL_SIMD_PRODUCT_H_
#else
#define PORTACL_SIMD_PRODUCT_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The upper half of the mantissa bits of a float32.
template <class D, class V>
HWY_INLINE V UpperDigits(D d, V x) {
  return hn::And(x, hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0xFFFFF000u)));
}

/// a b - product, where `product` is a b rounded. Exact, except for underflow and overflow.
template <class D, class V>
HWY_INLINE V LostInProduct(D d, V a, V b, V product) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulSub(a, b, product);
#else
  const V a_high = UpperDigits(d, a);
  const V b_high = UpperDigits(d, b);
  const V a_low = hn::Sub(a, a_high);
  const V b_low = hn::Sub(b, b_high);
  const V rest = hn::Sub(hn::Mul(a_high, b_high), product);
  return hn::Add(hn::Mul(a_low, b_low), hn::Add(hn::Mul(a_low, b_high), hn::Add(hn::Mul(a_high, b_low), rest)));
#endif
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
