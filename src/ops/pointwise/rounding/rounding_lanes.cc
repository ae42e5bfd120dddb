// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/rounding/rounding_lanes.h"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/rounding/rounding_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "simd/dispatch.h"
#include "simd/whole.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::rounding::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

#define PORTACL_ROUNDED(name, expression)     \
  struct name {                               \
    template <class D, class V>               \
    HWY_INLINE V operator()(D d, V x) const { \
      static_cast<void>(d);                   \
      return expression;                      \
    }                                         \
  }
PORTACL_ROUNDED(ToEven, simd::ToEven(x));
PORTACL_ROUNDED(Down, simd::Down(x));
PORTACL_ROUNDED(Up, simd::Up(x));
PORTACL_ROUNDED(ToZero, simd::ToZero(x));
PORTACL_ROUNDED(Fraction, hn::CopySign(hn::Sub(x, hn::Trunc(x)), x));

// Between two whole numbers, the nearest even one has the fraction 0.5 or -0.5; twice that leads to the odd one.
template <class D, class V>
HWY_INLINE V OtherOfTie(D d, V x) {
  const V even = hn::Round(x);
  const V rest = hn::Sub(x, even);
  const auto is_tie = hn::Eq(hn::Abs(rest), hn::Set(d, 0.5F));
  return hn::IfThenElse(is_tie, hn::Add(even, hn::Add(rest, rest)), even);
}
PORTACL_ROUNDED(ToOdd, hn::CopySign(OtherOfTie(d, x), x));

template <class D, class V>
HWY_INLINE V AwayFromZero(D d, V x) {
  const V whole = hn::Trunc(x);
  const auto is_far = hn::Ge(hn::Abs(hn::Sub(x, whole)), hn::Set(d, 0.5F));
  return hn::Add(whole, hn::IfThenElseZero(is_far, hn::CopySign(hn::Set(d, 1.0F), x)));
}
PORTACL_ROUNDED(Away, hn::CopySign(AwayFromZero(d, x), x));
#undef PORTACL_ROUNDED

// OWN: for FLOAT, FLOAT16 and BFLOAT16.
// clang-format off
#define PORTACL_LANES_OF(WIDE, OWN) \
  OWN(ToEven) \
  OWN(Down) \
  OWN(Up) \
  OWN(Away) \
  OWN(ToZero) \
  OWN(ToOdd) \
  OWN(Fraction)
// clang-format on
PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_LANES_OF)
#undef PORTACL_LANES_OF

}  // namespace portacl::ops::rounding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::rounding, Lanes, (Function function, aclDataType dtype, int64_t target), FindLanes,
                       function, dtype)
