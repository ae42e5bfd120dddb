// SPDX-License-Identifier: Apache-2.0
#include "loops/triangle.h"

#include <algorithm>
#include <utility>

#include "loops/copy_tile.h"
#include "loops/pack.h"
#include "loops/plan.h"

namespace portacl::loops {
namespace {

struct TrianglePlan {
  int64_t first_kept;  // of row 0, or the first that is not; one more of each row that follows
  bool keeps_begin;
  TilePlan tiles;
};

struct TriangleTask : TileTask {
  TriangleTask(const TrianglePlan& of, const exec::RunContext& context) : TileTask(of.tiles, context), triangle(of) {}
  const TrianglePlan& triangle;
};

alignas(16) constexpr std::byte kZero[16] = {};

// Some columns of some rows, copied or cleared.
void RunPart(Tile part, int64_t row, int64_t rows, int64_t column, int64_t columns, bool keeps) {
  if (columns <= 0) return;
  for (TileOperand* operand : {&part.operand[0], &part.operand[1]}) *operand = BlockAt(*operand, row, column);
  if (!keeps) part.operand[0] = {const_cast<std::byte*>(kZero), 0, 0};
  part.rows = rows;
  part.columns = columns;
  CopyTile(part);
}

// `boundary` is that of the tile's first row, from its first column.
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

void RunTriangleChunks(void* argument, int64_t first, int64_t end) {
  const auto& task = static_cast<const TriangleTask&>(*static_cast<const TileTask*>(argument));
  const TilePlan& plan = task.plan;
  Tile tile;
  tile.parameters = plan.parameters;
  tile.scratch = nullptr;
  tile.non_temporal = plan.non_temporal;
  first *= plan.cut.tiles_per_chunk;
  end = std::min(end * plan.cut.tiles_per_chunk, plan.cut.tiles);
  TileWalk walk(plan.nest, plan.cut, first);
  while (first < end) {
    const int64_t boundary = task.triangle.first_kept + walk.row() - walk.column();
    first += walk.Next(task.addresses, end - first, &tile);
    RunTriangleTile(tile, boundary, task.triangle.keeps_begin);
  }
}

int32_t RunTriangle(const exec::RunContext& context) {
  TriangleTask task(context.Parameters<TrianglePlan>(), context);
  RunChunks(task, RunTriangleChunks);
  return 0;
}

// The nest of all axes but two, within which these are: `columns` and `rows` of the views.
Nest MatrixNest(const View& self, const View& out, int columns, int rows) {
  View outer[] = {self, out};
  for (View& view : outer) view.rank -= 2;
  const View* const views[] = {&outer[0], &outer[1]};
  const Nest batch = MakeNest(outer[1].dims(), views);
  Nest nest = batch;
  nest.rank = 2;
  const View* const whole[] = {&self, &out};
  for (int i = 0; i < 2; ++i) {
    nest.strides[i][0] = whole[i]->step(columns) * nest.element_bytes[i];
    nest.strides[i][1] = whole[i]->step(rows) * nest.element_bytes[i];
  }
  nest.shape[0] = out.shape[columns];
  nest.shape[1] = out.shape[rows];
  for (int axis = 0; axis < batch.rank; ++axis) {
    if (batch.shape[axis] == 1) continue;
    nest.shape[nest.rank] = batch.shape[axis];
    for (int i = 0; i < 2; ++i) nest.strides[i][nest.rank] = batch.strides[i][axis];
    ++nest.rank;
  }
  return nest;
}

}  // namespace

inline namespace v1 {

void Triangle(exec::PlanBuilder& builder, int self, int out, int64_t diagonal, Side side) {
  const View& to = builder.OperandView(out);
  int columns = to.rank - 1, rows = to.rank - 2;
  // Sizes bound what a diagonal can do.
  diagonal = std::clamp(diagonal, -to.shape[rows], to.shape[columns]);
  if (to.step(rows) != 0 && to.step(rows) < to.step(columns)) {
    std::swap(columns, rows);
    side = side == Side::kLower ? Side::kUpper : Side::kLower;
    diagonal = -diagonal;
  }
  const CopyParameters parameters = CopyParametersOf(to.dtype, to.dtype);
  const bool is_lower = side == Side::kLower;
  TrianglePlan plan{.first_kept = diagonal + (is_lower ? 1 : 0),
                    .keeps_begin = is_lower,
                    .tiles = {.code = {.inputs = 1}, .nest = MatrixNest(builder.OperandView(self), to, columns, rows)}};
  if (plan.tiles.nest.Elements() == 0) return;
  const double ns = CopyNsPerElement(parameters);
  plan.tiles.cut = MakeCut(plan.tiles.nest, ns);
  SetOperands(builder, {self, out}, parameters, &plan.tiles);
  RunTiles(builder, RunTriangle, plan, ns);
}

}  // namespace v1
}  // namespace portacl::loops
