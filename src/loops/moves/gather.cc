// SPDX-License-Identifier: Apache-2.0
//
// A single walk over the elements of the result. The index has strides only along its own axes, and the source has none
// there. In a tile, each row or each column has an index of its own.
#include "loops/moves/gather.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "acl/error_codes/rt_error_codes.h"
#include "base/status.h"
#include "base/target.h"
#include "hwy/cache_control.h"
#include "loops/elements/move_lanes.h"
#include "loops/elements/non_temporal.h"
#include "loops/moves/indices.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/scratch.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {
namespace {

// Time per element on one core, where a tile has an index per row and where it has one per column.
constexpr double kRowNs = 0.05;
constexpr double kColumnNs = 0.7;

// Bytes of a later row that are prefetched; the hardware prefetcher continues from there.
constexpr int64_t kFetchedBytes = 256;
constexpr int64_t kFetchedAhead = 2;
constexpr int64_t kMostFetchedAhead = 16;

// Rows of up to this many bytes are copied without a call.
constexpr int64_t kShortRowBytes = 256;

struct GatherPlan {
  Indices indices;
  int64_t dim_bytes;  // from one row of the source to the next
  int64_t bytes;      // per element
  MoveFunction stream;
  Places rows;  // for RepeatRows: positions of the rows of the source
  TilePlan tiles;
};

struct GatherTask : TileTask {
  GatherTask(const GatherPlan& of, const exec::RunContext& context)
      : TileTask(of.tiles, context), gather(of), indices(of.indices) {}
  const GatherPlan& gather;
  Indices indices;
};

// Bytes from one column to the next, and from one name to the next.
struct GatherSteps {
  int64_t index, self, out, named;
};

void Clear(int64_t bytes, int64_t columns, const TileOperand& row) {
  for (int64_t c = 0; c < columns; ++c) std::memset(row.base + c * row.column_stride, 0, static_cast<size_t>(bytes));
}

// Copies a row of 16 bytes or more; the last 16 may overlap the others.
void CopyShortRow(const std::byte* from, std::byte* to, int64_t bytes) {
  constexpr int64_t kPart = 16;
  for (int64_t at = 0; at < bytes - kPart; at += kPart) std::memcpy(to + at, from + at, kPart);
  std::memcpy(to + bytes - kPart, from + bytes - kPart, kPart);
}

bool GatherRows(const GatherPlan& plan, const Indices& indices, const Tile& tile) {
  const TileOperand& index = tile.operand[0];
  const TileOperand& self = tile.operand[1];
  const TileOperand& out = tile.operand[2];
  const bool is_dense = self.column_stride == plan.bytes && out.column_stride == plan.bytes;
  const int64_t row_bytes = tile.columns * plan.bytes;
  const bool streams = tile.non_temporal && is_dense && row_bytes >= kStreamedRowBytes;
  const bool is_short = is_dense && row_bytes >= 16 && row_bytes <= kShortRowBytes;
  const int64_t fetched_ahead = std::clamp(4 * kFetchedBytes / row_bytes, kFetchedAhead, kMostFetchedAhead);
  const int64_t fetched_bytes = std::min(kFetchedBytes, row_bytes);
  bool good = true;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const int64_t i = indices.Named(ReadIndex(index.base + row * index.row_stride, indices.is_wide));
    const TileOperand to = BlockAt(out, row, 0);
    if (!indices.Holds(i)) {
      Clear(plan.bytes, tile.columns, to);
      good = false;
      continue;
    }
    if (row + fetched_ahead < tile.rows) {
      const int64_t ahead =
          indices.Named(ReadIndex(index.base + (row + fetched_ahead) * index.row_stride, indices.is_wide));
      if (indices.Holds(ahead)) {
        const std::byte* next = self.base + (row + fetched_ahead) * self.row_stride + ahead * plan.dim_bytes;
        for (int64_t at = 0; at < fetched_bytes; at += kLineBytes) __builtin_prefetch(next + at, 0, 2);
      }
    }
    TileOperand from = BlockAt(self, row, 0);
    from.base += i * plan.dim_bytes;
    if (streams) {
      plan.stream(from.base, to.base, row_bytes);
    } else if (is_short) {
      CopyShortRow(from.base, to.base, row_bytes);
    } else if (is_dense) {
      std::memcpy(to.base, from.base, static_cast<size_t>(row_bytes));
    } else {
      CopyBlock(plan.bytes, 1, tile.columns, from, to);
    }
  }
  if (streams) hwy::FlushStream();
  return good;
}

// All that the loop reads is in locals: a byte that it writes could be any of it. kPlain: index and result run on, and
// names are neighbours.
template <size_t kBytes, class I, bool kPlain>
bool GatherRow(const Indices& indices, const std::byte* index, const std::byte* self, std::byte* out, int64_t columns,
               const GatherSteps& steps) {
  const int64_t index_step = kPlain ? int64_t{sizeof(I)} : steps.index, self_step = kPlain ? 0 : steps.self;
  const int64_t out_step = kPlain ? int64_t{kBytes} : steps.out, named_step = kPlain ? int64_t{kBytes} : steps.named;
  const int64_t from_end = indices.from_end;
  const auto limit = static_cast<uint64_t>(indices.limit);
  bool good = true;
#pragma GCC unroll 4
  for (int64_t c = 0; c < columns; ++c) {
    I read;
    std::memcpy(&read, index + c * index_step, sizeof(I));
    int64_t i = read;
    if (static_cast<uint64_t>(i) >= limit && i < 0) [[unlikely]]
      i += from_end;
    if (static_cast<uint64_t>(i) < limit) [[likely]] {
      std::memcpy(out + c * out_step, self + c * self_step + i * named_step, kBytes);
    } else {
      std::memset(out + c * out_step, 0, kBytes);
      good = false;
    }
  }
  return good;
}

template <size_t kBytes, class I>
bool GatherColumns(const GatherPlan& plan, const Indices& indices, const Tile& tile) {
  const GatherSteps steps = {tile.operand[0].column_stride, tile.operand[1].column_stride,
                             tile.operand[2].column_stride, plan.dim_bytes};
  const bool is_plain = steps.index == sizeof(I) && steps.self == 0 && steps.out == kBytes && steps.named == kBytes;
  const auto gather = is_plain ? GatherRow<kBytes, I, true> : GatherRow<kBytes, I, false>;
  bool good = true;
  for (int64_t row = 0; row < tile.rows; ++row)
    good &= gather(indices, tile.Row<std::byte>(0, row), tile.Row<std::byte>(1, row), tile.Row<std::byte>(2, row),
                   tile.columns, steps);
  return good;
}

template <class I>
bool GatherColumns(const GatherPlan& plan, const Indices& indices, const Tile& tile) {
  switch (plan.bytes) {
    case 1:
      return GatherColumns<1, I>(plan, indices, tile);
    case 2:
      return GatherColumns<2, I>(plan, indices, tile);
    case 4:
      return GatherColumns<4, I>(plan, indices, tile);
    case 8:
      return GatherColumns<8, I>(plan, indices, tile);
    default:
      return GatherColumns<16, I>(plan, indices, tile);
  }
}

double NsPerElement(const GatherPlan& plan) { return plan.tiles.nest.strides[0][0] == 0 ? kRowNs : kColumnNs; }

bool GatherTile(const GatherTask& task, const Tile& tile) {
  if (tile.operand[0].column_stride == 0) return GatherRows(task.gather, task.indices, tile);
  return task.indices.is_wide ? GatherColumns<int64_t>(task.gather, task.indices, tile)
                              : GatherColumns<int32_t>(task.gather, task.indices, tile);
}

// Returns false if any index is out of range.
bool RunGatherTiles(const GatherTask& task) {
  std::atomic<bool> failed{false};
  RunTiles(task, 0, [&](const Tile& tile) {
    if (!GatherTile(task, tile)) failed.store(true, std::memory_order_relaxed);
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
  tiles.tiling = MakeTiling(tiles.nest, NsPerElement(plan));
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
