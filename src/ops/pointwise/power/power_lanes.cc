// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/power/power_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/power/power_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "simd/dispatch.h"
#include "simd/pow.h"
#include "simd/square_root.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::power::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

struct WithScalar {
  explicit WithScalar(const families::Scalars<float>& scalars) : scalar(scalars.values[0]) {}
  float scalar;
};

struct PowTensorTensor {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return simd::Pow(d, x, y);
  }
};

struct PowTensorScalar : WithScalar {
  using WithScalar::WithScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::Pow(d, x, hn::Set(d, scalar));
  }
};

struct PowScalarTensor : WithScalar {
  using WithScalar::WithScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y) const {
    return simd::Pow(d, hn::Set(d, scalar), y);
  }
};

struct Square {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Mul(x, x);
  }
};

using SquareRoot = simd::SquareRootLanes;

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
// clang-format off
#define PORTACL_LANES_OF(WIDE, OWN) \
  WIDE(PowTensorTensor) \
  WIDE(PowTensorScalar) \
  WIDE(PowScalarTensor) \
  OWN(Square) \
  OWN(SquareRoot)
// clang-format on
PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_LANES_OF)
#undef PORTACL_LANES_OF

}  // namespace portacl::ops::power::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::power, Lanes, (Function function, aclDataType dtype, int64_t target), FindLanes,
                       function, dtype)
