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
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {
namespace {

// Time per element on one core, where a tile has an index per row and where it has one per column.
constexpr double kRowNs = 0.05;
constexpr double kColumnNs = 0.7;

// Bytes of a later row that are prefetched; the hardware prefetcher continues from there.
constexpr int64_t kFetchedBytes = 256;
constexpr int64_t kFetchedAhead = 2;

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

void Clear(int64_t bytes, int64_t columns, const TileOperand& row) {
  for (int64_t c = 0; c < columns; ++c) std::memset(row.base + c * row.column_stride, 0, static_cast<size_t>(bytes));
}

bool GatherRows(const GatherPlan& plan, const Indices& indices, const Tile& tile) {
  const TileOperand& index = tile.operand[0];
  const TileOperand& self = tile.operand[1];
  const TileOperand& out = tile.operand[2];
  const bool is_dense = self.column_stride == plan.bytes && out.column_stride == plan.bytes;
  const bool streams = tile.non_temporal && is_dense && tile.columns * plan.bytes >= kStreamedRowBytes;
  bool good = true;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const int64_t i = ReadIndex(index.base + row * index.row_stride, indices.is_wide);
    const TileOperand to = BlockAt(out, row, 0);
    if (!indices.Holds(i)) {
      Clear(plan.bytes, tile.columns, to);
      good = false;
      continue;
    }
    if (row + kFetchedAhead < tile.rows) {
      const int64_t ahead = ReadIndex(index.base + (row + kFetchedAhead) * index.row_stride, indices.is_wide);
      if (indices.Holds(ahead)) {
        const std::byte* next = self.base + (row + kFetchedAhead) * self.row_stride + ahead * plan.dim_bytes;
        for (int64_t at = 0; at < std::min(kFetchedBytes, tile.columns * plan.bytes); at += kLineBytes)
          __builtin_prefetch(next + at, 0, 2);
      }
    }
    TileOperand from = BlockAt(self, row, 0);
    from.base += i * plan.dim_bytes;
    if (streams) {
      plan.stream(from.base, to.base, tile.columns * plan.bytes);
    } else if (is_dense) {
      std::memcpy(to.base, from.base, static_cast<size_t>(tile.columns * plan.bytes));
    } else {
      CopyBlock(plan.bytes, 1, tile.columns, from, to);
    }
  }
  if (streams) hwy::FlushStream();
  return good;
}

template <size_t kBytes>
bool GatherColumns(const GatherPlan& plan, const Indices& indices, const Tile& tile) {
  bool good = true;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const TileOperand index = BlockAt(tile.operand[0], row, 0);
    const TileOperand self = BlockAt(tile.operand[1], row, 0);
    const TileOperand out = BlockAt(tile.operand[2], row, 0);
    for (int64_t c = 0; c < tile.columns; ++c) {
      const int64_t i = ReadIndex(index.base + c * index.column_stride, indices.is_wide);
      std::byte* const to = out.base + c * out.column_stride;
      if (indices.Holds(i)) [[likely]] {
        std::memcpy(to, self.base + c * self.column_stride + i * plan.dim_bytes, kBytes);
      } else {
        std::memset(to, 0, kBytes);
        good = false;
      }
    }
  }
  return good;
}

bool GatherTile(const GatherTask& task, const Tile& tile) {
  const GatherPlan& plan = task.gather;
  if (tile.operand[0].column_stride == 0) return GatherRows(plan, task.indices, tile);
  switch (plan.bytes) {
    case 1:
      return GatherColumns<1>(plan, task.indices, tile);
    case 2:
      return GatherColumns<2>(plan, task.indices, tile);
    case 4:
      return GatherColumns<4>(plan, task.indices, tile);
    case 8:
      return GatherColumns<8>(plan, task.indices, tile);
    default:
      return GatherColumns<16>(plan, task.indices, tile);
  }
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
  return RunGatherTiles(GatherTask(plan, context)) ? 0 : plan.indices.Refuse(context);
}

// The axes of the result, and the strides of each operand along them.
struct Axes {
  View index, self, out;

  Axes(aclDataType index_dtype, const View& of_self, const View& of_out) {
    index.dtype = index_dtype;
    self.dtype = out.dtype = of_self.dtype;
    index.offset = 0;
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

void PlanGather(exec::PlanBuilder& builder, const Indices& indices, const OperandPart& index, const OperandPart& self,
                const OperandPart& out, int64_t dim_bytes, const Places& rows, exec::RunFunction run) {
  const View* const views[] = {&*index.view, &*self.view, &*out.view};
  const auto bytes = static_cast<int64_t>(ElementBytes(out.view->dtype));
  GatherPlan plan{.indices = indices,
                  .dim_bytes = dim_bytes,
                  .bytes = bytes,
                  .stream = StreamLanes(ActiveTarget()),
                  .rows = rows,
                  .tiles = {.code = {.inputs = 2}, .nest = MakeLoopNest(out.view->dims(), views)}};
  TilePlan& tiles = plan.tiles;
  if (tiles.nest.Elements() == 0) return;
  const double ns = tiles.nest.strides[0][0] == 0 ? kRowNs : kColumnNs;
  tiles.tiling = MakeTiling(tiles.nest, ns);
  SetOperands(builder, {index, self, out}, {}, &tiles);
  // One index for a whole row adds no memory traffic.
  if (tiles.nest.strides[0][0] == 0) tiles.non_temporal = tiles.nest.Elements() > NonTemporalBytes() / (2 * bytes);
  builder.ForbidInPlace(index.operand);
  builder.ForbidInPlace(self.operand);
  PlanTiles(builder, run, plan, ns);
}

// Expands the repetition counts to the position of a source row for each row of the result.
int32_t ExpandRepeats(const GatherPlan& plan, const exec::RunContext& context, int64_t size, int64_t* places) {
  const std::byte* const repeats = context.Address(plan.indices.operand);
  const int64_t count = plan.indices.places.Count();
  const int64_t rows = plan.rows.Count();
  int64_t sum = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t number = ReadIndex(repeats + plan.indices.places.Of(count == 1 ? 0 : row), true);
    if (number < 0) {
      return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument 'repeats': expected no negative number, got {} at {}",
                   plan.indices.api, number, row);
    }
    if (number > size - sum) {
      return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument 'repeats': expected a sum of {} (outputSize), got more",
                   plan.indices.api, size);
    }
    std::fill_n(places + sum, number, plan.rows.Of(row));
    sum += number;
  }
  if (sum == size) return 0;
  return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument 'repeats': expected a sum of {} (outputSize), got {}",
               plan.indices.api, size, sum);
}

int32_t RunRepeatRows(const exec::RunContext& context) {
  const GatherPlan& plan = context.Parameters<GatherPlan>();
  const int64_t size = plan.indices.limit;
  const PoolMemory places(size * static_cast<int64_t>(sizeof(int64_t)));
  const int32_t status = ExpandRepeats(plan, context, size, places.As<int64_t>());
  if (status != 0) return status;
  GatherTask task(plan, context);
  task.indices.limit = std::numeric_limits<int64_t>::max();
  task.indices.is_wide = true;
  task.addresses[0] = places.As();
  RunGatherTiles(task);
  return 0;
}

}  // namespace

int32_t Indices::Refuse(const exec::RunContext& context) const {
  const std::byte* const first = context.Address(operand);
  int64_t position = 0;
  while (position + 1 < places.Count() && Holds(ReadIndex(first + places.Of(position), is_wide))) ++position;
  return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument 'index': expected elements from 0 to {}, got {} at {}", api,
               limit - 1, ReadIndex(first + places.Of(position), is_wide), position);
}

inline namespace v1 {

void Gather(exec::PlanBuilder& plan, int self, int dim, int index, int out) {
  const View& from = plan.OperandView(self);
  const View& named = plan.OperandView(index);
  const View& to = plan.OperandView(out);
  Axes axes(named.dtype, from, to);
  axes.index.offset = named.offset;
  int next = 0;  // axis of the result
  for (int axis = 0; axis < dim; ++axis, ++next) axes.Add(from.shape[axis], 0, from.step(axis), to.step(next));
  for (int axis = 0; axis < named.rank; ++axis) {
    axes.Add(named.shape[axis], named.step(axis), 0, next < to.rank ? to.step(next) : 0);
    ++next;
  }
  if (named.rank == 0 && to.rank == from.rank) ++next;
  for (int axis = dim + 1; axis < from.rank; ++axis, ++next)
    axes.Add(from.shape[axis], 0, from.step(axis), to.step(next));
  const int64_t size = from.rank == 0 ? 1 : from.shape[dim];
  PlanGather(plan, Indices(plan, index, size), {index, axes.index}, {self, axes.self}, {out, axes.out},
             from.rank == 0 ? 0 : from.step(dim) * static_cast<int64_t>(ElementBytes(from.dtype)), {}, RunGather);
}

void RepeatRows(exec::PlanBuilder& plan, int self, int dim, int repeats, int out) {
  const View& from = plan.OperandView(self);
  const View& to = plan.OperandView(out);
  const bool is_flat = dim == kNothing;
  Axes axes(ACL_INT64, from, to);
  axes.index.offset = plan.OperandView(repeats).offset;  // the run computes the positions of rows itself
  const int at = is_flat ? 0 : dim;
  for (int axis = 0; axis < to.rank; ++axis)
    axes.Add(to.shape[axis], axis == at ? 1 : 0, axis == at || is_flat ? 0 : from.step(axis), to.step(axis));
  Indices indices(plan, repeats, to.shape[at]);
  const Places rows(from, at, is_flat ? from.rank : dim + 1);
  PlanGather(plan, indices, {repeats, axes.index}, {self, axes.self}, {out, axes.out}, 1, rows, RunRepeatRows);
}

}  // namespace v1
}  // namespace portacl::loops::moves
