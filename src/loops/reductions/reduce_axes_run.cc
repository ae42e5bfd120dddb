// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/dtype.h"
#include "loops/reductions/reduce_axes_plan.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/copy_block.h"

namespace portacl::loops::reductions {
namespace {

// The most columns that a thread converts at a time where each column is added to its own state.
constexpr int64_t kBufferColumns = 256;

// The buffers of a thread.
struct Buffers {
  std::byte planes[kMaxPlanes][kReduceBufferBytes];
  std::byte copy[3][kReduceBufferBytes];
};

// A block of states, and the addresses of its elements and results.
struct Block {
  int64_t n;
  const std::byte* in;
  std::byte* out[kMaxPlanes];
};

struct ReduceTask {
  const ReducePlan& plan;
  const std::byte* in;
  std::byte* out[kMaxPlanes];
  std::byte* partial;  // the states of each piece of each block
};

Block FindBlock(const ReduceTask& task, int64_t number) {
  const ReducePlan& plan = task.plan;
  const int64_t first = number % plan.blocks_of_axis * plan.block;
  number /= plan.blocks_of_axis;
  Block block{std::min(plan.block, plan.kept.size - first), task.in + first * plan.kept.in, {}};
  for (int i = 0; i < plan.outputs; ++i) block.out[i] = task.out[i] + first * plan.kept.out[i];
  for (int a = 0; a < plan.kept_axes; ++a) {
    const ReduceAxis& axis = plan.other_kept[a];
    const int64_t at = number % axis.size;
    number /= axis.size;
    block.in += at * axis.in;
    for (int i = 0; i < plan.outputs; ++i) block.out[i] += at * axis.out[i];
  }
  return block;
}

void AddDense(const ReducePlan& plan, const ReduceTile& tile) {
  plan.by_rows ? plan.reducer.add_rows(tile) : plan.reducer.add_columns(tile);
}

// Copies elements to a contiguous buffer, and converts them.
const std::byte* Gather(const ReducePlan& plan, const TileOperand& from, int64_t rows, int64_t columns,
                        Buffers& buffers) {
  const std::byte* at = from.base;
  const int64_t n = rows * columns;
  int used = 0;
  if (from.column_stride != plan.in_bytes || (rows > 1 && from.row_stride != columns * plan.in_bytes)) {
    CopyBlock(plan.in_bytes, rows, columns, from, {buffers.copy[used], columns * plan.in_bytes, plan.in_bytes});
    at = buffers.copy[used++];
  }
  for (const Conversion* conversion : {plan.cast, plan.convert}) {
    if (conversion == nullptr) continue;
    Convert(*conversion, at, buffers.copy[used], n);
    at = buffers.copy[used++];
  }
  return at;
}

void AddTile(const ReducePlan& plan, const TileOperand& from, ReduceTile tile, Buffers& buffers) {
  if (!plan.Converts() && (from.column_stride == plan.in_bytes || tile.columns == 1)) {
    tile.in = from.base;
    tile.row_stride = from.row_stride;
    tile.prefetch_bytes = plan.prefetch_bytes;
    return AddDense(plan, tile);
  }
  const ReduceTile whole = tile;
  const int64_t most_columns = plan.by_rows ? plan.buffer_elements : kBufferColumns;
  const int64_t columns = std::min(whole.columns, most_columns);
  const int64_t rows = std::min(whole.rows, plan.buffer_elements / columns);
  const int64_t bytes = static_cast<int64_t>(ElementBytes(plan.reducer.dtype));
  for (int64_t row = 0; row < whole.rows; row += rows) {
    for (int64_t column = 0; column < whole.columns; column += columns) {
      tile.rows = std::min(rows, whole.rows - row);
      tile.columns = std::min(columns, whole.columns - column);
      const int64_t state = plan.by_rows ? row : column;
      tile.first = whole.first + (plan.by_rows ? column : row);
      for (int i = 0; i < plan.reducer.planes; ++i)
        tile.planes[i] = whole.planes[i] + state * plan.reducer.plane_bytes[i];
      tile.in = Gather(plan, BlockAt(from, row, column), tile.rows, tile.columns, buffers);
      tile.row_stride = tile.columns * bytes;
      AddDense(plan, tile);
    }
  }
}

// Adds the elements of slab number `slab`.
void AddSlab(const ReducePlan& plan, const Block& block, int64_t slab, const ReduceStates& states, Buffers& buffers) {
  const int64_t first = slab % plan.slabs_of_axis * plan.slab;
  slab /= plan.slabs_of_axis;
  const std::byte* in = block.in + first * plan.reduced.in;
  for (int a = 0; a < plan.reduced_axes; ++a) {
    const ReduceAxis& axis = plan.other_reduced[a];
    in += slab % axis.size * axis.in;
    slab /= axis.size;
  }
  const int64_t length = std::min(plan.slab, plan.reduced.size - first);
  ReduceTile tile{.rows = plan.by_rows ? block.n : length,
                  .columns = plan.by_rows ? length : block.n,
                  .in = nullptr,
                  .row_stride = 0,
                  .first = first,
                  .planes = {states.planes[0], states.planes[1], states.planes[2]},
                  .prefetch_bytes = 0,
                  .parameters = plan.parameters};
  const auto [row, column] =
      plan.by_rows ? std::pair(plan.kept.in, plan.reduced.in) : std::pair(plan.reduced.in, plan.kept.in);
  AddTile(plan, {const_cast<std::byte*>(in), row, column}, tile, buffers);
}

void Finish(const ReducePlan& plan, const Block& block, const ReduceStates& states, Buffers& buffers) {
  std::byte* results[kMaxPlanes] = {buffers.copy[0], buffers.copy[1]};
  plan.reducer.finish(states, results);
  for (int i = 0; i < plan.outputs; ++i) {
    const std::byte* from = results[plan.reducer.first_result + i];
    if (plan.store[i] != nullptr) {
      Convert(*plan.store[i], from, buffers.copy[2], block.n);
      from = buffers.copy[2];
    }
    const int64_t bytes = plan.out_bytes[i];
    CopyBlock(bytes, 1, block.n, {const_cast<std::byte*>(from), 0, bytes}, {block.out[i], 0, plan.kept.out[i]});
  }
}

ReduceStates StatesIn(const ReducePlan& plan, int64_t n, Buffers& buffers) {
  return {n, {buffers.planes[0], buffers.planes[1], buffers.planes[2]}, plan.count, plan.parameters};
}

// The states of a piece, plane by plane.
std::byte* PartialOf(const ReduceTask& task, int64_t block, int64_t piece) {
  return task.partial + (block * task.plan.pieces + piece) * task.plan.block * task.plan.StateBytes();
}

// Reduces pieces of blocks.
void RunItems(const ReduceTask& task, int64_t first, int64_t end) {
  const ReducePlan& plan = task.plan;
  alignas(kLineBytes) Buffers buffers;
  const int64_t items = plan.blocks * plan.pieces;
  end = std::min(end * plan.items_per_chunk, items);
  for (int64_t item = first * plan.items_per_chunk; item < end; ++item) {
    const Block block = FindBlock(task, item / plan.pieces);
    const int64_t piece = item % plan.pieces;
    const ReduceStates states = StatesIn(plan, block.n, buffers);
    plan.reducer.start(states);
    const int64_t last = std::min(plan.slabs, (piece + 1) * plan.slabs_per_piece);
    for (int64_t slab = piece * plan.slabs_per_piece; slab < last; ++slab) AddSlab(plan, block, slab, states, buffers);
    if (plan.pieces == 1) {
      Finish(plan, block, states, buffers);
      continue;
    }
    std::byte* to = PartialOf(task, item / plan.pieces, piece);
    for (int i = 0; i < plan.reducer.planes; ++i) {
      std::memcpy(to, states.planes[i], static_cast<size_t>(block.n * plan.reducer.plane_bytes[i]));
      to += plan.block * plan.reducer.plane_bytes[i];
    }
  }
}

// Merges the pieces of the blocks [first, end).
void MergeBlocks(const ReduceTask& task, int64_t first, int64_t end) {
  const ReducePlan& plan = task.plan;
  alignas(kLineBytes) Buffers buffers;
  for (int64_t number = first; number < end; ++number) {
    const Block block = FindBlock(task, number);
    const ReduceStates states = StatesIn(plan, block.n, buffers);
    plan.reducer.start(states);
    for (int64_t piece = 0; piece < plan.pieces; ++piece) {
      std::byte* planes[kMaxPlanes] = {PartialOf(task, number, piece)};
      for (int i = 1; i < kMaxPlanes; ++i) planes[i] = planes[i - 1] + plan.block * plan.reducer.plane_bytes[i - 1];
      plan.reducer.merge(states, planes);
    }
    Finish(plan, block, states, buffers);
  }
}

}  // namespace

int32_t RunReduceAxes(const exec::RunContext& context) {
  const ReducePlan& plan = context.Parameters<ReducePlan>();
  const int64_t pieces = plan.pieces > 1 ? plan.blocks * plan.pieces : 0;
  const PoolMemory partial(pieces * plan.block * plan.StateBytes());
  ReduceTask task{plan, context.Address(plan.self), {}, partial.As()};
  for (int i = 0; i < plan.outputs; ++i) task.out[i] = context.Address(plan.output[i]);
  RunChunks({.count = CeilDivide(plan.blocks * plan.pieces, plan.items_per_chunk), .is_serial = plan.serial},
            [&](int64_t first, int64_t end, std::byte*) { RunItems(task, first, end); });
  if (plan.pieces == 1) return 0;
  RunChunks({.count = plan.blocks, .is_serial = plan.serial},
            [&](int64_t first, int64_t end, std::byte*) { MergeBlocks(task, first, end); });
  return 0;
}

}  // namespace portacl::loops::reductions
