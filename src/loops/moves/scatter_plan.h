// SPDX-License-Identifier: Apache-2.0
//
// What phase 1 leaves for a run that scatters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/moves/combine_lanes.h"
#include "loops/moves/copy_tile.h"
#include "loops/moves/indices.h"
#include "loops/moves/place_lanes.h"
#include "loops/moves/scatter.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {

/// Each index is a position: it names a place, where the elements of a block go.
struct Positions {
  explicit Positions(const Names& of) : names(of) {}

  Names names;
  int64_t count = 1;
  Places index;   // where the index of each position is
  Places source;  // where its block begins
  Places out;     // what is added to the place that it names
};

struct ScatterRun;

struct ScatterPlan {
  explicit ScatterPlan(const Names& names) : positions(names) {}

  Scattered what;
  Positions positions;
  aclDataType dtype = ACL_DT_UNDEFINED;          // of out
  int64_t bytes = 0;                             // per element
  const Combiner* combiner = nullptr;            // for the dtype of the source
  const Combiner* result_combiner = nullptr;     // for that of out
  const Conversion* index_conversion = nullptr;  // to INT64; null: indices are read as they are
  bool has_runs = false;                         // indices are the lengths of runs of positions
  Places unconverted;
  RowLanes lanes = {};
  PlacesFunction narrow = nullptr;               // null: there are more places than it takes
  bool (*run)(const ScatterRun& run) = nullptr;  // returns false if an index names nothing
  // For lines: along the axis whose places are named.
  int64_t count_along = 0;
  int64_t index_step = 0;
  int64_t source_step = 0;
  int64_t named_step = 0;
  bool lines_are_long = false;  // the elements of a line lie closer together than those of different lines
  int64_t elements = 0;         // of the output
  bool begins_at_self = false;  // the run reads what `out` begins with where self is
  // An output whose elements share bytes is computed in other memory.
  int64_t staged_bytes = 0;
  bool has_before = false;
  TilePlan before;  // what `out` begins with
  TilePlan after;   // from the other memory to `out`
  TilePlan tiles;   // index, source, out: of a block, or of all lines
};

/// The run, with the addresses of its operands.
struct ScatterRun {
  const ScatterPlan& plan;
  const std::byte* index;
  const std::byte* source;
  const std::byte* before;  // what `out` begins with, if that has not been copied yet; else `out`
  std::byte* out;

  /// The walk of the tiles.
  TileTask Task() const {
    TileTask task(plan.tiles);
    task.addresses[0] = const_cast<std::byte*>(index);
    task.addresses[1] = const_cast<std::byte*>(source);
    task.addresses[2] = out;
    return task;
  }
};

inline constexpr int64_t kWideBytes = sizeof(int64_t);

int32_t RunScatter(const exec::RunContext& context);

/// Ways to run: elements are replaced or combined, block by block, along lines, all together, in spans, or one by one.
bool ReplaceBlocks(const ScatterRun& run);
bool ReplaceLines(const ScatterRun& run);
bool CombineBlocks(const ScatterRun& run);
bool AddRowsInAll(const ScatterRun& run);
bool CombineLines(const ScatterRun& run);
bool CombineAll(const ScatterRun& run);
bool ReplaceSpans(const ScatterRun& run);
bool CombineSpans(const ScatterRun& run);
bool CombineFew(const ScatterRun& run);

}  // namespace portacl::loops::moves
