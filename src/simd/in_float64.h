// SPDX-License-Identifier: Apache-2.0
//
// Functions of float32 lanes that are computed in float64 lanes. Included once per target.

#if defined(PORTACL_SIMD_IN_FLOAT64_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_IN_FLOAT64_H_
#undef PORTACL_SIMD_IN_FLOAT64_H_
#else
#define PORTACL_SIMD_IN_FLOAT64_H_
#endif

#include <cmath>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// function(dd, x...) rounded to float32. The x are widened to the float64 lanes `dd`, half a register at a time.
template <class D, class Function, class... V>
HWY_INLINE hn::VFromD<D> InFloat64(D d, const Function& function, V... x) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    const hn::Rebind<double, D> dd;
    const double result = hn::GetLane(function(dd, hn::PromoteTo(dd, x)...));
    // DemoteTo of EMU128 gives the largest finite value where the result rounds to infinity.
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

// A float64 division takes half of the time of a function with ten other operations. So where there is a 14-bit
// reciprocal, the division uses it, with the first terms of 1 / (1 - lost) = 1 + lost + lost^2 + ...

/// a / b with relative error 2^-41, for normal b whose reciprocal is normal. Other b give arbitrary bits.
template <class D, class V>
HWY_INLINE V Quotient([[maybe_unused]] D d, V a, V b) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) == 64) {
    const V r = V{_mm512_rcp14_pd(b.raw)};
    const V lost = hn::NegMulAdd(b, r, hn::Set(d, 1.0));
    const V quotient = hn::Mul(a, r);
    return hn::MulAdd(hn::MulAdd(lost, lost, lost), quotient, quotient);
  }
#endif
  return hn::Div(a, b);
}

/// x with 24 bits, rounded to odd: the last bit is 1 if the result is inexact. Rounding it again to fewer bits, such as
/// those of 16-bit elements, gives the same as rounding once.
template <class D, class V>
HWY_INLINE V CutToOdd(D d, V x) {
  const hn::RebindToUnsigned<D> words;
  const auto bits = hn::BitCast(words, x);
  const auto below_last = hn::Set(words, (uint64_t{1} << 29) - 1);
  // Carries into the last bit unless all lower bits are zero.
  const auto carried = hn::Add(hn::And(bits, below_last), below_last);
  return hn::BitCast(d, hn::AndNot(below_last, hn::Or(bits, carried)));
}

/// The results of `function`, cut to odd.
template <class Function>
struct RoundedToOdd {
  template <class D, class... V>
  HWY_INLINE hn::VFromD<D> operator()(D d, V... x) const {
    return CutToOdd(d, function(d, x...));
  }
  Function function = {};
};

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
