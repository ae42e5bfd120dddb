// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/regression/regression_lanes.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/regression/regression_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/loss_lanes.h"
#include "loops/elements/for_float.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::regression::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Square {
  template <class D, class V>
  HWY_INLINE V operator()(D, V self, V target) const {
    const V difference = hn::Sub(self, target);
    return hn::Mul(difference, difference);
  }
};
struct Distance {
  template <class D, class V>
  HWY_INLINE V operator()(D, V self, V target) const {
    return hn::Abs(hn::Sub(self, target));
  }
};

// The product with gradOutput comes first: the factor is small for a mean, and would make small differences subnormal.
template <class T>
struct SquareGradient {
  float factor;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad_output, V self, V target) const {
    const V difference = hn::Sub(self, target), by = hn::Set(d, factor);
    const V product = hn::Mul(difference, grad_output);
    const V result = hn::Mul(product, by);
    if constexpr (!std::is_same_v<T, hwy::float16_t>) {  // whose products are finite
      // An infinite gradOutput would be multiplied by 0 if the rest is small.
      const auto is_beyond = hn::And(hn::Eq(hn::Abs(product), hn::Inf(d)), hn::Lt(hn::Abs(grad_output), hn::Inf(d)));
      if (HWY_UNLIKELY(!hn::AllFalse(d, is_beyond)))
        return hn::IfThenElse(is_beyond, hn::Mul(hn::Mul(difference, by), grad_output), result);
    }
    return result;
  }
};

struct DistanceGradient {
  float factor;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad_output, V self, V target) const {
    const V zero = hn::Zero(d), difference = hn::Sub(self, target), by = hn::Set(d, factor);
    const auto has_sign = hn::Gt(hn::Abs(difference), zero);  // false for NaN
    return hn::Mul(hn::IfThenElse(has_sign, hn::CopySign(by, difference), zero), grad_output);
  }
};

template <class T, class Loss>
HWY_ATTR void LossOfTile(const loops::Tile& tile) {
  families::HWY_NAMESPACE::MapLosses<T>(Loss(), tile);
}
template <class T, class Loss>
HWY_ATTR void SumOfTile(const loops::Tile& tile) {
  families::HWY_NAMESPACE::AddLosses<T>(Loss(), tile);
}
template <class T, class Gradient>
HWY_ATTR void GradientOfTile(const loops::Tile& tile) {
  const auto& parameters = *static_cast<const families::LossGradientParameters*>(tile.parameters);
  families::HWY_NAMESPACE::MapLossGradients<T>(Gradient{parameters.factor}, tile);
}

families::LossLanes Find(Function function, aclDataType dtype) {
  return loops::ForFloat(dtype, [&]<class T>() {
    return function == Function::kMse ? families::LossLanes{&LossOfTile<T, Square>, &SumOfTile<T, Square>}
                                      : families::LossLanes{&LossOfTile<T, Distance>, &SumOfTile<T, Distance>};
  });
}
loops::LaneFunction FindGradient(Function function, aclDataType dtype) {
  return loops::ForFloat(dtype, [&]<class T>() {
    return function == Function::kMse ? &GradientOfTile<T, SquareGradient<T>> : &GradientOfTile<T, DistanceGradient>;
  });
}

}  // namespace portacl::ops::regression::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::regression, Lanes, (Function function, aclDataType dtype, int64_t target), Find,
                       function, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::regression, GradientLanes, (Function function, aclDataType dtype, int64_t target),
                       FindGradient, function, dtype)
