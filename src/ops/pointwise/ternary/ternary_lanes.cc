// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/ternary/ternary_lanes.h"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/ternary/ternary_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::ternary::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using ScalarsOfCall = families::Scalars<float>;

struct WithScalar {
  explicit WithScalar(const ScalarsOfCall& scalars) : scalar(scalars.values[0]) {}
  float scalar;
};

struct Addcmul : WithScalar {
  using WithScalar::WithScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V tensor1, V tensor2) const {
    return hn::MulAdd(hn::Mul(hn::Set(d, scalar), tensor1), tensor2, x);
  }
};

struct Addcdiv : WithScalar {
  using WithScalar::WithScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V tensor1, V tensor2) const {
    return hn::MulAdd(hn::Set(d, scalar), hn::Div(tensor1, tensor2), x);
  }
};

struct Lerp {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V end, V weight) const {
    const V way = hn::Sub(end, x);
    const V from_start = hn::MulAdd(weight, way, x);
    const V from_end = hn::NegMulAdd(way, hn::Sub(hn::Set(d, 1.0F), weight), end);
    return hn::IfThenElse(hn::Lt(hn::Abs(weight), hn::Set(d, 0.5F)), from_start, from_end);
  }
};

struct Lerps : WithScalar {
  using WithScalar::WithScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V end) const {
    return Lerp()(d, x, end, hn::Set(d, scalar));
  }
};

// OWN: for FLOAT, FLOAT16 and BFLOAT16.
// clang-format off
#define PORTACL_LANES_OF(WIDE, OWN) \
  OWN(Addcmul) \
  OWN(Addcdiv) \
  OWN(Lerp) \
  OWN(Lerps)
// clang-format on
PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_LANES_OF)
#undef PORTACL_LANES_OF

}  // namespace portacl::ops::ternary::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::ternary, Lanes, (Function function, aclDataType dtype, int64_t target), FindLanes,
                       function, dtype)
