// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/binary/binary_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/binary/binary_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "simd/atan2.h"
#include "simd/dispatch.h"
#include "simd/hyperbolic.h"
#include "simd/in_float64.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::binary::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

template <bool kNarrow>
struct Angle {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V x) const {
    return simd::Atan2<kNarrow>(d, y, x);
  }
};
struct Atan2 : Angle<false> {
  using Narrow = Angle<true>;
};

template <class Function>
struct InFloat64 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return simd::InFloat64(d, Function(), x, y);
  }
};
using LogAddExp = InFloat64<simd::LogAddExp<false>>;
using LogAddExp2 = InFloat64<simd::LogAddExp<true>>;
// For 16-bit results, also of 16-bit operands: terms may cancel, and sums are often close to the middle of two results.
using LogAddExpForNarrow = InFloat64<simd::RoundedToOdd<simd::LogAddExp<false>>>;
using LogAddExp2ForNarrow = InFloat64<simd::RoundedToOdd<simd::LogAddExp<true>>>;

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
// clang-format off
#define PORTACL_LANES_OF(WIDE, OWN) \
  OWN(Atan2) \
  WIDE(LogAddExp) \
  WIDE(LogAddExp2) \
  OWN(LogAddExpForNarrow) \
  OWN(LogAddExp2ForNarrow)
// clang-format on
PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_LANES_OF)
#undef PORTACL_LANES_OF

}  // namespace portacl::ops::binary::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::binary, Lanes, (Function function, aclDataType dtype, int64_t target), FindLanes,
                       function, dtype)
