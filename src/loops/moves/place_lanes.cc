// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/place_lanes.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/moves/place_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::moves::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class I>
HWY_ATTR bool Narrow(const std::byte* indices, int64_t n, int64_t limit, uint32_t* places) {
  const hn::ScalableTag<I> d;
  const hn::Rebind<uint32_t, decltype(d)> d32;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* const from = reinterpret_cast<const I*>(indices);
  auto all = hn::Zero(d);  // a bit of any index
  auto largest = hn::Zero(d32);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, from + i);
    hn::Vec<decltype(d32)> place;
    if constexpr (sizeof(I) == sizeof(uint32_t)) {
      place = v;
    } else {
      place = hn::TruncateTo(d32, v);
    }
    all = hn::Or(all, v);
    largest = hn::Max(largest, place);
    hn::StoreU(place, d32, places + i);
  }
  bool good = hn::AllTrue(d, hn::Eq(hn::ShiftRight<31>(all), hn::Zero(d))) &&
              hn::AllTrue(d32, hn::Lt(largest, hn::Set(d32, static_cast<uint32_t>(limit))));
  for (; i < n; ++i) {
    good = good && from[i] < static_cast<uint64_t>(limit);
    places[i] = static_cast<uint32_t>(from[i]);
  }
  return good;
}

PlacesFunction FindPlaceLanes(bool is_wide) { return is_wide ? Narrow<uint64_t> : Narrow<uint32_t>; }

}  // namespace portacl::loops::moves::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::moves, PlaceLanes, (bool is_wide, int64_t target), FindPlaceLanes, is_wide)
