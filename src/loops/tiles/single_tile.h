// SPDX-License-Identifier: Apache-2.0
//
// A call that is a single tile, as most small calls are, so that no tiles need to be walked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/plan.h"
#include "loops/tiles/tile.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops {

/// The last member of a plan that is a single tile, on which lane code runs directly.
struct SingleTile {
  LaneFunction run;
  int64_t rows;
  int64_t columns;
  int32_t operands;
  int32_t operand[kMaxTileOperands];
  alignas(16) std::byte parameters[kMaxParameterBytes];
  struct Place {
    int64_t offset;  // bytes from element 0 of the operand
    int64_t row_stride;
    int64_t column_stride;
  } place[kMaxTileOperands];

  static SingleTile Of(const TilePlan& whole);

  /// The size of the places of absent operands.
  size_t UnusedBytes() const { return static_cast<size_t>(kMaxTileOperands - operands) * sizeof(place[0]); }

  void Run(const exec::RunContext& context, void* scratch) const {
    // Keeps the tile in one page. GCC stores two strides at once; where that crossed a page, which depends on the
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

/// Plans the single tile of `whole`, with scratch for the lane code.
void PlanSingleTile(exec::PlanBuilder& builder, const TilePlan& whole, int64_t scratch_bytes, double ns_per_element);

}  // namespace portacl::loops
