// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_lanes.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/smooth_l1_loss/smooth_l1_loss_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/loss_lanes.h"
#include "loops/elements/for_float.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::smooth_l1_loss::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using families::HWY_NAMESPACE::AddLosses;
using families::HWY_NAMESPACE::MapLosses;
using families::HWY_NAMESPACE::MapLossGradients;

// With c = min(|d|, beta) both branches are (c / beta) (|d| - c / 2): the quotient is 1 where |d| >= beta. With beta =
// 1, the usual value, no quotient is needed: a sum is then as fast as the second-level cache.
template <bool kUnit>
struct Loss {
  LossParameters p;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V self, V target) const {
    const V magnitude = hn::Abs(hn::Sub(self, target));
    const V c = hn::Min(hn::Set(d, p.beta), magnitude);  // a NaN is propagated by the other factor
    const V rest = hn::NegMulAdd(c, hn::Set(d, 0.5f), magnitude);
    return hn::Mul(Quotient(d, c), rest);
  }

 private:
  template <class D, class V>
  HWY_INLINE V Quotient(D d, V c) const {
    if constexpr (kUnit) return c;
#if HWY_NATIVE_FMA
    // A division takes longer than the loads; multiplying c with both parts of 1 / beta is as exact, except for 2^-48.
    if (HWY_LIKELY(!p.divides))
      return hn::MulAdd(c, hn::Set(d, p.slope), hn::MulAdd(c, hn::Set(d, p.slope_rest), hn::Set(d, p.offset)));
#endif
    return hn::Add(hn::Div(c, hn::Set(d, p.divisor)), hn::Set(d, p.offset));
  }
};

// In the range of FLOAT16 no quotient is close to subnormal.
template <class T>
constexpr bool kMayBeTiny = !std::is_same_v<T, hwy::float16_t>;

template <class T>
struct Gradient {
  GradientParameters p;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad_out, V self, V target) const {
    const V difference = hn::Sub(self, target);
    const V magnitude = hn::Abs(difference);
    // The comparison is false for NaN, which is then propagated.
    const auto only_sign = hn::Ge(magnitude, hn::Set(d, p.limit));
    const V sign = hn::CopySign(hn::Set(d, p.norm), difference);
    const V result = hn::Mul(hn::IfThenElse(only_sign, sign, Quotient(d, difference)), grad_out);
    if constexpr (kMayBeTiny<T>) {
      // 0 < |d| < rescaled_below, as positive floats are ordered as their bits.
      const hn::RebindToUnsigned<D> du;
      const auto below = hn::Sub(hn::BitCast(du, magnitude), hn::Set(du, 1));
      const auto is_rescaled = hn::Lt(below, hn::Set(du, p.rescaled_below - 1));
      if (HWY_UNLIKELY(!hn::AllFalse(du, is_rescaled))) {
        const auto replaced = hn::AndNot(only_sign, hn::RebindMask(d, is_rescaled));
        return hn::IfThenElse(replaced, Rescaled(d, grad_out, difference, magnitude), result);
      }
    }
    return result;
  }

 private:
  template <class D, class V>
  HWY_INLINE V Quotient(D d, V difference) const {
#if HWY_NATIVE_FMA
    const V rest = hn::Mul(difference, hn::Set(d, p.slope_rest));
    return hn::MulAdd(difference, hn::Set(d, p.slope), rest);
#else
    return hn::Div(difference, hn::Set(d, p.divisor));
#endif
  }

  // For quotients that would be subnormal and lose bits before a large gradOut makes the product a normal number again:
  // the quotient is scaled by 2^100, and gradOut by 2^-100. Only the quotient and the last product round: scaling by
  // powers of two is exact.
  template <class D, class V>
  HWY_NOINLINE V Rescaled(D d, V grad_out, V difference, V magnitude) const {
    const V one = hn::Set(d, 1.0f);
    const auto is_tiny = hn::Lt(magnitude, hn::Set(d, p.tiny));
    const V scaled = hn::Mul(difference, hn::IfThenElse(is_tiny, hn::Set(d, 0x1p100f), hn::Set(d, p.rescaling)));
    const V divisor = hn::Set(d, p.rescaled_divisor);
    const V factor = hn::Mul(grad_out, hn::IfThenElse(is_tiny, hn::Set(d, 0x1p-100f), one));
    const V quotient = hn::Div(scaled, divisor);
    return hn::Mul(hn::Mul(quotient, factor), hn::IfThenElse(is_tiny, hn::Set(d, p.rescaling), one));
  }
};

// A gradient whose quotients need no rescaling, because beta is 1 (kUnit), or because the dtype has 16 bits: it takes
// fewer operations. NaN is propagated as the second operand of a minimum and a maximum.
template <bool kUnit>
struct ShortGradient {
  GradientParameters p;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad_out, V self, V target) const {
    const V difference = hn::Sub(self, target);
    const V quotient = kUnit ? difference : hn::Mul(difference, hn::Set(d, p.narrow_slope));
    const V one = hn::Set(d, 1.0f);
    const V u = hn::Max(hn::Neg(one), hn::Min(one, quotient));
#if HWY_ARCH_ARM || HWY_TARGET == HWY_EMU128
    // On this target the number is returned, not the second operand.
    const V product = hn::Mul(hn::IfThenElse(hn::IsNaN(difference), difference, u), grad_out);
#else
    const V product = hn::Mul(u, grad_out);
#endif
    return kUnit ? product : hn::Mul(product, hn::Set(d, p.norm));
  }
};

template <class T>
HWY_ATTR void LossOfTile(const loops::Tile& tile) {
  MapLosses<T>(Loss<false>{*static_cast<const LossParameters*>(tile.parameters)}, tile);
}

template <class T>
HWY_ATTR void LossSumOfTile(const loops::Tile& tile) {
  const auto& parameters = *static_cast<const LossParameters*>(tile.parameters);
  parameters.beta == 1 ? AddLosses<T>(Loss<true>{parameters}, tile) : AddLosses<T>(Loss<false>{parameters}, tile);
}

template <class T>
HWY_ATTR void GradientOfTile(const loops::Tile& tile) {
  const auto& parameters = *static_cast<const GradientParameters*>(tile.parameters);
  if (parameters.limit == 1 && parameters.norm == 1) return MapLossGradients<T>(ShortGradient<true>{parameters}, tile);
  if constexpr (!std::is_same_v<T, float>) {
    if (parameters.narrow_slope != 0) return MapLossGradients<T>(ShortGradient<false>{parameters}, tile);
  }
  MapLossGradients<T>(Gradient<T>{parameters}, tile);
}

loops::LaneFunction FindLoss(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return LossOfTile<T>; });
}
loops::LaneFunction FindLossSum(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return LossSumOfTile<T>; });
}
loops::LaneFunction FindGradient(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return GradientOfTile<T>; });
}

}  // namespace portacl::ops::smooth_l1_loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::smooth_l1_loss, LossLanes, (aclDataType dtype, int64_t target), FindLoss, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::smooth_l1_loss, LossSumLanes, (aclDataType dtype, int64_t target), FindLossSum,
                       dtype)
PORTACL_DISPATCH_LANES(portacl::ops::smooth_l1_loss, GradientLanes, (aclDataType dtype, int64_t target), FindGradient,
                       dtype)
