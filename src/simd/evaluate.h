// SPDX-License-Identifier: Apache-2.0
//
// Passes one register through a kernel, see map.h. Included once per target.

#if defined(PORTACL_SIMD_EVALUATE_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_EVALUATE_H_
#undef PORTACL_SIMD_EVALUATE_H_
#else
#define PORTACL_SIMD_EVALUATE_H_
#endif

#include <array>
#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// kernel(in...). On EMU128, Highway expands every operation to code for every lane, which would make the fallback
/// larger than all other targets together. So there the kernel is called for one lane at a time.
#if HWY_TARGET == HWY_EMU128
template <class D>
std::array<hn::TFromD<D>, hn::MaxLanes(D())> LanesOf(D d, hn::VFromD<D> v) {
  std::array<hn::TFromD<D>, hn::MaxLanes(D())> lanes;
  hn::StoreU(v, d, lanes.data());
  return lanes;
}

template <class D, class Kernel, class... V>
HWY_NOINLINE hn::VFromD<D> Evaluate(D d, const Kernel& kernel, V... in) {
  using T = hn::TFromD<D>;
  constexpr size_t kLanes = hn::MaxLanes(D());
  const hn::CappedTag<T, 1> one;
  T out[kLanes];
  const auto each = [&](auto... lanes) {
    for (size_t i = 0; i < kLanes; ++i) hn::StoreU(kernel(one, hn::Set(one, lanes[i])...), one, out + i);
  };
  each(LanesOf(d, in)...);
  return hn::LoadU(d, out);
}
#else
template <class D, class Kernel, class... V>
HWY_INLINE hn::VFromD<D> Evaluate(D d, const Kernel& kernel, V... in) {
  return kernel(d, in...);
}
#endif

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
