// SPDX-License-Identifier: Apache-2.0
//
// Applies a function of lanes to the elements of a tile, see simd/map.h. Included once per target.
//
//   template <class T>
//   HWY_ATTR void Sum(const loops::Tile& tile) { loops::HWY_NAMESPACE::MapRows<T, 2>(Add{}, tile); }

#if defined(PORTACL_LOOPS_MAP_ROWS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_LOOPS_MAP_ROWS_H_
#undef PORTACL_LOOPS_MAP_ROWS_H_
#else
#define PORTACL_LOOPS_MAP_ROWS_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "loops/tiles/tile.h"
#include "simd/map.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::HWY_NAMESPACE {
namespace simd = portacl::simd::HWY_NAMESPACE;

/// The repeated element of a row whose column stride is 0.
template <class T>
HWY_INLINE simd::Repeated<simd::Stored<T>> RepeatedIn(const Tile& tile, int operand, int64_t row) {
  simd::Repeated<simd::Stored<T>> result;
  std::memcpy(&result.value, tile.Row<std::byte>(operand, row), sizeof(result.value));
  return result;
}

// Maps one row; `in` has the inputs that were found so far.
template <class T, int kInputs, uint32_t kRepeated, class Kernel, class... In>
HWY_INLINE void MapRow(const Kernel& kernel, const Tile& tile, int64_t row, In... in) {
  using E = simd::Stored<T>;
  constexpr int kNext = sizeof...(In);
  if constexpr (kNext == kInputs) {
    simd::Map<T>(kernel, static_cast<size_t>(tile.columns), tile.is_large, tile.Row<E>(kInputs, row), in...);
  } else {
    if constexpr ((kRepeated >> kNext & 1) != 0) {
      if (tile.operand[kNext].column_stride == 0)
        return MapRow<T, kInputs, kRepeated>(kernel, tile, row, in..., RepeatedIn<T>(tile, kNext, row));
    }
    MapRow<T, kInputs, kRepeated>(kernel, tile, row, in..., tile.Row<const E>(kNext, row));
  }
}

/// Operand kInputs of the tile = kernel(the operands before it). Inputs whose bit is set in kRepeated may have column
/// stride 0.
template <class T, int kInputs, uint32_t kRepeated = 0, class Kernel>
HWY_INLINE void MapRows(const Kernel& kernel, const Tile& tile) {
  for (int64_t row = 0; row < tile.rows; ++row) MapRow<T, kInputs, kRepeated>(kernel, tile, row);
  if (tile.is_large) hwy::FlushStream();
}

}  // namespace portacl::loops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
