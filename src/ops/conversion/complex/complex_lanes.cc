// SPDX-License-Identifier: Apache-2.0
#include "ops/conversion/complex/complex_lanes.h"

#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/conversion/complex/complex_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::complex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_ATTR void Join(const loops::Tile& tile) {
  const hn::ScalableTag<T> d;
  const auto n = static_cast<size_t>(tile.columns);
  const size_t lanes = hn::Lanes(d);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const real = tile.Row<T>(0, row);
    const T* const imag = tile.Row<T>(1, row);
    T* const out = tile.Row<T>(2, row);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes)
      hn::StoreInterleaved2(hn::LoadU(d, real + i), hn::LoadU(d, imag + i), d, out + 2 * i);
    for (; i < n; ++i) {
      std::memcpy(out + 2 * i, real + i, sizeof(T));
      std::memcpy(out + 2 * i + 1, imag + i, sizeof(T));
    }
  }
}

loops::LaneFunction FindJoin(aclDataType part) {
  if (part == ACL_FLOAT16) return Join<uint16_t>;
  return part == ACL_FLOAT ? Join<float> : Join<double>;
}

}  // namespace portacl::ops::complex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::complex, JoinLanes, (aclDataType part, int64_t target), FindJoin, part)
