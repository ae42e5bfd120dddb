// SPDX-License-Identifier: Apache-2.0
//
// A call that is a single tile, as most small calls are: nothing is left to walk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/plan.h"
#include "loops/tiles/tile.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops {

/// The end of a plan that has a single tile, which its lane code takes as it is.
struct SingleTile {
  LaneFunction run;
  int64_t rows;
  int64_t columns;
  int32_t operands;
  int32_t operand[kMaxTileOperands];
  alignas(16) std::byte parameters[kMaxParameterBytes];
  struct Place {
    int64_t offset;  // bytes from the operand's element 0
    int64_t row_stride;
    int64_t column_stride;
  } place[kMaxTileOperands];

  static SingleTile Of(const TilePlan& whole);

  /// Places of operands that do not exist.
  size_t UnusedBytes() const { return static_cast<size_t>(kMaxTileOperands - operands) * sizeof(place[0]); }

  void Run(const exec::RunContext& context, void* scratch) const {
    // In one page: GCC stores two strides at once, and where that crossed into another page, which depends on the
    // client's stack, reading them took 18 ns of a call of 46.
    constexpr size_t kTileAlign = 256;
    static_assert(sizeof(Tile) <= kTileAlign);
    alignas(kTileAlign) Tile tile;
    tile.rows = rows;
    tile.columns = columns;
    tile.parameters = parameters;
    tile.scratch = scratch;
    tile.non_temporal = false;
    for (int i = 0; i < operands; ++i)
      tile.operand[i] = {context.Address(operand[i]) + place[i].offset, place[i].row_stride, place[i].column_stride};
    run(tile);
  }
};

/// Plans that tile, with scratch for the lane code.
void PlanSingleTile(exec::PlanBuilder& builder, const TilePlan& whole, int64_t scratch_bytes, double ns_per_element);

}  // namespace portacl::loops
