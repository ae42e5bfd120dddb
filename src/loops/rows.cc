// SPDX-License-Identifier: Apache-2.0
#include "loops/rows.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "loops/pack.h"
#include "loops/plan.h"
#include "runtime/contexts/submit.h"

namespace portacl::loops {
namespace {

// Tiles of short rows have a multiple of this many.
constexpr int64_t kRowStep = 16;

// Rows whose columns are not contiguous are copied, so many bytes of them at a time that they are still in the
// second-level cache when they are read, and written back.
constexpr int64_t kCopyBytes = 128 << 10;

// More scratch than this comes from the pool.
constexpr int64_t kStackBytes = 40 << 10;

int64_t RoundUpTo(int64_t value, int64_t step) { return CeilDivide(value, step) * step; }

struct RowPlan {
  int64_t kernel_scratch = 0;  // bytes; copies lie behind it
  int64_t scratch_bytes = 0;
  bool copied[kMaxTileOperands] = {};
  TilePlan tiles;

  // Rows of a copy lie at multiples of a line, shorter ones one after the other.
  int64_t CopiedRowBytes(int i) const {
    const int64_t bytes = tiles.nest.shape[0] * tiles.nest.element_bytes[i];
    return bytes <= kLineBytes ? bytes : RoundUpTo(bytes, kLineBytes);
  }
  int64_t CopyBytes(int i) const { return RoundUpTo(tiles.cut.tile_rows * CopiedRowBytes(i), kLineBytes); }
};

struct RowTask : TileTask {
  const RowPlan& rows;
  std::atomic<bool> out_of_memory{false};
};

// Runs a tile, with copies of operands whose columns are not contiguous.
void RunRowTile(const RowPlan& plan, const Tile& tile) {
  const TilePlan& tiles = plan.tiles;
  Tile dense = tile;
  std::byte* copy = static_cast<std::byte*>(tile.scratch) + plan.kernel_scratch;
  for (int i = 0; i < tiles.nest.operands; ++i) {
    if (!plan.copied[i]) continue;
    const int64_t bytes = tiles.nest.element_bytes[i];
    dense.operand[i] = {copy, plan.CopiedRowBytes(i), bytes};
    copy += plan.CopyBytes(i);
    if (i >= tiles.code.inputs) {
      dense.non_temporal = false;
    } else {
      CopyBlock(bytes, tile.rows, tile.columns, tile.operand[i], dense.operand[i]);
    }
  }
  tiles.code.run(dense);
  for (int i = tiles.code.inputs; i < tiles.nest.operands; ++i) {
    if (plan.copied[i])
      CopyBlock(tiles.nest.element_bytes[i], tile.rows, tile.columns, dense.operand[i], tile.operand[i]);
  }
}

void RunRowTiles(const RowTask& task, int64_t first, int64_t end, void* scratch) {
  ForEachTile(task, first, end, scratch, [&](const Tile& tile) { RunRowTile(task.rows, tile); });
}

// Chunks [first, end).
void RunRowChunks(void* argument, int64_t first, int64_t end) {
  auto& task = static_cast<RowTask&>(*static_cast<TileTask*>(argument));
  const auto bytes = static_cast<size_t>(task.rows.scratch_bytes);
  if (task.rows.scratch_bytes <= kStackBytes) {
    // No more than needed: the thread is the client's, and its stack may be small.
    RunRowTiles(task, first, end, __builtin_alloca_with_align(bytes, 8 * kLineBytes));
  } else if (void* const scratch = contexts::AllocateScratch(bytes)) {
    RunRowTiles(task, first, end, scratch);
    contexts::FreeScratch(scratch);
  } else {
    task.out_of_memory.store(true, std::memory_order_relaxed);
  }
}

int32_t RunRows(const exec::RunContext& context) {
  const RowPlan& plan = context.Parameters<RowPlan>();
  RowTask task{{plan.tiles, context}, plan};
  RunChunks(task, RunRowChunks);
  if (task.out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
  return 0;
}

int64_t RowCount(const Nest& nest) { return nest.rank > 1 ? nest.shape[1] : 1; }

// Rows of a tile, of at most `most`: all that a chunk may have, or as many as are copied at a time.
int64_t TileRows(const RowPlan& plan, int64_t most) {
  const Nest& nest = plan.tiles.nest;
  int64_t bytes = 0;
  int64_t line_rows = 1;  // rows that share a line of a transposed operand, which is used whole then
  for (int i = 0; i < nest.operands; ++i) {
    if (!plan.copied[i]) continue;
    bytes += plan.CopiedRowBytes(i);
    if (nest.rank > 1 && nest.strides[i][1] != 0 && nest.strides[i][1] < nest.strides[i][0])
      line_rows = std::max(line_rows, kLineBytes / nest.element_bytes[i]);
  }
  int64_t rows = bytes == 0 ? most : std::min(most, std::max(line_rows, kCopyBytes / bytes));
  if (rows > kRowStep) rows = rows / kRowStep * kRowStep;
  return std::clamp<int64_t>(rows, 1, RowCount(nest));
}

void CutRows(RowPlan& plan, const RowKernel& kernel) {
  const Nest& nest = plan.tiles.nest;
  Cut& cut = plan.tiles.cut;
  const int64_t chunk_rows = std::max<int64_t>(1, ChunkElements(nest, kernel.ns_per_element) / nest.shape[0]);
  cut.tile_columns = nest.shape[0];
  cut.column_tiles = 1;
  cut.tile_rows = TileRows(plan, chunk_rows);
  cut.row_tiles = CeilDivide(RowCount(nest), cut.tile_rows);
  cut.tiles = cut.row_tiles;
  for (int axis = 2; axis < nest.rank; ++axis) cut.tiles *= nest.shape[axis];
  cut.tiles_per_chunk = std::max<int64_t>(1, chunk_rows / cut.tile_rows);
  cut.chunks = CeilDivide(cut.tiles, cut.tiles_per_chunk);
}

}  // namespace

inline namespace v1 {

void Rows(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands, const RowKernel& kernel,
          const Parameters& parameters) {
  const OperandViews views(builder, operands);
  RowPlan plan{.kernel_scratch = RoundUpTo(kernel.scratch_bytes, kLineBytes),
               .tiles = {.code = {.run = kernel.run, .inputs = views.count() - kernel.outputs},
                         .nest = MakeRowNest(views.span().back()->dims(), views.span())}};
  const Nest& nest = plan.tiles.nest;
  if (nest.Elements() == 0) return;
  for (int i = 0; i < nest.operands; ++i) plan.copied[i] = nest.strides[i][0] != nest.element_bytes[i];
  CutRows(plan, kernel);
  plan.scratch_bytes = plan.kernel_scratch;
  for (int i = 0; i < nest.operands; ++i) plan.scratch_bytes += plan.copied[i] ? plan.CopyBytes(i) : 0;
  SetOperands(builder, operands, parameters, &plan.tiles);
  RunTiles(builder, RunRows, plan, kernel.ns_per_element);
}

}  // namespace v1
}  // namespace portacl::loops
