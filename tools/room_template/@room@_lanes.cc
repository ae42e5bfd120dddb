// SPDX-License-Identifier: Apache-2.0
#include "ops/@family@/@room@/@room@_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/@family@/@room@/@room@_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "loops/tiles/map_rows.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::@room@::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Kernel {
  template <class D, class V>
  HWY_INLINE V operator()(D, V self) const {
    return self;  // not written yet
  }
};

HWY_ATTR void @Room@(const loops::Tile& tile) {
  loops::HWY_NAMESPACE::MapRows<float, 1>(Kernel{}, tile);  // one input
}
loops::LaneFunction Find@Room@() { return @Room@; }

}  // namespace portacl::ops::@room@::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::@room@, @Room@Lanes, (int64_t target), Find@Room@)
