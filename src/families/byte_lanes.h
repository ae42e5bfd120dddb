// SPDX-License-Identifier: Apache-2.0
//
// Lane code for formulas that treat all bytes of the operands alike. Included once per target.
//
//   struct And {
//     template <class D, class V>
//     HWY_INLINE V operator()(D, V x, V y) const { return hn::And(x, y); }
//   };
//   HWY_ATTR void AndOfTile(const loops::Tile& tile) { families::HWY_NAMESPACE::MapBytes<2>(And(), tile); }

#if defined(PORTACL_FAMILIES_BYTE_LANES_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_FAMILIES_BYTE_LANES_H_
#undef PORTACL_FAMILIES_BYTE_LANES_H_
#else
#define PORTACL_FAMILIES_BYTE_LANES_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "loops/tiles/tile.h"
#include "simd/map.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

template <class Kernel>
HWY_INLINE void MapRowOfBytes(const Kernel& kernel, size_t n, bool non_temporal, uint8_t* out, const uint8_t* x,
                              const uint8_t* y) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  if (HWY_TARGET != HWY_EMU128 && non_temporal && out != x && out != y) {
    const size_t head = simd::ElementsToAligned(d, out);
    if (head < n) {
      if (head != 0) simd::StoreTail(d, kernel(d, simd::LoadTail(d, x, head), simd::LoadTail(d, y, head)), out, head);
      for (i = head; i + lanes <= n; i += lanes)
        hn::Stream(kernel(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, out + i);
    }
  }
  for (; i + lanes <= n; i += lanes) hn::StoreU(kernel(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, out + i);
  if (i == n) return;
  n -= i;
  simd::StoreTail(d, kernel(d, simd::LoadTail(d, x + i, n), simd::LoadTail(d, y + i, n)), out + i, n);
}

/// The last operand of the tile = kernel(d, first, second); with one input, both are that. No input is repeated.
template <int kInputs, class Kernel>
HWY_INLINE void MapBytes(const Kernel& kernel, const loops::Tile& tile) {
  const auto n = static_cast<size_t>(tile.columns * tile.operand[kInputs].column_stride);
  for (int64_t row = 0; row < tile.rows; ++row)
    MapRowOfBytes(kernel, n, tile.non_temporal, tile.Row<uint8_t>(kInputs, row), tile.Row<const uint8_t>(0, row),
                  tile.Row<const uint8_t>(kInputs - 1, row));
  if (tile.non_temporal) hwy::FlushStream();
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
