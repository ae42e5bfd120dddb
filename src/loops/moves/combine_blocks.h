// SPDX-License-Identifier: Apache-2.0
//
// Combines blocks of elements that go to the same places.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/moves/combine.h"
#include "loops/moves/combine_lanes.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {

struct CombinedBlocks {
  const Combiner* combiner;         // for the dtype of the source
  const Combiner* result_combiner;  // for that of out
  RowLanes lanes;
  Factor factor;
  bool includes_self;     // what was there is the first of the combined elements
  const TilePlan* tiles;  // of a block: operand 1 is the source, 2 is out
  const std::byte* source;
  std::byte* out;
};

/// Combines the blocks that the moves name, those of one place in their order. `moves` has room for n more.
void CombineMoves(const CombinedBlocks& blocks, Move* moves, int64_t n);

/// Sorts moves by place; those of one place keep their order. Returns where they are: `moves` or `others`.
Move* SortMoves(Move* moves, Move* others, int64_t n);

/// The same for those of one place alone, which come next to each other.
Move* GroupMoves(Move* moves, Move* others, int64_t n);

/// The lanes that add elements of this dtype; null ones if there are none.
RowLanes AddLanes(aclDataType dtype);

}  // namespace portacl::loops::moves
