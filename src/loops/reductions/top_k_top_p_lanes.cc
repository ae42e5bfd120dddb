// SPDX-License-Identifier: Apache-2.0
#include "loops/reductions/top_k_top_p_lanes.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/reductions/top_k_top_p_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "simd/dispatch.h"
#include "simd/exp_of_any.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::reductions::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

HWY_ATTR double Exponentials(float* values, float most, int64_t n) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto largest = hn::Set(d, most);
  auto sum = hn::Zero(dd);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto e = simd::ExpOfAny(d, hn::Sub(hn::LoadU(d, values + i), largest));
    hn::StoreU(e, d, values + i);
    sum = hn::Add(sum, hn::PromoteTo(dd, e));
  }
  double total = hn::GetLane(hn::SumOfLanes(dd, sum));
  if (i == n) return total;
  const auto rest = static_cast<size_t>(n - i);
  const auto e = simd::ExpOfAny(d, hn::Sub(simd::LoadTail(d, values + i, rest), largest));
  simd::StoreTail(d, e, values + i, rest);
  for (; i < n; ++i) total += static_cast<double>(values[i]);
  return total;
}

ExponentialsFunction Find() { return Exponentials; }

}  // namespace portacl::loops::reductions::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::reductions, ExponentialsLanes, (int64_t target), Find)
