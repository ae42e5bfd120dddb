// SPDX-License-Identifier: Apache-2.0
//
// A scatter is described by positions and a block, and runs in one of five ways: see scatter_plan.h. Blocks are wide
// where neighbouring elements share an index; otherwise whole lines along the named axis are one thread's work.
#include "loops/moves/scatter.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/target.h"
#include "loops/elements/non_temporal.h"
#include "loops/moves/combine_blocks.h"
#include "loops/moves/scatter_plan.h"
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
// Bytes of a span, or of its states.
constexpr int64_t kSpanBytes = 256 << 10;
// With fewer positions, or more elements for each of them, positions are sorted.
constexpr int64_t kFewestPositions = 64;
constexpr int64_t kMostElementsEach = 1024;
// Elements of a span of which few are named.
constexpr int64_t kFewOfElements = 1 << 20;
// More spans than this take too many pages at once.
constexpr int64_t kMostSpans = 128;
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

// Spans give work to several threads; one is faster without them.
template <auto kRun, auto kRunSpans>
bool InSpansByThreads(const ScatterRun& run) {
  return parallel::Width() > 1 ? kRunSpans(run) : kRun(run);
}

// Builds a plan from the axes of positions and blocks.
class ScatterBuilder {
 public:
  ScatterBuilder(exec::PlanBuilder& builder, const Scattered& what)
      : builder_(builder),
        index_(builder.OperandView(what.index)),
        whole_(builder.OperandView(what.out)),
        out_(whole_),
        plan_(Names(builder, what.index)) {
    plan_.what = what;
    plan_.dtype = whole_.dtype;
    plan_.bytes = static_cast<int64_t>(ElementBytes(whole_.dtype));
    source_.dtype = whole_.dtype;
    if (what.source != kNothing) source_ = builder.OperandView(what.source);
    if (what.combine != Combine::kReplace && MayOverlapItself(whole_)) Stage();
    const aclDataType dtypes[] = {index_.dtype, source_.dtype, whole_.dtype};
    for (int i = 0; i < 3; ++i) lines_[i].dtype = block_[i].dtype = dtypes[i];
  }

  // Has the run compute the output in other memory.
  void Stage() {
    CountElements(whole_.dims(), &plan_.staged_bytes);
    plan_.staged_bytes *= plan_.bytes;
    ContiguousStrides(whole_.dims(), out_.strides);
    out_.offset = 0;
  }

  const View& index() const { return index_; }
  const View& source() const { return source_; }
  const View& out() const { return out_; }
  Names& names() { return plan_.positions.names; }

  // Axes in row-major order; steps in elements, of a source that is one value 0.
  void AddPosition(int64_t size, int64_t index, int64_t source, int64_t out) {
    Positions& positions = plan_.positions;
    positions.count = Product(positions.count, size);
    positions.index.Add(size, index * static_cast<int64_t>(ElementBytes(index_.dtype)));
    positions.source.Add(size, source * plan_.bytes);
    positions.out.Add(size, out * plan_.bytes);
  }
  // Positions that are other axes of the source than of the index.
  void AddPositions(int index_axes, int source_axes) {
    Positions& positions = plan_.positions;
    positions.index = Places(index_, 0, index_axes);
    positions.source = Places(source_, 0, source_axes);
    positions.count = positions.index.Count();
    if (index_.dtype == ACL_INT32 || index_.dtype == ACL_INT64) return;
    plan_.index_conversion = &ConversionOf(index_.dtype, ACL_INT64);
    MakeIndices();
  }
  // Positions along an axis of the source, of which the index has the lengths of runs.
  void AddRuns(int axis) {
    Positions& positions = plan_.positions;
    plan_.has_runs = true;
    if (index_.dtype == ACL_INT32) plan_.index_conversion = &ConversionOf(ACL_INT32, ACL_INT64);
    positions.index = Places(index_, 0, index_.rank);
    positions.count = source_.shape[axis];
    positions.source.Add(positions.count, StepBytes(source_, axis));
    MakeIndices();
  }
  // If they are one axis of each, and name places along one axis, they are a line.
  void AlongPositions() {
    const Positions& positions = plan_.positions;
    const Places& named = names().flat;
    if (!names().is_flat || positions.index.rank > 1 || positions.source.rank > 1 || named.rank > 1) return;
    if (plan_.index_conversion != nullptr || source_.dtype != whole_.dtype || plan_.what.dropped >= 0) return;
    has_lines_ = true;
    plan_.count_along = positions.count;
    plan_.index_step = positions.index.strides[0];
    plan_.source_step = positions.source.strides[0];
    plan_.named_step = named.strides[0];
  }
  void AddBlock(int64_t size, int64_t source, int64_t out) { Add(block_, size, 0, source, out); }
  // A line along the named axis.
  void AddLine(int64_t size, int64_t index, int64_t source, int64_t out) { Add(lines_, size, index, source, out); }
  void Along(int64_t size, int64_t index, int64_t source, int64_t named) {
    has_lines_ = true;
    plan_.count_along = size;
    plan_.index_step = index * static_cast<int64_t>(ElementBytes(index_.dtype));
    plan_.source_step = source * plan_.bytes;
    plan_.named_step = named * plan_.bytes;
  }

  void Plan() {
    int64_t elements = 0;
    CountElements(whole_.dims(), &elements);
    if (elements == 0) return;
    if (plan_.what.wraps) names().Wrap();
    PlanBefore();
    if (names().indices.limit <= kMostPlaces) plan_.narrow = PlaceLanes(names().indices.is_wide, ActiveTarget());
    plan_.narrow_places = PlaceLanes(false, ActiveTarget());
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
    PlanSpans();
    builder_.ForbidInPlace(plan_.what.index);
    if (plan_.what.source != kNothing) builder_.ForbidInPlace(plan_.what.source);
    if (plan_.tiles.tiling.tiles == 0 || plan_.positions.count == 0) plan_.run = [](const ScatterRun&) { return true; };
    constexpr double kMostNs = 1e18;
    const double ns = static_cast<double>(plan_.positions.count) *
                      (plan_.combiner == nullptr ? kNsPerMove : kNsPerElement) *
                      static_cast<double>(std::max<int64_t>(BlockElements(), 8));
    const double copied = plan_.has_before ? static_cast<double>(CostNs(plan_.before.nest, kNsPerMove)) : 0;
    builder_.Run(RunScatter, plan_, static_cast<int64_t>(std::min(ns + copied, kMostNs)));
  }

 private:
  // The run makes contiguous indices of INT64.
  void MakeIndices() {
    Positions& positions = plan_.positions;
    plan_.unconverted = positions.index;
    positions.index = Places();
    positions.index.Add(positions.count, kWideBytes);
    names().indices.places = positions.index;
    names().indices.is_wide = true;
  }

  static void Add(View (&views)[3], int64_t size, int64_t index, int64_t source, int64_t out) {
    const int64_t steps[] = {index, source, out};
    for (int i = 0; i < 3; ++i) {
      const int axis = views[i].rank++;
      views[i].shape[axis] = size;
      views[i].strides[axis] = size == 1 ? 0 : steps[i];
    }
  }

  void PlanBefore() {
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

  int64_t BlockElements() const {
    int64_t count = 1;
    for (int axis = 0; axis < block_[2].rank; ++axis) count = Product(count, block_[2].shape[axis]);
    return count;
  }

  // Whether the elements of a block lie closer together than those along the named axis, or few of many destinations
  // are named.
  bool HasWideBlocks() const {
    const View& out = block_[2];
    int64_t closest = std::numeric_limits<int64_t>::max();
    for (int axis = 0; axis < out.rank; ++axis) {
      if (out.shape[axis] > 1) closest = std::min(closest, out.strides[axis] * plan_.bytes);
    }
    const int64_t limit = names().indices.limit;
    const bool few = limit > kManyStates && !NamesMany(plan_.count_along, limit);
    return closest < plan_.named_step || (plan_.combiner != nullptr && few);
  }
  const Names& names() const { return plan_.positions.names; }

  void PlanBlocks() {
    SetTiles(block_);
    plan_.run = plan_.combiner == nullptr ? ReplaceBlocks : CombineBlocks;
    TilePlan& tiles = plan_.tiles;
    if (tiles.nest.Elements() == 0) return;
    const LoopNest& nest = tiles.nest;
    Tiling& tiling = tiles.tiling;
    tiling = MakeTiling(nest, kNsPerMove * static_cast<double>(std::max<int64_t>(plan_.positions.count, 1)));
    tiling.tile_columns = std::min(nest.shape[0], std::max(tiling.tile_columns, kPartBytes / plan_.bytes));
    CutTiles(1);
  }

  void PlanLines() {
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

  // Single elements of a contiguous output, unless each line is short.
  void PlanSpans() {
    const bool is_plain = plan_.what.dropped < 0 && source_.dtype == whole_.dtype;
    if (BlockElements() != 1 || !is_plain || !IsContiguous(out_) || plan_.positions.count < kFewestPositions) return;
    const int64_t positions = plan_.positions.count;
    const bool combines = plan_.combiner != nullptr;
    CountElements(out_.dims(), &plan_.elements);
    const int64_t bytes = combines ? plan_.combiner->state_bytes : plan_.bytes;
    const bool is_many = NamesMany(positions, plan_.elements);
    const int64_t size = std::max(is_many ? kSpanBytes / bytes : kFewOfElements, plan_.elements / kMostSpans);
    plan_.span_bits = std::bit_width(static_cast<uint64_t>(size) - 1);
    if (plan_.run == CombineBlocks) {
      if (plan_.elements / positions <= kMostElementsEach) plan_.run = is_many ? CombineSpans : CombineFew;
      return;
    }
    if (!is_many) return;
    const bool has_lines = plan_.run != ReplaceBlocks;
    const Tiling& tiling = plan_.tiles.tiling;
    const int64_t elements = has_lines ? tiling.tile_columns * names().indices.limit : plan_.elements;
    // Narrow tiles of many rows are slow to walk.
    const bool is_narrow = has_lines && !plan_.lines_are_long && tiling.tile_columns < kWideTile &&
                           tiling.column_tiles > 1 && plan_.elements * bytes > kCacheBytes;
    if (elements * bytes > kCacheBytes || is_narrow) {
      plan_.run = combines ? CombineSpans : ReplaceSpans;
    } else if (positions >= kManyPositions && (!has_lines || tiling.tiles == 1)) {
      plan_.run = combines    ? InSpansByThreads<CombineLines, CombineSpans>
                  : has_lines ? InSpansByThreads<ReplaceLines, ReplaceSpans>
                              : InSpansByThreads<ReplaceBlocks, ReplaceSpans>;
    }
  }
  void SetTiles(const View (&views)[3]) {
    const View* const pointers[] = {&views[0], &views[1], &views[2]};
    plan_.tiles.code = {.inputs = 2};
    plan_.tiles.nest = MakeLoopNest(views[2].dims(), pointers);
    plan_.tiles.serial = plan_.staged_bytes == 0 && MayOverlapItself(whole_);
  }

  void CutTiles(int64_t tiles_per_chunk) {
    const LoopNest& nest = plan_.tiles.nest;
    Tiling& tiling = plan_.tiles.tiling;
    tiling.column_tiles = CeilDivide(nest.shape[0], tiling.tile_columns);
    tiling.row_tiles = nest.rank > 1 ? CeilDivide(nest.shape[1], tiling.tile_rows) : 1;
    tiling.tiles = tiling.column_tiles * tiling.row_tiles;
    for (int axis = 2; axis < nest.rank; ++axis) tiling.tiles *= nest.shape[axis];
    tiling.tiles_per_chunk = tiles_per_chunk;
    tiling.chunks = CeilDivide(tiling.tiles, tiles_per_chunk);
  }

  exec::PlanBuilder& builder_;
  const View& index_;
  const View& whole_;
  View source_;
  View out_;
  View lines_[3];
  View block_[3];
  bool has_lines_ = false;
  ScatterPlan plan_;
};

// The step along an axis; a value that stands for a source has none.
int64_t SourceStep(const Scattered& what, const View& source, int axis) {
  return what.source == kNothing ? 0 : source.step(axis);
}

void ScatterPositions(exec::PlanBuilder& plan, const Scattered& what, int named_axes, bool is_flat) {
  ScatterBuilder scatter(plan, what);
  const View &index = scatter.index(), &source = scatter.source(), &out = scatter.out();
  scatter.names().is_flat = is_flat;
  if (!is_flat) scatter.names().component_bytes = StepBytes(index, index.rank - 1);
  for (int axis = 0; axis < named_axes; ++axis) scatter.names().Add(out.shape[axis], StepBytes(out, axis));
  const int block_axes = out.rank - named_axes, first = source.rank - block_axes;
  const int index_axes = is_flat ? index.rank : index.rank - 1;
  scatter.AddPositions(index_axes, first);
  scatter.AlongPositions();
  for (int axis = 0; axis < block_axes; ++axis) {
    scatter.AddBlock(out.shape[named_axes + axis], source.step(first + axis), out.step(named_axes + axis));
    scatter.AddLine(out.shape[named_axes + axis], 0, source.step(first + axis), out.step(named_axes + axis));
  }
  scatter.Plan();
}

}  // namespace

inline namespace v1 {

void ScatterElements(exec::PlanBuilder& plan, const Scattered& what, int dim) {
  ScatterBuilder scatter(plan, what);
  const View &index = scatter.index(), &source = scatter.source(), &out = scatter.out();
  scatter.names().Add(out.rank == 0 ? 1 : out.shape[dim], out.rank == 0 ? 0 : StepBytes(out, dim));
  if (out.rank == 0) scatter.Along(1, 0, 0, 0);
  for (int axis = 0; axis < index.rank; ++axis) {
    const int64_t size = index.shape[axis], step = index.step(axis);
    const int64_t from = SourceStep(what, source, axis), to = out.step(axis);
    if (axis == dim) {
      scatter.Along(size, step, from, to);
      scatter.AddPosition(size, step, from, 0);
      continue;
    }
    scatter.AddLine(size, step, from, to);
    if (step == 0 && size > 1) {
      scatter.AddBlock(size, from, to);
    } else {
      scatter.AddPosition(size, step, from, to);
    }
  }
  scatter.Plan();
}

void ScatterRows(exec::PlanBuilder& plan, const Scattered& what, int dim) {
  ScatterBuilder scatter(plan, what);
  const View &index = scatter.index(), &source = scatter.source(), &out = scatter.out();
  const int64_t limit = out.rank == 0 ? 1 : out.shape[dim];
  scatter.names().Add(limit, out.rank == 0 ? 0 : StepBytes(out, dim));
  const int64_t from = out.rank == 0 ? 0 : SourceStep(what, source, dim);
  const Places places(index, 0, index.rank);
  const int64_t count = places.Count();
  if (places.rank <= 1) {
    const int64_t step = places.rank == 0 ? 0 : places.strides[0] / static_cast<int64_t>(ElementBytes(index.dtype));
    scatter.Along(count, step, from, out.rank == 0 ? 0 : out.step(dim));
    scatter.AddPosition(count, step, from, 0);
  } else {
    int64_t left = count;
    for (int axis = 0; axis < index.rank; ++axis) {
      left /= std::max<int64_t>(index.shape[axis], 1);
      scatter.AddPosition(index.shape[axis], index.step(axis), from * left, 0);
    }
  }
  for (int axis = 0; axis < out.rank; ++axis) {
    if (axis == dim) continue;
    scatter.AddLine(out.shape[axis], 0, SourceStep(what, source, axis), out.step(axis));
    scatter.AddBlock(out.shape[axis], SourceStep(what, source, axis), out.step(axis));
  }
  scatter.Plan();
}

void ScatterNamed(exec::PlanBuilder& plan, const Scattered& what, int components) {
  ScatterPositions(plan, what, components, false);
}

void ScatterFlat(exec::PlanBuilder& plan, const Scattered& what, int axes) { ScatterPositions(plan, what, axes, true); }

void ScatterSlices(exec::PlanBuilder& plan, const Scattered& what, int axis) {
  ScatterBuilder scatter(plan, what);
  const View &index = scatter.index(), &source = scatter.source(), &out = scatter.out();
  const int64_t offsets = out.shape[axis] - source.shape[axis] + 1;
  const bool has_batches = index.rank == 2;
  if (has_batches) {
    scatter.names().is_flat = false;
    scatter.names().component_bytes = StepBytes(index, 1);
    scatter.names().Add(out.shape[0], StepBytes(out, 0));
  }
  scatter.names().Add(offsets, StepBytes(out, axis));
  scatter.AddPosition(source.shape[0], index.rank == 0 ? 0 : index.step(0), source.step(0),
                      has_batches ? 0 : out.step(0));
  for (int i = 1; i < out.rank; ++i) scatter.AddBlock(source.shape[i], source.step(i), out.step(i));
  scatter.Plan();
}

void ScatterRuns(exec::PlanBuilder& plan, const Scattered& what, int axis) {
  ScatterBuilder scatter(plan, what);
  const View &source = scatter.source(), &out = scatter.out();
  if (!IsContiguous(out)) scatter.Stage();
  int64_t others = 1, elements = 0;
  CountElements(out.dims(), &elements);
  if (elements == 0) return;
  for (int i = 0; i < source.rank; ++i) others *= i == axis ? 1 : source.shape[i];
  View result = source;  // the shape of source with a row for each run
  result.shape[axis] = elements / others;
  ContiguousStrides(result.dims(), result.strides);
  scatter.names().Add(result.shape[axis], StepBytes(result, axis));
  scatter.AddRuns(axis);
  for (int i = 0; i < source.rank; ++i) {
    if (i != axis) scatter.AddBlock(source.shape[i], source.step(i), result.step(i));
  }
  scatter.Plan();
}

}  // namespace v1
}  // namespace portacl::loops::moves
