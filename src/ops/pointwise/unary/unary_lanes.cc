// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/unary/unary_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/unary/unary_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "simd/exp_of_any.h"
#include "simd/log_of_any.h"
#include "simd/sin_cos.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::unary::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

#define PORTACL_LANES(name, expression)                        \
  struct name {                                                \
    template <class D, class V>                                \
    HWY_INLINE V operator()([[maybe_unused]] D d, V x) const { \
      return expression;                                       \
    }                                                          \
  }
PORTACL_LANES(Abs, hn::Abs(x));
PORTACL_LANES(Neg, hn::Neg(x));
PORTACL_LANES(Sqrt, hn::Sqrt(x));
PORTACL_LANES(Ceil, hn::CopySign(hn::Ceil(x), x));  // EMU128 changes the sign of zeros
PORTACL_LANES(Floor, hn::CopySign(hn::Floor(x), x));
PORTACL_LANES(Round, hn::CopySign(hn::Round(x), x));
PORTACL_LANES(Trunc, hn::CopySign(hn::Trunc(x), x));
PORTACL_LANES(Reciprocal, hn::Div(hn::Set(d, 1.0F), x));
PORTACL_LANES(Exp, simd::ExpOfAny(d, x));
PORTACL_LANES(Log, simd::LogOfAny(d, x));
PORTACL_LANES(Log1p, simd::Log1p(d, x));
PORTACL_LANES(Expm1, simd::Expm1(d, x));
PORTACL_LANES(Sin, simd::Sin(d, x));
PORTACL_LANES(Cos, simd::Cos(d, x));
#undef PORTACL_LANES

struct Sign {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0F);
    const V positive = hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), one);
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Neg(one), positive);
  }
};

PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_UNARY_LANES, 1, 0)

}  // namespace portacl::ops::unary::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::ops::unary {

loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target) {
  return PORTACL_FOR_TARGET(FindLanes, target)(function, dtype);
}

}  // namespace portacl::ops::unary
#endif  // HWY_ONCE
