// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/logit/logit_lanes.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/logit/logit_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/map.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::logit::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Quotient {
  float lo;
  float hi;
  float outside;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V dy) const {
    // -0 counts as +0: divided by -0 the result would have the wrong sign.
    const V v = hn::Abs(x);
    // v (1 - v). Fused, v - v*v loses nothing to cancellation, and the quotient is within 1.5 ULP; unfused it would be
    // 2,900, but the product of two rounded factors keeps it within 2.1.
#if HWY_NATIVE_FMA
    const V slope = hn::NegMulAdd(v, v, v);
#else
    const V slope = hn::Mul(v, hn::Sub(hn::Set(d, 1.0f), v));
#endif
    // Written so that a NaN is not outside: it must come out as NaN, whatever the limits.
    const auto is_outside = hn::Or(hn::Lt(x, hn::Set(d, lo)), hn::Gt(x, hn::Set(d, hi)));
    // Outside, x may be so large that the quotient would be a subnormal, for which some processors need 70 ns.
    const V quotient = hn::Div(dy, hn::IfThenElse(is_outside, hn::Set(d, 1.0f), slope));
    return hn::IfThenElse(is_outside, hn::Set(d, outside), quotient);
  }
};

struct DyTimesInfinity {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V dy) const {
    const V product = hn::Mul(dy, hn::Set(d, std::numeric_limits<float>::infinity()));
    return hn::IfThenElse(hn::IsNaN(x), x, product);
  }
};

template <class T, class Kernel>
HWY_INLINE void MapRows(const Kernel& kernel, const loops::Tile& tile) {
  using Element = simd::HWY_NAMESPACE::Stored<T>;
  for (int64_t row = 0; row < tile.rows; ++row) {
    simd::HWY_NAMESPACE::Map<T>(kernel, static_cast<size_t>(tile.columns), tile.past_cache, tile.Row<Element>(2, row),
                                tile.Row<Element>(0, row), tile.Row<Element>(1, row));
  }
  if (tile.past_cache) hwy::FlushStream();
}

template <class T>
HWY_ATTR void LogitGrad(const loops::Tile& tile) {
  const auto& parameters = *static_cast<const LogitGradParameters*>(tile.parameters);
  if (parameters.infinite) {
    MapRows<T>(DyTimesInfinity{}, tile);
  } else {
    MapRows<T>(Quotient{parameters.lo, parameters.hi, parameters.outside}, tile);
  }
}

}  // namespace portacl::ops::logit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::ops::logit {

loops::LaneFunction LogitGradLanes(aclDataType dtype, int64_t target) {
  switch (dtype) {
    case ACL_FLOAT:
      return PORTACL_FOR_TARGET(LogitGrad<float>, target);
    case ACL_FLOAT16:
      return PORTACL_FOR_TARGET(LogitGrad<hwy::float16_t>, target);
    default:
      return PORTACL_FOR_TARGET(LogitGrad<hwy::bfloat16_t>, target);
  }
}

}  // namespace portacl::ops::logit
#endif  // HWY_ONCE
