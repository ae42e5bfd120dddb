// SPDX-License-Identifier: Apache-2.0
//
// Functions of float32 lanes computed in float64 lanes. Included once per target.

#if defined(PORTACL_SIMD_IN_FLOAT64_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_IN_FLOAT64_H_
#undef PORTACL_SIMD_IN_FLOAT64_H_
#else
#define PORTACL_SIMD_IN_FLOAT64_H_
#endif

#include <cmath>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// function(dd, x...) rounded to float32, the x being widened to the float64 lanes `dd`, half a register at a time.
template <class D, class Function, class... V>
HWY_INLINE hn::VFromD<D> InFloat64(D d, const Function& function, V... x) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    const hn::Rebind<double, D> dd;
    const double result = hn::GetLane(function(dd, hn::PromoteTo(dd, x)...));
    // DemoteTo of EMU128 makes the largest finite number of what rounds to infinity.
    if (std::abs(result) >= 0x1.ffffffp127) return hn::Set(d, result > 0 ? HUGE_VALF : -HUGE_VALF);
    return hn::Set(d, static_cast<float>(result));
  } else {
    const hn::Half<D> half;
    const hn::Rebind<double, decltype(half)> dd;
    const auto lower = hn::DemoteTo(half, function(dd, hn::PromoteTo(dd, hn::LowerHalf(half, x))...));
    const auto upper = hn::DemoteTo(half, function(dd, hn::PromoteTo(dd, hn::UpperHalf(half, x))...));
    return hn::Combine(d, upper, lower);
  }
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
