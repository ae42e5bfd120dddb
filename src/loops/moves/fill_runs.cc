// SPDX-License-Identifier: Apache-2.0
//
// Long runs are filled as boxes by the copying engine. For short runs, such as columns, that would walk all rows once
// per run; here all runs of a row are filled before the next row.
#include "loops/moves/fill_runs.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/dtype.h"
#include "hwy/cache_control.h"
#include "loops/moves/copy.h"
#include "loops/moves/copy_tile.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {
namespace {

// Shorter runs are filled row by row: a box of them would use little of each cache line that it loads.
constexpr int64_t kLongBytes = 512;

// With fewer rows than this, boxes are used: they also split the parts between the runs among threads.
constexpr int64_t kFewRows = 8;

// Rows of this many bytes are copied and filled while they are in the first-level cache.
constexpr int64_t kFilledBlockBytes = 16 << 10;

// Prefetch distance in rows. Where a row takes a page, the hardware prefetcher follows none: three columns of 16384
// rows took 155 us without.
constexpr int64_t kRowsAhead = 4;

// Costs of a piece of a row: a line from the second-level cache, and stores.
constexpr double kNsPerPiece = 2, kNsPerFilled = 0.1, kNsPerCopiedByte = 0.04;

// From this much work on, another core pays off. Chunks are smaller, so that the threads finish together.
constexpr double kOtherCoreNs = 5'000, kFillChunkNs = kOtherCoreNs / 4;

struct Piece {
  int64_t first;
  int64_t columns;
};

// The plan is followed by its pieces.
struct FillPlan {
  int64_t pieces;
  CopyParameters copy;
  TilePlan tiles;
};

template <size_t kBytes>
void FillPiece(const FillPlan& plan, const std::byte* value, std::byte* at, int64_t columns, int64_t stride) {
  if (stride == kBytes && columns >= kShortRow)
    return plan.copy.fill(value, at, columns * static_cast<int64_t>(kBytes));
  for (int64_t column = 0; column < columns; ++column, at += stride) std::memcpy(at, value, kBytes);
}

template <size_t kBytes>
void FillRows(const FillPlan& plan, const Piece* pieces, int64_t rows, const TileOperand& out) {
  alignas(16) std::byte value[16];  // repeated
  for (size_t at = 0; at < sizeof(value); at += kBytes) std::memcpy(value + at, plan.copy.value, kBytes);
  const int64_t count = plan.pieces;
  for (int64_t row = 0; row < rows; ++row) {
    std::byte* const begin = out.base + row * out.row_stride;
    const int64_t ahead = row + kRowsAhead < rows ? kRowsAhead * out.row_stride : 0;
    for (int64_t i = 0; i < count; ++i) {
      std::byte* const at = begin + pieces[i].first * out.column_stride;
      __builtin_prefetch(at + ahead, 1);
      if (pieces[i].columns == 1) {
        std::memcpy(at, value, kBytes);
      } else {
        FillPiece<kBytes>(plan, value, at, pieces[i].columns, out.column_stride);
      }
    }
  }
}

void FillBlock(const FillPlan& plan, const Piece* pieces, int64_t rows, const TileOperand& out) {
  switch (plan.copy.conversion->bytes[0]) {
    case 1:
      return FillRows<1>(plan, pieces, rows, out);
    case 2:
      return FillRows<2>(plan, pieces, rows, out);
    case 4:
      return FillRows<4>(plan, pieces, rows, out);
    case 8:
      return FillRows<8>(plan, pieces, rows, out);
    default:
      return FillRows<16>(plan, pieces, rows, out);
  }
}

// Joins contiguous rows into one: the C library copies long ones faster.
void CopyRows(int64_t bytes, int64_t rows, int64_t columns, const TileOperand& from, const TileOperand& to) {
  const int64_t row_bytes = columns * bytes;
  const bool is_packed = from.column_stride == bytes && to.column_stride == bytes && from.row_stride == row_bytes &&
                         to.row_stride == row_bytes;
  is_packed ? CopyBlock(bytes, 1, rows * columns, from, to) : CopyBlock(bytes, rows, columns, from, to);
}

// Copies some rows at a time by way of a block in the first-level cache, where they are filled: the target may not be
// in any cache.
void CopyAndFill(const FillPlan& plan, const Piece* pieces, const Tile& tile) {
  const int64_t bytes = plan.copy.conversion->bytes[0];
  const int64_t row_bytes = tile.columns * bytes;
  const TileOperand& to = tile.operand[1];
  const bool fits = row_bytes <= kFilledBlockBytes;
  const bool streams = tile.non_temporal && fits && to.column_stride == bytes && row_bytes >= kStreamedRowBytes;
  const int64_t block_rows = std::max<int64_t>(1, kFilledBlockBytes / row_bytes);
  alignas(64) std::byte block[kFilledBlockBytes];
  for (int64_t row = 0; row < tile.rows; row += block_rows) {
    const int64_t rows = std::min(block_rows, tile.rows - row);
    const TileOperand out = BlockAt(to, row, 0);
    const TileOperand filled = fits ? TileOperand{block, row_bytes, bytes} : out;
    CopyRows(bytes, rows, tile.columns, BlockAt(tile.operand[0], row, 0), filled);
    FillBlock(plan, pieces, rows, filled);
    if (!streams && fits) CopyRows(bytes, rows, tile.columns, filled, out);
    for (int64_t r = 0; streams && r < rows; ++r)
      plan.copy.stream(block + r * row_bytes, out.base + r * out.row_stride, row_bytes);
  }
}

int32_t RunFill(const exec::RunContext& context) {
  const FillPlan& plan = context.Parameters<FillPlan>();
  const auto* const pieces = reinterpret_cast<const Piece*>(&plan + 1);
  const TileTask task(plan.tiles, context);
  RunChunks(task.plan.ChunksWith(0), [&](int64_t first, int64_t end, std::byte*) {
    ForEachTile(task, first, end, nullptr, [&](const Tile& tile) {
      const bool in_place = tile.operand[0].base == tile.operand[1].base;
      in_place ? FillBlock(plan, pieces, tile.rows, tile.operand[1]) : CopyAndFill(plan, pieces, tile);
    });
    if (task.plan.non_temporal) hwy::FlushStream();
  });
  return 0;
}

// Cuts into whole rows, each of which takes `ns`.
Tiling CutRows(const LoopNest& nest, double ns) {
  const int64_t all = nest.Elements() / nest.shape[0];
  const int64_t rows = nest.rank > 1 ? nest.shape[1] : 1;
  const double chunk_ns = static_cast<double>(all) * ns <= kOtherCoreNs ? kOtherCoreNs : kFillChunkNs;
  const int64_t chunk_rows = std::max<int64_t>(1, static_cast<int64_t>(chunk_ns / ns));
  Tiling tiling;
  tiling.tile_columns = nest.shape[0];
  tiling.tile_rows = std::min(rows, chunk_rows);
  tiling.column_tiles = 1;
  tiling.row_tiles = CeilDivide(rows, tiling.tile_rows);
  tiling.tiles = all / rows * tiling.row_tiles;
  tiling.tiles_per_chunk = std::max<int64_t>(1, chunk_rows / tiling.tile_rows);
  tiling.chunks = CeilDivide(tiling.tiles, tiling.tiles_per_chunk);
  return tiling;
}

// Rows as this engine walks them: the axis of the runs is the last, joined with the axes inside it.
struct Rows {
  Rows(const View& of_self, const View& of_out, int dim) : views{of_self, of_out} {
    for (View& view : views) {
      int64_t inner = 1;
      for (int axis = view.rank - 1; axis > dim; --axis) {
        fits &= view.shape[axis] == 1 || view.step(axis) == inner;
        inner *= view.shape[axis];
      }
      fits &= inner == 1 || view.shape[dim] == 1 || view.step(dim) == inner;
      const int64_t step = inner == 1 ? view.step(dim) : 1;
      view.shape[dim] *= inner;
      view.strides[dim] = step;
      view.rank = dim + 1;
      for (int axis = 0; axis < dim; ++axis)
        fits &= view.shape[axis] == 1 || std::abs(view.step(axis)) > std::abs(step);
      scale = inner;
    }
  }
  View views[2];
  int64_t scale = 1;  // elements of such a row per row of the runs
  bool fits = true;   // whether elements of a row lie closer together than the rows
};

bool HasShort(std::span<const RowRun> runs, int64_t row_bytes) {
  return std::ranges::any_of(runs, [&](const RowRun& run) { return run.size <= kLongBytes / row_bytes; });
}

void FillRowByRow(exec::PlanBuilder& builder, const OperandPart& self, const OperandPart& out, int64_t scale,
                  std::span<const RowRun> runs, const std::byte* value) {
  const View* const views[] = {&*self.view, &*out.view};
  const aclDataType dtype = out.view->dtype;
  const auto bytes = static_cast<int64_t>(ElementBytes(dtype));
  FillPlan plan{.pieces = std::ssize(runs),
                .copy = CopyParametersOf(dtype, dtype),
                .tiles = {.code = {.inputs = 1}, .nest = MakeRowNest(out.view->dims(), views)}};
  std::memcpy(plan.copy.value, value, static_cast<size_t>(bytes));
  std::vector<Piece> pieces;
  double ns = 0;
  for (const RowRun& run : runs) {
    pieces.push_back({run.begin * scale, run.size * scale});
    ns += kNsPerPiece + kNsPerFilled * static_cast<double>(pieces.back().columns);
  }
  TilePlan& tiles = plan.tiles;
  if (self.operand != out.operand) ns += kNsPerCopiedByte * static_cast<double>(tiles.nest.shape[0] * bytes);
  tiles.tiling = CutRows(tiles.nest, ns);
  SetOperands(builder, {self, out}, {}, &tiles);
  std::vector<std::byte> all(sizeof(plan) + pieces.size() * sizeof(Piece));
  std::memcpy(all.data(), &plan, sizeof(plan));
  std::memcpy(all.data() + sizeof(plan), pieces.data(), pieces.size() * sizeof(Piece));
  const double rows = static_cast<double>(tiles.nest.Elements() / tiles.nest.shape[0]);
  builder.RunBytes(RunFill, all.data(), all.size(), static_cast<int64_t>(std::min(rows * ns, 9e18)));
}

// The boxes to fill and, unless in place, the boxes between them to copy.
std::vector<Box> BoxesOf(const exec::PlanBuilder& plan, int self, int out, int dim, std::span<const RowRun> runs,
                         const std::byte* value) {
  Box whole = BoxOf(plan, self, out);
  if (whole.rank == 0) whole.Add(1, 0, 0);
  Box filled = whole;
  filled.from = Box::kValue;
  std::memcpy(filled.value, value, ElementBytes(plan.OperandView(out).dtype));
  std::vector<Box> boxes;
  const auto add = [&](Box box, int64_t begin, int64_t end) {
    Box::Axis& axis = box.axes[dim];
    box.from_offset += begin * axis.from;
    box.to_offset += begin * axis.to;
    axis.size = end - begin;
    boxes.push_back(box);
  };
  const int64_t rows = whole.axes[dim].size;
  int64_t done = 0;
  for (const RowRun& run : runs) {
    if (self != out && run.begin > done) add(whole, done, run.begin);
    done = run.begin + run.size;
    add(filled, run.begin, done);
  }
  if (self != out && rows > done) add(whole, done, rows);
  return boxes;
}

}  // namespace

inline namespace v1 {

void FillRuns(exec::PlanBuilder& plan, int self, int out, int dim, std::span<const RowRun> runs,
              const std::byte* value) {
  const View& to = plan.OperandView(out);
  const bool in_place = self == out;
  const bool is_empty = std::ranges::find(to.dims(), 0) != to.dims().end();
  if (to.rank > 0 && !is_empty && runs.size() > (in_place ? 1 : 0) && !MayOverlapItself(to)) {
    const Rows rows(plan.OperandView(self), to, dim);
    const auto bytes = static_cast<int64_t>(ElementBytes(to.dtype));
    int64_t count = 1;
    for (int axis = 0; axis < dim; ++axis) count *= to.shape[axis];
    if (rows.fits && (in_place || count >= kFewRows) && HasShort(runs, rows.scale * bytes))
      return FillRowByRow(plan, {self, rows.views[0]}, {out, rows.views[1]}, rows.scale, runs, value);
  }
  Copy(plan, BoxesOf(plan, self, out, dim, runs, value));
}

}  // namespace v1
}  // namespace portacl::loops::moves
