// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/arithmetic/arithmetic_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/arithmetic/arithmetic_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::arithmetic::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using ScalarsOfCall = families::Scalars<float>;

struct FirstScalar {
  explicit FirstScalar(const ScalarsOfCall& scalars) : scalar(scalars.values[0]) {}
  float scalar;
};

struct Add : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::MulAdd(hn::Set(d, scalar), y, x);
  }
};

struct Sub : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::NegMulAdd(hn::Set(d, scalar), y, x);
  }
};

struct Mul {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Mul(x, y);
  }
};

struct Div {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Div(x, y);
  }
};

// Cut off. EMU128 changes the sign of zeros.
struct DivTrunc {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    const V quotient = hn::Div(x, y);
    return hn::CopySign(hn::Trunc(quotient), quotient);
  }
};

struct Maximum {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::IfThenElse(hn::Or(hn::Gt(x, y), hn::IsNaN(x)), x, y);
  }
};

struct Minimum {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::IfThenElse(hn::Or(hn::Lt(x, y), hn::IsNaN(x)), x, y);
  }
};

struct Adds : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Add(x, hn::Set(d, scalar));
  }
};

struct Muls : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, hn::Set(d, scalar));
  }
};

struct Divs : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(x, hn::Set(d, scalar));
  }
};

struct DivsTrunc : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return DivTrunc()(d, x, hn::Set(d, scalar));
  }
};

struct Rsubs {
  explicit Rsubs(const ScalarsOfCall& scalars) : other(scalars.values[0]), alpha(scalars.values[1]) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::NegMulAdd(hn::Set(d, alpha), x, hn::Set(d, other));
  }
  float other, alpha;
};

PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_ARITHMETIC_TENSOR_LANES, 2, 3)
PORTACL_LANE_TABLE(FindScalarLanes, ScalarFunction, PORTACL_ARITHMETIC_SCALAR_LANES, 1, 0)

}  // namespace portacl::ops::arithmetic::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::ops::arithmetic {

loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target) {
  return PORTACL_FOR_TARGET(FindLanes, target)(function, dtype);
}

loops::LaneFunction Lanes(ScalarFunction function, aclDataType dtype, int64_t target) {
  return PORTACL_FOR_TARGET(FindScalarLanes, target)(function, dtype);
}

}  // namespace portacl::ops::arithmetic
#endif  // HWY_ONCE
