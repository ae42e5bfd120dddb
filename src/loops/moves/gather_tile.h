// SPDX-License-Identifier: Apache-2.0
//
// What phase 1 leaves for a run that gathers, and how a tile is gathered: each of its rows or each of its columns has
// an index of its own.
#pragma once

#include <cstdint>

#include "loops/elements/move_lanes.h"
#include "loops/moves/indices.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {

struct GatherPlan {
  Indices indices;
  int64_t dim_bytes;  // from one row of the source to the next
  int64_t bytes;      // per element
  MoveFunction stream;
  Places rows;  // for RepeatRows: positions of the rows of the source
  TilePlan tiles;
};

/// Gathers a tile of index, source and result. Returns false if an index is out of range; its elements become 0.
bool GatherTile(const GatherPlan& plan, const Indices& indices, const Tile& tile);

}  // namespace portacl::loops::moves
