// SPDX-License-Identifier: Apache-2.0
//
// A single walk over the elements of the result. The index has strides only along its own axes, and the source has none
// there.
#include "loops/moves/gather.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "acl/error_codes/rt_error_codes.h"
#include "base/status.h"
#include "base/target.h"
#include "loops/elements/non_temporal.h"
#include "loops/moves/gather_tile.h"
#include "loops/moves/indices.h"
#include "loops/tiles/scratch.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {
namespace {

// Time per element on one core, where a tile has an index per row and where it has one per column.
constexpr double kRowNs = 0.05;
constexpr double kColumnNs = 0.7;

// The size of tiles whose rows have the indices in common, which are tested once for all of them.
constexpr int64_t kLikeColumns = 512;
constexpr int64_t kLikeRows = 16;

struct GatherTask : TileTask {
  GatherTask(const GatherPlan& of, const exec::RunContext& context)
      : TileTask(of.tiles, context), gather(of), indices(of.indices) {}
  const GatherPlan& gather;
  Indices indices;
};

double NsPerElement(const GatherPlan& plan) { return plan.tiles.nest.strides[0][0] == 0 ? kRowNs : kColumnNs; }

// Returns false if any index is out of range.
bool RunGatherTiles(const GatherTask& task) {
  std::atomic<bool> failed{false};
  RunTiles(task, 0, [&](const Tile& tile) {
    if (!GatherTile(task.gather, task.indices, tile)) failed.store(true, std::memory_order_relaxed);
  });
  return !failed.load(std::memory_order_relaxed);
}

int32_t RunGather(const exec::RunContext& context) {
  const GatherPlan& plan = context.Parameters<GatherPlan>();
  return RunGatherTiles(GatherTask(plan, context)) ? 0 : plan.indices.Refuse(context.Address(plan.indices.operand));
}

// The axes of the result, and the strides of each operand along them.
struct Axes {
  View index, self, out;

  Axes(const View& of_index, const View& of_self, const View& of_out) {
    index.dtype = of_index.dtype;
    self.dtype = out.dtype = of_self.dtype;
    index.offset = of_index.offset;
    self.offset = of_self.offset;
    out.offset = of_out.offset;
  }
  void Add(int64_t size, int64_t of_index, int64_t of_self, int64_t of_out) {
    const int axis = index.rank++;
    self.rank = out.rank = index.rank;
    index.shape[axis] = self.shape[axis] = out.shape[axis] = size;
    index.strides[axis] = of_index;
    self.strides[axis] = of_self;
    out.strides[axis] = of_out;
  }
};

Tiling TilingOf(const GatherPlan& plan) {
  const LoopNest& nest = plan.tiles.nest;
  const bool has_like_rows = nest.rank > 1 && nest.strides[0][0] != 0 && nest.strides[0][1] == 0;
  if (!has_like_rows || nest.shape[0] < kLikeColumns / 4) return MakeTiling(nest, NsPerElement(plan));
  Tiling tiling;
  tiling.tile_columns = std::min(kLikeColumns, nest.shape[0]);
  tiling.tile_rows = std::min(kLikeRows, nest.shape[1]);
  tiling.column_tiles = CeilDivide(nest.shape[0], tiling.tile_columns);
  tiling.row_tiles = CeilDivide(nest.shape[1], tiling.tile_rows);
  tiling.tiles = tiling.column_tiles * tiling.row_tiles;
  for (int axis = 2; axis < nest.rank; ++axis) tiling.tiles *= nest.shape[axis];
  tiling.tiles_per_chunk = 1;
  tiling.chunks = tiling.tiles;
  return tiling;
}

// A plan without tiles if there are no elements.
GatherPlan MakeGather(exec::PlanBuilder& builder, const Indices& indices, const OperandPart& index,
                      const OperandPart& self, const OperandPart& out, int64_t dim_bytes) {
  const View* const views[] = {&*index.view, &*self.view, &*out.view};
  const auto bytes = static_cast<int64_t>(ElementBytes(out.view->dtype));
  GatherPlan plan{.indices = indices,
                  .dim_bytes = dim_bytes,
                  .bytes = bytes,
                  .stream = StreamLanes(ActiveTarget()),
                  .rows = {},
                  .tiles = {.code = {.inputs = 2}, .nest = MakeLoopNest(out.view->dims(), views)}};
  TilePlan& tiles = plan.tiles;
  if (tiles.nest.Elements() == 0) return plan;
  tiles.tiling = TilingOf(plan);
  SetOperands(builder, {index, self, out}, {}, &tiles);
  // One index for a whole row adds no memory traffic.
  if (tiles.nest.strides[0][0] == 0) tiles.non_temporal = tiles.nest.Elements() > NonTemporalBytes() / (2 * bytes);
  builder.ForbidInPlace(index.operand);
  builder.ForbidInPlace(self.operand);
  return plan;
}

void PlanGather(exec::PlanBuilder& builder, const GatherPlan& plan, exec::RunFunction run) {
  if (plan.tiles.tiling.tiles != 0) PlanTiles(builder, run, plan, NsPerElement(plan));
}

// Expands the repetition counts to the position of a source row for each row of the result.
int32_t ExpandRepeats(const GatherPlan& plan, const exec::RunContext& context, int64_t size, int64_t* places) {
  const std::byte* const repeats = context.Address(plan.indices.operand);
  const int64_t count = plan.indices.places.Count();
  const int64_t rows = plan.rows.Count();
  int64_t sum = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t number = ReadIndex(repeats + plan.indices.places.Of(count == 1 ? 0 : row), true);
    if (number < 0 || number > size - sum) return RefuseRepeat(plan.indices, number, row, size);
    std::fill_n(places + sum, number, plan.rows.Of(row));
    sum += number;
  }
  return sum == size ? 0 : RefuseSum(plan.indices, sum, size);
}

// Gathers what lies at byte offsets of the source; those that are negative name nothing. Returns false if there are
// any.
bool GatherPlaces(const GatherPlan& plan, const exec::RunContext& context, const PoolMemory& places) {
  GatherTask task(plan, context);
  task.indices.limit = std::numeric_limits<int64_t>::max();
  task.indices.from_end = 0;
  task.indices.is_wide = true;
  task.addresses[0] = places.As();
  return RunGatherTiles(task);
}

int32_t RunRepeatRows(const exec::RunContext& context) {
  const GatherPlan& plan = context.Parameters<GatherPlan>();
  const int64_t size = plan.indices.limit;
  const PoolMemory places(size * static_cast<int64_t>(sizeof(int64_t)));
  const int32_t status = ExpandRepeats(plan, context, size, places.As<int64_t>());
  if (status == 0) GatherPlaces(plan, context, places);
  return status;
}

// Indices that are more than a number along one axis become byte offsets first.
struct NamedPlan {
  Names names;
  Places index;
  GatherPlan gather;
};

int32_t RunGatherNamed(const exec::RunContext& context) {
  const auto& plan = context.Parameters<NamedPlan>();
  const int64_t count = plan.index.Count();
  const PoolMemory places(count * static_cast<int64_t>(sizeof(int64_t)));
  const std::byte* const index = context.Address(plan.names.indices.operand);
  ForEachPart(count, [&](int64_t first, int64_t end) {
    PlaceWalk walk(plan.index, first);
    for (int64_t k = first; k < end; ++k, walk.Next())
      places.As<int64_t>()[k] = plan.names.PlaceOf(index + walk.place());
  });
  return GatherPlaces(plan.gather, context, places) ? 0 : plan.names.Refuse(index);
}

}  // namespace

inline namespace v1 {

void Gather(exec::PlanBuilder& plan, int self, int dim, int index, int out, int batch_dims) {
  const View& from = plan.OperandView(self);
  const View& named = plan.OperandView(index);
  const View& to = plan.OperandView(out);
  Axes axes(named, from, to);
  int next = 0;  // axis of the result
  for (int axis = 0; axis < dim; ++axis, ++next)
    axes.Add(from.shape[axis], axis < batch_dims ? named.step(axis) : 0, from.step(axis), to.step(next));
  for (int axis = batch_dims; axis < named.rank; ++axis) {
    axes.Add(named.shape[axis], named.step(axis), 0, next < to.rank ? to.step(next) : 0);
    ++next;
  }
  if (named.rank == batch_dims && to.rank == from.rank) ++next;
  for (int axis = dim + 1; axis < from.rank; ++axis, ++next)
    axes.Add(from.shape[axis], 0, from.step(axis), to.step(next));
  const int64_t size = from.rank == 0 ? 1 : from.shape[dim];
  PlanGather(plan,
             MakeGather(plan, Indices(plan, index, size), {index, axes.index}, {self, axes.self}, {out, axes.out},
                        from.rank == 0 ? 0 : StepBytes(from, dim)),
             RunGather);
}

void GatherElements(exec::PlanBuilder& plan, int self, int dim, int index, int out) {
  const View& from = plan.OperandView(self);
  const View& named = plan.OperandView(index);
  const View& to = plan.OperandView(out);
  Axes axes(named, from, to);
  for (int axis = 0; axis < named.rank; ++axis)
    axes.Add(named.shape[axis], named.step(axis), axis == dim ? 0 : from.step(axis), to.step(axis));
  Indices indices(plan, index, from.rank == 0 ? 1 : from.shape[dim]);
  indices.Wrap();
  PlanGather(plan,
             MakeGather(plan, indices, {index, axes.index}, {self, axes.self}, {out, axes.out},
                        from.rank == 0 ? 0 : StepBytes(from, dim)),
             RunGather);
}

void GatherNamed(exec::PlanBuilder& plan, int self, int index, int components, int out) {
  const View& from = plan.OperandView(self);
  const View& named = plan.OperandView(index);
  const View& to = plan.OperandView(out);
  const bool is_flat = components == kNothing;
  const int index_axes = named.rank - (is_flat ? 0 : 1), named_axes = is_flat ? from.rank : components;
  Names names(plan, index);
  names.is_flat = is_flat;
  if (!is_flat) names.component_bytes = StepBytes(named, index_axes);
  for (int axis = 0; axis < named_axes; ++axis) names.Add(from.shape[axis], StepBytes(from, axis));
  names.Wrap();
  Axes axes(named, from, to);
  if (is_flat && names.flat.rank <= 1) {
    for (int axis = 0; axis < named.rank; ++axis) axes.Add(named.shape[axis], named.step(axis), 0, to.step(axis));
    return PlanGather(plan,
                      MakeGather(plan, names.indices, {index, axes.index}, {self, axes.self}, {out, axes.out},
                                 names.flat.rank == 0 ? 0 : names.flat.strides[0]),
                      RunGather);
  }
  int64_t position = 1;
  for (int axis = index_axes; axis-- > 0;) position = Product(position, named.shape[axis]);
  for (int axis = 0; axis < index_axes; ++axis) {
    position /= std::max<int64_t>(named.shape[axis], 1);
    axes.Add(named.shape[axis], position, 0, to.step(axis));
  }
  for (int axis = named_axes; axis < from.rank; ++axis)
    axes.Add(from.shape[axis], 0, from.step(axis), to.step(index_axes + axis - named_axes));
  axes.index.dtype = ACL_INT64;
  const GatherPlan gather = MakeGather(plan, names.indices, {index, axes.index}, {self, axes.self}, {out, axes.out}, 1);
  if (gather.tiles.tiling.tiles == 0) return;
  const NamedPlan whole{.names = names, .index = Places(named, 0, index_axes), .gather = gather};
  plan.RunBytes(RunGatherNamed, &whole, sizeof(whole) - gather.tiles.UnusedBytes(),
                CostNs(gather.tiles.nest, 2 * NsPerElement(gather)));
}

void RepeatRows(exec::PlanBuilder& plan, int self, int dim, int repeats, int out) {
  const View& from = plan.OperandView(self);
  const View& to = plan.OperandView(out);
  const bool is_flat = dim == kNothing;
  Axes axes(plan.OperandView(repeats), from, to);
  axes.index.dtype = ACL_INT64;  // the run computes the positions of rows itself
  const int at = is_flat ? 0 : dim;
  for (int axis = 0; axis < to.rank; ++axis)
    axes.Add(to.shape[axis], axis == at ? 1 : 0, axis == at || is_flat ? 0 : from.step(axis), to.step(axis));
  GatherPlan gather = MakeGather(plan, Indices(plan, repeats, to.shape[at]), {repeats, axes.index}, {self, axes.self},
                                 {out, axes.out}, 1);
  gather.rows = Places(from, at, is_flat ? from.rank : dim + 1);
  PlanGather(plan, gather, RunRepeatRows);
}

}  // namespace v1
}  // namespace portacl::loops::moves
