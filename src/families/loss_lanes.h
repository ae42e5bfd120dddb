// SPDX-License-Identifier: Apache-2.0
//
// Lane code of losses and their gradients, from functors over (self, target) or (gradOutput, self, target). Included
// once per target.
//
//   template <class T>
//   HWY_ATTR void SumOfTile(const loops::Tile& tile) { families::HWY_NAMESPACE::AddLosses<T>(Loss(), tile); }

#if defined(PORTACL_FAMILIES_LOSS_LANES_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_FAMILIES_LOSS_LANES_H_
#undef PORTACL_FAMILIES_LOSS_LANES_H_
#else
#define PORTACL_FAMILIES_LOSS_LANES_H_
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "families/loss.h"
#include "hwy/highway.h"
#include "loops/tiles/map_rows.h"
#include "loops/tiles/tile.h"
#include "simd/sum.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace simd = portacl::simd::HWY_NAMESPACE;

template <class T, class Kernel>
HWY_INLINE void MapLosses(const Kernel& kernel, const loops::Tile& tile) {
  portacl::loops::HWY_NAMESPACE::MapRows<T, 2, kLossRepeated>(kernel, tile);
}
template <class T, class Kernel>
HWY_INLINE void MapLossGradients(const Kernel& kernel, const loops::Tile& tile) {
  portacl::loops::HWY_NAMESPACE::MapRows<T, 3, kLossGradientRepeated>(kernel, tile);
}

template <class T, class Kernel>
HWY_ATTR HWY_NOINLINE double SumOfLosses(const Kernel& kernel, const loops::Tile& tile, bool grouped) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  double sums[simd::kSumLanes<T>];
  simd::ClearLanes<T>(sums);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const E* const self = tile.Row<E>(0, row);
    if (tile.operand[1].column_stride == 0) {
      simd::AddUp<T>(kernel, n, grouped, sums, self, portacl::loops::HWY_NAMESPACE::RepeatedIn<T>(tile, 1, row));
    } else {
      simd::AddUp<T>(kernel, n, grouped, sums, self, tile.Row<const E>(1, row));
    }
  }
  return simd::FoldLanes<T>(sums, n);
}

/// Adds the losses of a tile to the double that its scratch points to.
template <class T, class Kernel>
HWY_INLINE void AddLosses(const Kernel& kernel, const loops::Tile& tile) {
  double sum = 0;
  for (const bool grouped : {true, false}) {
    sum = SumOfLosses<T>(kernel, tile, grouped);
    if (HWY_LIKELY(std::isfinite(sum))) break;  // single losses are infinite, or only sums of four
  }
  *static_cast<double*>(tile.scratch) += sum;
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
