// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/selection/selection_lanes.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/selection/selection_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "simd/dispatch.h"
#include "simd/larger.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::selection::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// A NaN without the payload bits that bfloat16 cannot hold: NarrowResults would carry them into the sign.
float WithoutPayload(float x) { return x == x ? x : std::numeric_limits<float>::quiet_NaN(); }

struct TwoScalars {
  explicit TwoScalars(const families::Scalars<float>& scalars)
      : first(WithoutPayload(scalars.values[0])), second(WithoutPayload(scalars.values[1])) {}
  float first, second;
};

// The larger and the smaller of x and a value. Elements at or beyond the limit become the value; for a NaN value that
// is every number.
struct Bound {
  Bound(float bound, float beyond_all)
      : limit(bound == bound ? bound : beyond_all), value(bound), is_ordinary(bound != 0 && bound == bound) {}
  template <class D, class V>
  HWY_INLINE V Larger(D d, V x) const {
    if (is_ordinary) return simd::AtLeast(d, x, value);
    return hn::IfThenElse(hn::Le(x, hn::Set(d, limit)), hn::Set(d, value), x);
  }
  template <class D, class V>
  HWY_INLINE V Smaller(D d, V x) const {
    if (is_ordinary) return simd::AtMost(d, x, value);
    return hn::IfThenElse(hn::Ge(x, hn::Set(d, limit)), hn::Set(d, value), x);
  }
  float limit, value;
  bool is_ordinary;  // neither 0, whose sign matters, nor NaN
};
Bound Low(float bound) { return Bound(WithoutPayload(bound), std::numeric_limits<float>::infinity()); }
Bound High(float bound) { return Bound(WithoutPayload(bound), -std::numeric_limits<float>::infinity()); }

struct Clamp {
  explicit Clamp(const families::Scalars<float>& scalars)
      : low(Low(scalars.values[0])), high(High(scalars.values[1])) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return high.Smaller(d, low.Larger(d, x));
  }
  Bound low, high;
};

struct ClampMin {
  explicit ClampMin(const families::Scalars<float>& scalars) : low(Low(scalars.values[0])) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return low.Larger(d, x);
  }
  Bound low;
};

struct ClampMax {
  explicit ClampMax(const families::Scalars<float>& scalars) : high(High(scalars.values[0])) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return high.Smaller(d, x);
  }
  Bound high;
};

struct Threshold : TwoScalars {
  using TwoScalars::TwoScalars;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::IfThenElse(hn::Le(x, hn::Set(d, first)), hn::Set(d, second), x);  // false for NaN
  }
};

struct NanToNum {
  explicit NanToNum(const families::Scalars<float>& scalars)
      : nan(WithoutPayload(scalars.values[0])),
        high(WithoutPayload(scalars.values[1])),
        low(WithoutPayload(scalars.values[2])) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Inf(d))))) return x;
    const V infinite = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Set(d, high), hn::Set(d, low));
    const V number = hn::IfThenElse(hn::IsInf(x), infinite, x);
    return hn::IfThenElse(hn::IsNaN(x), hn::Set(d, nan), number);
  }
  float nan, high, low;
};

struct ClampMinTensor {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V low) const {
    return simd::Larger(x, low);
  }
};

struct ClampMaxTensor {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V high) const {
    return simd::Smaller(x, high);
  }
};

struct Heaviside {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V at_zero) const {
    const V zero = hn::Zero(d);
    const V step = hn::IfThenElse(hn::Le(x, zero), zero, hn::Set(d, 1.0F));
    return hn::IfThenElse(hn::Eq(x, zero), at_zero, hn::IfThenElse(hn::IsNaN(x), x, step));
  }
};

struct ClampTensor {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V low, V high) const {
    return simd::Smaller(simd::Larger(x, low), high);
  }
};

struct SWhere {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V condition, V x, V y) const {
    return hn::IfThenElse(hn::Ne(condition, hn::Zero(d)), x, y);
  }
};

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
// clang-format off
#define PORTACL_LANES_OF(WIDE, OWN) \
  OWN(Clamp) \
  OWN(ClampMin) \
  OWN(ClampMax) \
  OWN(ClampTensor) \
  OWN(ClampMinTensor) \
  OWN(ClampMaxTensor) \
  OWN(Threshold) \
  OWN(NanToNum) \
  WIDE(Heaviside) \
  WIDE(SWhere)
// clang-format on
PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_LANES_OF)
#undef PORTACL_LANES_OF

}  // namespace portacl::ops::selection::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::selection, Lanes, (Function function, aclDataType dtype, int64_t target),
                       FindLanes, function, dtype)
