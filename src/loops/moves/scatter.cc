// SPDX-License-Identifier: Apache-2.0
//
// Work is cut across the rows, not between them: a thread has the same part of all rows and writes it in the order of
// the indices, so that of equal indices the last one counts.
#include <algorithm>
#include <atomic>

#include "loops/moves/gather.h"
#include "loops/moves/indices.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {
namespace {

constexpr double kNsPerMove = 0.05;

// The fewest bytes of a part of a row.
constexpr int64_t kPartBytes = 2 << 10;

struct ScatterPlan {
  Indices indices;
  int64_t count;         // number of indices
  int64_t index_bytes;   // from one index to the next
  int64_t source_bytes;  // from one row to the next
  int64_t out_bytes;
  int64_t self_bytes;
  int64_t bytes;  // per element
  bool has_self;
  TilePlan tiles;  // for one row: source, out, self
};

TileOperand BlockBehind(TileOperand block, int64_t bytes) {
  block.base += bytes;
  return block;
}

[[gnu::noinline]] bool ScatterTile(const ScatterPlan& plan, const std::byte* index, const Tile& tile) {
  const auto copy = [&](const TileOperand& from, const TileOperand& to) {
    CopyBlock(plan.bytes, tile.rows, tile.columns, from, to);
  };
  const TileOperand& out = tile.operand[1];
  if (plan.has_self && tile.operand[2].base != out.base) {
    for (int64_t row = 0; row < plan.indices.limit; ++row)
      copy(BlockBehind(tile.operand[2], row * plan.self_bytes), BlockBehind(out, row * plan.out_bytes));
  }
  bool good = true;
  for (int64_t k = 0; k < plan.count; ++k) {
    const int64_t i = ReadIndex(index + k * plan.index_bytes, plan.indices.is_wide);
    if (plan.indices.Holds(i)) {
      copy(BlockBehind(tile.operand[0], k * plan.source_bytes), BlockBehind(out, i * plan.out_bytes));
    } else {
      good = false;
    }
  }
  return good;
}

int32_t RunScatter(const exec::RunContext& context) {
  const ScatterPlan& plan = context.Parameters<ScatterPlan>();
  const TileTask task(plan.tiles, context);
  const std::byte* const index = context.Address(plan.indices.operand);
  std::atomic<bool> failed{false};
  RunTiles(task, 0, [&](const Tile& tile) {
    if (!ScatterTile(plan, index, tile)) failed.store(true, std::memory_order_relaxed);
  });
  return failed.load(std::memory_order_relaxed) ? plan.indices.Refuse(context) : 0;
}

// The view of an operand without its axis `dim`.
View RowOf(const View& view, int dim) {
  View row = view;
  row.rank = std::max(view.rank - 1, 0);
  for (int axis = 0; axis < row.rank; ++axis) {
    row.shape[axis] = view.shape[axis + (axis >= dim)];
    row.strides[axis] = view.step(axis + (axis >= dim));
  }
  return row;
}

int64_t RowBytes(const View& view, int dim) {
  return view.rank == 0 ? 0 : view.step(dim) * static_cast<int64_t>(ElementBytes(view.dtype));
}

Tiling CutRow(const LoopNest& nest, int64_t rows) {
  Tiling tiling = MakeTiling(nest, kNsPerMove * static_cast<double>(std::max<int64_t>(rows, 1)));
  tiling.tile_columns = std::min(nest.shape[0], std::max(tiling.tile_columns, kPartBytes / nest.element_bytes[0]));
  tiling.column_tiles = CeilDivide(nest.shape[0], tiling.tile_columns);
  tiling.tiles = tiling.column_tiles * tiling.row_tiles;
  for (int axis = 2; axis < nest.rank; ++axis) tiling.tiles *= nest.shape[axis];
  tiling.chunks = CeilDivide(tiling.tiles, tiling.tiles_per_chunk);
  return tiling;
}

}  // namespace

inline namespace v1 {

void Scatter(exec::PlanBuilder& builder, int self, int dim, int index, int source, int out) {
  const View& to = builder.OperandView(out);
  const View& from = builder.OperandView(source);
  const View& named = builder.OperandView(index);
  const View& whole = builder.OperandView(self == kNothing ? out : self);
  const View rows[] = {RowOf(from, dim), RowOf(to, dim), RowOf(whole, dim)};
  const View* const views[] = {&rows[0], &rows[1], &rows[2]};
  ScatterPlan plan{.indices = Indices(builder, index, to.rank == 0 ? 1 : to.shape[dim]),
                   .count = named.rank == 0 ? 1 : named.shape[0],
                   .index_bytes = RowBytes(named, 0),
                   .source_bytes = RowBytes(from, dim),
                   .out_bytes = RowBytes(to, dim),
                   .self_bytes = RowBytes(whole, dim),
                   .bytes = static_cast<int64_t>(ElementBytes(to.dtype)),
                   .has_self = self != kNothing,
                   .tiles = {.code = {.inputs = 3}, .nest = MakeLoopNest(rows[1].dims(), views)}};
  TilePlan& tiles = plan.tiles;
  const int64_t moved = plan.count + (plan.has_self ? plan.indices.limit : 0);
  if (tiles.nest.Elements() == 0 || moved == 0) return;
  tiles.tiling = CutRow(tiles.nest, moved);
  SetOperands(builder, {{source, rows[0]}, {out, rows[1]}, {self == kNothing ? out : self, rows[2]}}, {}, &tiles);
  tiles.serial = MayOverlapItself(to);
  builder.ForbidInPlace(index);
  builder.ForbidInPlace(source);
  PlanTiles(builder, RunScatter, plan, kNsPerMove * static_cast<double>(moved));
}

}  // namespace v1
}  // namespace portacl::loops::moves
