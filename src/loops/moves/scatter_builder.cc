// SPDX-License-Identifier: Apache-2.0
//
// Blocks are wide where neighbouring elements share an index; otherwise whole lines along the named axis are one
// thread's work, and single elements go where combine_elements.h says.
#include "loops/moves/scatter_builder.h"

#include <algorithm>
#include <limits>

#include "base/target.h"
#include "loops/elements/non_temporal.h"
#include "loops/moves/combine_blocks.h"
#include "loops/moves/combine_elements.h"
#include "runtime/parallel/parallel.h"

namespace portacl::loops::moves {
namespace {

constexpr double kNsPerMove = 0.05;
constexpr double kNsPerElement = 1;

// The fewest bytes of a part of a row.
constexpr int64_t kPartBytes = 2 << 10;

// Fewer states than this cost next to nothing.
constexpr int64_t kManyStates = 256;

// Lines of a tile: enough to fill cache lines, and few enough that their states stay in the cache.
constexpr int64_t kFewElements = 4096;
constexpr int64_t kLineStates = 128 << 10;
constexpr int64_t kMostLines = 512;
constexpr int64_t kChunkElements = 16 << 10;

// Lines that need more memory than this, of which a thread has that many at least, are cut into spans.
constexpr int64_t kCacheBytes = 2 << 20;
// With fewer positions, or more elements for each of them, positions are sorted.
constexpr int64_t kFewestPositions = 64;
constexpr int64_t kMostElementsEach = 1024;
// Elements of a row, and of the output for each that is added to it.
constexpr int64_t kNarrowRow = 64;
constexpr int64_t kMostElementsOfRows = 4;
// Columns of a tile.
constexpr int64_t kWideTile = 64;
// Positions that are worth several threads.
constexpr int64_t kManyPositions = 32 << 10;

TilePlan CopyPlan(const View& from, const View& to, bool is_serial) {
  const View* const views[] = {&from, &to};
  const CopyParameters parameters = CopyParametersOf(from.dtype, to.dtype);
  TilePlan plan{.code = {.inputs = 1}, .nest = MakeLoopNest(to.dims(), views)};
  plan.tiling = MakeTiling(plan.nest, CopyNsPerElement(parameters));
  plan.serial = is_serial;
  plan.non_temporal = plan.nest.Elements() > NonTemporalBytes() / BytesPerElement(plan.nest);
  Parameters(parameters).CopyTo(plan.parameters);
  return plan;
}

// What gives work to several threads is slower in one.
template <auto kRun, auto kRunInSeveral>
bool ByThreads(const ScatterRun& run) {
  return parallel::Width() > 1 ? kRunInSeveral(run) : kRun(run);
}

}  // namespace

void ScatterBuilder::Plan() {
  int64_t elements = 0;
  CountElements(whole_.dims(), &elements);
  if (elements == 0) return;
  plan_.elements = elements;
  if (plan_.what.wraps) names().Wrap();
  PlanBefore();
  if (names().indices.limit <= kMostPlaces) plan_.narrow = PlaceLanes(names().indices.is_wide, ActiveTarget());
  const Combine combine = plan_.what.combine;
  if (combine != Combine::kReplace) {
    plan_.combiner = &CombinerOf(source_.dtype, combine);
    plan_.result_combiner = &CombinerOf(whole_.dtype, combine);
  }
  if (combine == Combine::kAdd || combine == Combine::kMean) plan_.lanes = AddLanes(source_.dtype);
  if (has_lines_ && !HasWideBlocks()) {
    PlanLines();
  } else {
    PlanBlocks();
  }
  PlanElements();
  builder_.ForbidInPlace(plan_.what.index);
  if (plan_.what.source != kNothing) builder_.ForbidInPlace(plan_.what.source);
  if (plan_.tiles.tiling.tiles == 0 || plan_.positions.count == 0) plan_.run = [](const ScatterRun&) { return true; };
  plan_.begins_at_self = BeginsAtSelf();
  if (plan_.begins_at_self) plan_.has_before = false;
  constexpr double kMostNs = 1e18;
  const double ns = static_cast<double>(plan_.positions.count) *
                    (plan_.combiner == nullptr ? kNsPerMove : kNsPerElement) *
                    static_cast<double>(std::max<int64_t>(BlockElements(), 8));
  const double copied = plan_.has_before ? static_cast<double>(CostNs(plan_.before.nest, kNsPerMove)) : 0;
  builder_.Run(RunScatter, plan_, static_cast<int64_t>(std::min(ns + copied, kMostNs)));
}

void ScatterBuilder::PlanBefore() {
  const Scattered& what = plan_.what;
  const bool is_other = what.self != kNothing && what.self != what.out;
  plan_.has_before = what.clears || is_other || plan_.staged_bytes != 0;
  if (!plan_.has_before) return;
  View from = whole_;
  if (is_other) from = builder_.OperandView(what.self);
  for (int axis = 0; axis < from.rank; ++axis) from.strides[axis] = what.clears ? 0 : from.step(axis);
  const bool is_serial = plan_.staged_bytes == 0 && MayOverlapItself(whole_);
  plan_.before = CopyPlan(from, out_, is_serial);
  if (plan_.staged_bytes != 0) plan_.after = CopyPlan(out_, whole_, true);
}

int64_t ScatterBuilder::BlockElements() const {
  int64_t count = 1;
  for (int axis = 0; axis < block_[2].rank; ++axis) count = Product(count, block_[2].shape[axis]);
  return count;
}

bool ScatterBuilder::HasWideBlocks() const {
  const View& out = block_[2];
  int64_t closest = std::numeric_limits<int64_t>::max();
  for (int axis = 0; axis < out.rank; ++axis) {
    if (out.shape[axis] > 1) closest = std::min(closest, out.strides[axis] * plan_.bytes);
  }
  const int64_t limit = names().indices.limit;
  const bool few = limit > kManyStates && !NamesMany(plan_.count_along, limit);
  return closest < plan_.named_step || (plan_.combiner != nullptr && few);
}

void ScatterBuilder::PlanBlocks() {
  SetTiles(block_);
  plan_.run = plan_.combiner == nullptr ? ReplaceBlocks : CombineBlocks;
  TilePlan& tiles = plan_.tiles;
  if (tiles.nest.Elements() == 0) return;
  const LoopNest& nest = tiles.nest;
  const int64_t positions = plan_.positions.count;
  if (plan_.combiner == nullptr)
    tiles.non_temporal = positions > NonTemporalBytes() / (2 * plan_.bytes) / nest.Elements();
  Tiling& tiling = tiles.tiling;
  tiling = MakeTiling(nest, kNsPerMove * static_cast<double>(std::max<int64_t>(positions, 1)));
  tiling.tile_columns = std::min(nest.shape[0], std::max(tiling.tile_columns, kPartBytes / plan_.bytes));
  CutTiles(1);
  if (AddsNarrowRows()) plan_.run = ByThreads<AddRowsInAll, CombineBlocks>;
}

// Whether sums for all of out fit in the cache, and to sort positions would cost more than the rows.
bool ScatterBuilder::AddsNarrowRows() const {
  const Scattered& what = plan_.what;
  if (what.combine != Combine::kAdd || !what.includes_self || what.dropped >= 0) return false;
  if (plan_.lanes.add == nullptr || source_.dtype != whole_.dtype || !IsContiguous(out_)) return false;
  const LoopNest& nest = plan_.tiles.nest;
  const int64_t columns = nest.shape[0], named = plan_.positions.count * columns;
  return columns > 1 && columns <= kNarrowRow && nest.Elements() == columns && nest.strides[1][0] == plan_.bytes &&
         nest.strides[2][0] == plan_.bytes && plan_.elements * kWideBytes <= kCacheBytes &&
         plan_.elements / kMostElementsOfRows <= named;
}

void ScatterBuilder::PlanLines() {
  SetTiles(lines_);
  plan_.run = plan_.combiner == nullptr ? ReplaceLines : CombineLines;
  TilePlan& tiles = plan_.tiles;
  if (tiles.nest.Elements() == 0) return;
  const LoopNest& nest = tiles.nest;
  plan_.lines_are_long = nest.shape[0] == 1 || plan_.named_step < nest.strides[2][0];
  const int64_t line = std::max(plan_.count_along, plan_.combiner == nullptr ? 1 : names().indices.limit);
  const int64_t few = (plan_.lines_are_long ? kFewElements : kLineStates) / std::max<int64_t>(line, 1);
  Tiling& tiling = tiles.tiling;
  tiling.tile_columns = std::min(nest.shape[0], std::clamp<int64_t>(few, plan_.lines_are_long ? 1 : 16, kMostLines));
  tiling.tile_rows = 1;
  CutTiles(std::max<int64_t>(1, kChunkElements / std::max<int64_t>(1, line) / tiling.tile_columns));
}

void ScatterBuilder::PlanElements() {
  const int64_t positions = plan_.positions.count;
  const bool is_plain = plan_.what.dropped < 0 && source_.dtype == whole_.dtype && plan_.elements <= kMostPlaces;
  if (BlockElements() != 1 || !is_plain || !IsContiguous(out_) || positions < kFewestPositions) return;
  const bool combines = plan_.combiner != nullptr, is_many = NamesMany(positions, plan_.elements);
  const bool has_lines = plan_.run == ReplaceLines || plan_.run == CombineLines;
  if (!is_many) {
    if (combines && !has_lines && plan_.elements / positions <= kMostElementsEach) plan_.run = CombineFew;
    return;
  }
  const Tiling& tiling = plan_.tiles.tiling;
  const int64_t bytes = combines ? plan_.combiner->state_bytes : plan_.bytes;
  const int64_t elements = has_lines ? tiling.tile_columns * names().indices.limit : plan_.elements;
  // Narrow tiles of many rows are slow to walk.
  const bool is_narrow = has_lines && !plan_.lines_are_long && tiling.tile_columns < kWideTile &&
                         tiling.column_tiles > 1 && plan_.elements * bytes > kCacheBytes;
  const bool is_large = positions >= kManyPositions, is_one = !has_lines || tiling.tiles == 1;
  if (elements * bytes > kCacheBytes || is_narrow) {
    plan_.run = combines ? CombineSpans : ReplaceSpans;
  } else if (combines && is_one) {
    plan_.run = is_large ? ByThreads<CombineAll, CombineSpans> : CombineAll;
  } else if (is_large && is_one) {
    plan_.run = has_lines ? ByThreads<ReplaceLines, ReplaceSpans> : ByThreads<ReplaceBlocks, ReplaceSpans>;
  }
}

bool ScatterBuilder::BeginsAtSelf() const {
  if (plan_.what.clears || !plan_.has_before || plan_.staged_bytes != 0) return false;
  if (!IsContiguous(builder_.OperandView(plan_.what.self)) || !IsContiguous(out_)) return false;
  const auto runs = [this](bool (*run)(const ScatterRun&)) { return plan_.run == run; };
  if (runs(CombineLines)) return plan_.tiles.nest.Elements() * names().indices.limit == plan_.elements;
  return runs(CombineAll) || runs(CombineSpans) || runs(ReplaceSpans) || runs(ByThreads<CombineAll, CombineSpans>);
}

void ScatterBuilder::SetTiles(const View (&views)[3]) {
  const View* const pointers[] = {&views[0], &views[1], &views[2]};
  plan_.tiles.code = {.inputs = 2};
  plan_.tiles.nest = MakeLoopNest(views[2].dims(), pointers);
  plan_.tiles.serial = plan_.staged_bytes == 0 && MayOverlapItself(whole_);
}

void ScatterBuilder::CutTiles(int64_t tiles_per_chunk) {
  const LoopNest& nest = plan_.tiles.nest;
  Tiling& tiling = plan_.tiles.tiling;
  tiling.column_tiles = CeilDivide(nest.shape[0], tiling.tile_columns);
  tiling.row_tiles = nest.rank > 1 ? CeilDivide(nest.shape[1], tiling.tile_rows) : 1;
  tiling.tiles = tiling.column_tiles * tiling.row_tiles;
  for (int axis = 2; axis < nest.rank; ++axis) tiling.tiles *= nest.shape[axis];
  tiling.tiles_per_chunk = tiles_per_chunk;
  tiling.chunks = CeilDivide(tiling.tiles, tiles_per_chunk);
}

}  // namespace portacl::loops::moves
