// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/triangle.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "loops/elements/conversion.h"
#include "loops/elements/non_temporal.h"
#include "loops/moves/copy_tile.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {
namespace {

struct TrianglePlan {
  int64_t first_kept;  // first column in row 0 that is kept, or that is not; one more in each next row
  bool keeps_begin;
  TilePlan tiles;
};

alignas(16) constexpr std::byte kZero[16] = {};

// Copies or clears a rectangle of the tile.
void RunPart(const Tile& tile, int64_t row, int64_t rows, int64_t column, int64_t columns, bool keeps) {
  if (columns <= 0 || (keeps && tile.operand[0].base == tile.operand[1].base)) return;
  const int64_t bytes = static_cast<const CopyParameters*>(tile.parameters)->conversion->bytes[0];
  if (!tile.non_temporal && tile.operand[1].column_stride == bytes &&
      (!keeps || tile.operand[0].column_stride == bytes)) {
    for (int64_t r = row; r < row + rows; ++r) {
      std::byte* const to = BlockAt(tile.operand[1], r, column).base;
      const auto size = static_cast<size_t>(columns * bytes);
      if (keeps)
        std::memcpy(to, BlockAt(tile.operand[0], r, column).base, size);
      else
        std::memset(to, 0, size);
    }
    return;
  }
  Tile part = tile;
  for (TileOperand* operand : {&part.operand[0], &part.operand[1]}) *operand = BlockAt(*operand, row, column);
  if (!keeps) part.operand[0] = {const_cast<std::byte*>(kZero), 0, 0};
  part.rows = rows;
  part.columns = columns;
  CopyTile(part);
}

// `boundary` is the boundary in the first row of the tile, relative to its first column.
void RunTriangleTile(const Tile& tile, int64_t boundary, bool keeps_begin) {
  const auto end_of = [&](int64_t row) { return std::clamp<int64_t>(boundary + row, 0, tile.columns); };
  const int64_t first = end_of(0), last = end_of(tile.rows - 1);
  if (first == last) {
    RunPart(tile, 0, tile.rows, 0, first, keeps_begin);
    return RunPart(tile, 0, tile.rows, first, tile.columns - first, !keeps_begin);
  }
  for (int64_t row = 0; row < tile.rows; ++row) {
    const int64_t end = end_of(row);
    RunPart(tile, row, 1, 0, end, keeps_begin);
    RunPart(tile, row, 1, end, tile.columns - end, !keeps_begin);
  }
}

// Calls f(tile, row, column) for all tiles, with the position of each in its matrix.
template <class F>
void ForEachPlace(const TileTask& task, const F& f) {
  const TilePlan& plan = task.plan;
  RunChunks(plan.ChunksWith(0), [&](int64_t first, int64_t end, std::byte*) {
    Tile tile;
    tile.parameters = plan.parameters;
    tile.scratch = nullptr;
    tile.non_temporal = plan.non_temporal;
    first *= plan.tiling.tiles_per_chunk;
    end = std::min(end * plan.tiling.tiles_per_chunk, plan.tiling.tiles);
    TileWalk walk(plan.nest, plan.tiling, first);
    while (first < end) {
      const int64_t row = walk.row(), column = walk.column();
      first += walk.Next(task.addresses, end - first, &tile);
      f(tile, row, column);
    }
  });
}

int32_t RunTriangle(const exec::RunContext& context) {
  const TrianglePlan& plan = context.Parameters<TrianglePlan>();
  ForEachPlace(TileTask(plan.tiles, context), [&](const Tile& tile, int64_t row, int64_t column) {
    RunTriangleTile(tile, plan.first_kept + row - column, plan.keeps_begin);
  });
  return 0;
}

struct IdentityPlan {
  alignas(16) std::byte one[16];
  TilePlan tiles;
};

int32_t RunIdentity(const exec::RunContext& context) {
  const IdentityPlan& plan = context.Parameters<IdentityPlan>();
  const auto bytes = static_cast<size_t>(plan.tiles.nest.element_bytes[0]);
  ForEachPlace(TileTask(plan.tiles, context), [&](const Tile& tile, int64_t row, int64_t column) {
    const TileOperand out = tile.operand[0];
    Tile zeros = tile;
    zeros.operand[0] = {const_cast<std::byte*>(kZero), 0, 0};
    zeros.operand[1] = out;
    if (out.row_stride == tile.columns * out.column_stride) {  // contiguous rows are joined
      zeros.rows = 1;
      zeros.columns *= tile.rows;
    }
    CopyTile(zeros);
    for (int64_t at = std::max(row, column); at < std::min(row + tile.rows, column + tile.columns); ++at)
      std::memcpy(BlockAt(out, at - row, at - column).base, plan.one, bytes);
  });
  return 0;
}

// A nest whose two inner axes are `columns` and `rows` of the views, two views at most; the other axes are outside.
LoopNest MatrixNest(std::initializer_list<const View*> whole, int columns, int rows) {
  View outer[2];
  const View* views[2];
  size_t count = 0;
  for (const View* view : whole) {
    outer[count] = *view;
    outer[count].rank -= 2;
    views[count] = &outer[count];
    ++count;
  }
  const LoopNest batch = MakeLoopNest(outer[count - 1].dims(), {views, count});
  LoopNest nest = batch;
  nest.rank = 2;
  int operand = 0;
  for (const View* view : whole) {
    nest.strides[operand][0] = view->step(columns) * nest.element_bytes[operand];
    nest.strides[operand][1] = view->step(rows) * nest.element_bytes[operand];
    nest.shape[0] = view->shape[columns];
    nest.shape[1] = view->shape[rows];
    ++operand;
  }
  for (int axis = 0; axis < batch.rank; ++axis) {
    if (batch.shape[axis] == 1) continue;
    nest.shape[nest.rank] = batch.shape[axis];
    for (int i = 0; i < batch.operands; ++i) nest.strides[i][nest.rank] = batch.strides[i][axis];
    ++nest.rank;
  }
  return nest;
}

// The approximate share of a matrix before the boundary, which is at column `first` in row 0 and moves on by 1 per row.
double ShareBefore(int64_t first, int64_t rows, int64_t columns) {
  const auto height = static_cast<double>(rows), width = static_cast<double>(columns),
             begin = static_cast<double>(first);
  // Elements before the boundary, up to the row where the boundary is at `end`: a triangle, then whole rows.
  const auto area = [width](double end) {
    const double whole = std::max(end - width, 0.0), growing = std::clamp(end, 0.0, width);
    return growing * growing / 2 + whole * width;
  };
  return (area(begin + height) - area(begin)) / (height * width);
}

}  // namespace

inline namespace v1 {

void Triangle(exec::PlanBuilder& builder, int self, int out, int64_t diagonal, Side side) {
  const View& to = builder.OperandView(out);
  int columns = to.rank - 1, rows = to.rank - 2;
  // Beyond the size of the matrix, a diagonal changes nothing more.
  diagonal = std::clamp(diagonal, -to.shape[rows], to.shape[columns]);
  if (to.step(rows) != 0 && to.step(rows) < to.step(columns)) {
    std::swap(columns, rows);
    side = side == Side::kLower ? Side::kUpper : Side::kLower;
    diagonal = -diagonal;
  }
  const CopyParameters parameters = CopyParametersOf(to.dtype, to.dtype);
  const bool is_lower = side == Side::kLower;
  TrianglePlan plan{
      .first_kept = diagonal + (is_lower ? 1 : 0),
      .keeps_begin = is_lower,
      .tiles = {.code = {.inputs = 1}, .nest = MatrixNest({&builder.OperandView(self), &to}, columns, rows)}};
  // In place, the rows that follow are kept unchanged.
  int64_t& height = plan.tiles.nest.shape[1];
  if (self == out && is_lower) height = std::clamp<int64_t>(plan.tiles.nest.shape[0] - plan.first_kept, 0, height);
  if (plan.tiles.nest.Elements() == 0) return;
  const double ns = CopyNsPerElement(parameters);
  plan.tiles.tiling = MakeTiling(plan.tiles.nest, ns);
  SetOperands(builder, {self, out}, parameters, &plan.tiles);
  if (self == out) {
    // Only zeros are written, and few of them if the matrix is tall.
    const LoopNest& nest = plan.tiles.nest;
    const double kept = ShareBefore(plan.first_kept, nest.shape[1], nest.shape[0]);
    const double cleared = static_cast<double>(nest.Elements()) * (is_lower ? 1 - kept : kept);
    plan.tiles.non_temporal =
        cleared * static_cast<double>(nest.element_bytes[1]) > static_cast<double>(NonTemporalBytes());
  }
  PlanTiles(builder, RunTriangle, plan, ns);
}

void Identity(exec::PlanBuilder& builder, int out) {
  const View& to = builder.OperandView(out);
  const bool is_transposed = to.step(0) != 0 && to.step(0) < to.step(1);
  IdentityPlan plan{.one = {},
                    .tiles = {.code = {}, .nest = MatrixNest({&to}, is_transposed ? 0 : 1, is_transposed ? 1 : 0)}};
  if (plan.tiles.nest.Elements() == 0) return;
  const auto parameters = CopyParametersOf(to.dtype, to.dtype);
  constexpr float kOne = 1;
  Convert(ConversionOf(ACL_FLOAT, to.dtype), reinterpret_cast<const std::byte*>(&kOne), plan.one, 1);
  const double ns = CopyNsPerElement(parameters);
  plan.tiles.tiling = MakeTiling(plan.tiles.nest, ns);
  SetOperands(builder, {out}, parameters, &plan.tiles);
  PlanTiles(builder, RunIdentity, plan, ns);
}

}  // namespace v1
}  // namespace portacl::loops::moves
