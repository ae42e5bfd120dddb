// SPDX-License-Identifier: Apache-2.0
#include "loops/rows.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "loops/cut.h"
#include "loops/nest.h"
#include "loops/past_cache.h"
#include "runtime/contexts/submit.h"
#include "runtime/parallel/parallel.h"
#include "simd/strided_copy.h"
#include "tensor/view.h"

namespace portacl::loops {
namespace {

// Tiles of short rows have a multiple of this many.
constexpr int64_t kRowStep = 16;

// Rows whose columns are not contiguous are copied, so many bytes of them at a time that they are still in the
// second-level cache when they are read, and written back.
constexpr int64_t kCopyBytes = 128 << 10;
constexpr int64_t kLineBytes = 64;

// More scratch than this comes from the pool.
constexpr int64_t kStackBytes = 40 << 10;

int64_t RoundUpTo(int64_t value, int64_t step) { return CeilDivide(value, step) * step; }

// What phase 1 leaves for the run, copied into the executor up to the last operand in use.
struct RowPlan {
  LaneFunction run;
  int inputs;
  bool past_cache = false;
  bool serial = false;  // elements of an output share bytes: two threads must not write them at once
  bool copied[kMaxTileOperands] = {};
  uint8_t operand[kMaxTileOperands] = {};
  int64_t kernel_scratch = 0;  // bytes; copies lie behind it
  int64_t scratch_bytes = 0;
  int64_t tile_rows = 1;
  int64_t row_tiles = 1;  // of axis 1
  int64_t tiles = 1;
  int64_t tiles_per_chunk = 1;
  int64_t chunks = 1;
  alignas(16) std::byte parameters[kMaxParameterBytes] = {};
  Nest nest;

  int64_t Rows() const { return nest.rank > 1 ? nest.shape[1] : 1; }
  // Rows of a copy lie at multiples of a line, shorter ones one after the other.
  int64_t CopiedRowBytes(int i) const {
    const int64_t bytes = nest.shape[0] * nest.element_bytes[i];
    return bytes <= kLineBytes ? bytes : RoundUpTo(bytes, kLineBytes);
  }
  size_t UsedBytes() const {
    return static_cast<size_t>(reinterpret_cast<const std::byte*>(&nest.strides[nest.operands]) -
                               reinterpret_cast<const std::byte*>(this));
  }
};

struct RowTask {
  const RowPlan& plan;
  std::byte* addresses[kMaxTileOperands];
  std::atomic<bool> out_of_memory{false};
};

// The rows of tile number `number`.
void PlaceTile(const RowTask& task, int64_t number, Tile* tile) {
  const RowPlan& plan = task.plan;
  const Nest& nest = plan.nest;
  const int64_t row = number % plan.row_tiles * plan.tile_rows;
  tile->rows = std::min(plan.tile_rows, plan.Rows() - row);
  for (int i = 0; i < nest.operands; ++i) {
    const bool has_rows = nest.rank > 1;
    tile->operand[i] = {task.addresses[i] + (has_rows ? row * nest.strides[i][1] : 0),
                        has_rows ? nest.strides[i][1] : 0, nest.strides[i][0]};
  }
  number /= plan.row_tiles;
  for (int axis = 2; axis < nest.rank; ++axis) {
    const int64_t position = number % nest.shape[axis];
    number /= nest.shape[axis];
    for (int i = 0; i < nest.operands; ++i) tile->operand[i].base += position * nest.strides[i][axis];
  }
}

// Runs a tile, with copies of operands whose columns are not contiguous.
void RunRowTile(const RowPlan& plan, const Tile& tile, std::byte* scratch) {
  Tile dense = tile;
  dense.scratch = scratch;
  std::byte* copy = scratch + plan.kernel_scratch;
  for (int i = 0; i < plan.nest.operands; ++i) {
    if (!plan.copied[i]) continue;
    const int64_t bytes = plan.nest.element_bytes[i];
    const TileOperand& operand = tile.operand[i];
    dense.operand[i] = {copy, plan.CopiedRowBytes(i), bytes};
    copy += RoundUpTo(plan.tile_rows * plan.CopiedRowBytes(i), kLineBytes);
    if (i >= plan.inputs) {
      dense.past_cache = false;
      continue;
    }
    simd::StridedCopy(static_cast<size_t>(bytes), tile.rows, tile.columns, dense.operand[i].base,
                      dense.operand[i].row_stride, bytes, operand.base, operand.row_stride, operand.column_stride);
  }
  plan.run(dense);
  for (int i = plan.inputs; i < plan.nest.operands; ++i) {
    if (!plan.copied[i]) continue;
    const int64_t bytes = plan.nest.element_bytes[i];
    const TileOperand& operand = tile.operand[i];
    simd::StridedCopy(static_cast<size_t>(bytes), tile.rows, tile.columns, operand.base, operand.row_stride,
                      operand.column_stride, dense.operand[i].base, dense.operand[i].row_stride, bytes);
  }
}

void RunRowTiles(RowTask& task, int64_t first, int64_t end, std::byte* scratch) {
  const RowPlan& plan = task.plan;
  Tile tile;
  tile.columns = plan.nest.shape[0];
  tile.parameters = plan.parameters;
  tile.past_cache = plan.past_cache;
  for (int64_t number = first; number < end; ++number) {
    PlaceTile(task, number, &tile);
    RunRowTile(plan, tile, scratch);
  }
}

void RunRowTilesFromPool(RowTask& task, int64_t first, int64_t end) {
  void* const scratch = contexts::AllocateScratch(static_cast<size_t>(task.plan.scratch_bytes));
  if (scratch == nullptr) {
    task.out_of_memory.store(true, std::memory_order_relaxed);
    return;
  }
  RunRowTiles(task, first, end, static_cast<std::byte*>(scratch));
  contexts::FreeScratch(scratch);
}

// Chunks [first, end).
void RunRowChunks(void* argument, int64_t first, int64_t end) {
  RowTask& task = *static_cast<RowTask*>(argument);
  first *= task.plan.tiles_per_chunk;
  end = std::min(end * task.plan.tiles_per_chunk, task.plan.tiles);
  if (task.plan.scratch_bytes > kStackBytes) {
    RunRowTilesFromPool(task, first, end);
  } else {
    // No more than needed: the thread is the client's, and its stack may be small.
    void* const scratch = __builtin_alloca_with_align(static_cast<size_t>(task.plan.scratch_bytes), 8 * kLineBytes);
    RunRowTiles(task, first, end, static_cast<std::byte*>(scratch));
  }
}

int32_t RunRows(const exec::RunContext& context) {
  const RowPlan& plan = context.Parameters<RowPlan>();
  RowTask task{plan, {}};
  for (int i = 0; i < plan.nest.operands; ++i) task.addresses[i] = context.Address(plan.operand[i]);
  if (plan.chunks == 1 || plan.serial) {
    RunRowChunks(&task, 0, plan.chunks);
  } else {
    parallel::ForRuns(plan.chunks, RunRowChunks, &task);
  }
  if (task.out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
  return 0;
}

// Rows of a tile, of at most `most`: all that a chunk may have, or as many as are copied at a time.
int64_t TileRows(const RowPlan& plan, int64_t most) {
  const Nest& nest = plan.nest;
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
  return std::clamp<int64_t>(rows, 1, plan.Rows());
}

void MakeTiles(RowPlan& plan, const RowKernel& kernel) {
  const Nest& nest = plan.nest;
  const int64_t chunk_rows = std::max<int64_t>(1, ChunkElements(nest, kernel.ns_per_element) / nest.shape[0]);
  plan.tile_rows = TileRows(plan, chunk_rows);
  plan.row_tiles = CeilDivide(plan.Rows(), plan.tile_rows);
  plan.tiles = plan.row_tiles;
  for (int axis = 2; axis < nest.rank; ++axis) plan.tiles *= nest.shape[axis];
  plan.tiles_per_chunk = std::max<int64_t>(1, chunk_rows / plan.tile_rows);
  plan.chunks = CeilDivide(plan.tiles, plan.tiles_per_chunk);
  plan.kernel_scratch = RoundUpTo(kernel.scratch_bytes, kLineBytes);
  plan.scratch_bytes = plan.kernel_scratch;
  for (int i = 0; i < nest.operands; ++i) {
    if (plan.copied[i]) plan.scratch_bytes += RoundUpTo(plan.tile_rows * plan.CopiedRowBytes(i), kLineBytes);
  }
}

}  // namespace

inline namespace v1 {

void Rows(exec::PlanBuilder& plan, std::initializer_list<int> operands, const RowKernel& kernel, const void* parameters,
          size_t parameter_bytes) {
  const View* views[kMaxTileOperands];
  size_t count = 0;
  for (const int operand : operands) views[count++] = &plan.OperandView(operand);
  RowPlan result{.run = kernel.run,
                 .inputs = static_cast<int>(count) - kernel.outputs,
                 .nest = MakeRowNest(views[count - 1]->dims(), {views, count})};
  const Nest& nest = result.nest;
  const int64_t elements = nest.Elements();
  if (elements == 0) return;
  for (size_t i = 0; i < count; ++i) {
    result.operand[i] = static_cast<uint8_t>(operands.begin()[i]);
    result.copied[i] = nest.strides[i][0] != nest.element_bytes[i];
  }
  MakeTiles(result, kernel);
  result.past_cache = elements > PastCacheBytes() / BytesPerElement(nest);
  for (size_t i = static_cast<size_t>(result.inputs); i < count; ++i)
    result.serial |= result.chunks > 1 && MayOverlapItself(*views[i]);
  if (parameter_bytes != 0) std::memcpy(result.parameters, parameters, parameter_bytes);
  plan.RunBytes(RunRows, &result, result.UsedBytes(), CostNs(nest, kernel.ns_per_element));
}

}  // namespace v1
}  // namespace portacl::loops
