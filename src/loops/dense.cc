// SPDX-License-Identifier: Apache-2.0
#include "loops/dense.h"

#include <algorithm>

#include "loops/cut.h"
#include "simd/strided_copy.h"

namespace portacl::loops {
namespace {

// An operand's buffer: 1024 float32. Blocks with a transposed operand are larger, so that each of its columns is read
// in runs of several lines; all buffers together stay inside the first-level cache.
constexpr int64_t kBlockBytes = 4 << 10;
constexpr int64_t kTransposedBlockBytes = 16 << 10;
constexpr int64_t kLine = 64;
constexpr int64_t kBufferBytes = 32 << 10;
static_assert(kBufferBytes >= kMaxTileOperands * kBlockBytes);

// A turned input is copied in so many slices.
constexpr int64_t kSlices = 8;

// What copying a block's operands may touch in all: with three operands of stride 3 blocks of 1024 elements took 1.6
// times as long as those of 256, because lines left the first-level cache before all of their elements were taken.
constexpr int64_t kTouchedBytes = 12 << 10;

// Shorter rows are packed: a call per row costs more than copying that many elements.
constexpr int64_t kShortRow = 16;

class BlockRunner {
 public:
  BlockRunner(LaneFunction run, const Nest& nest, int inputs, const Tile& tile)
      : run_(run), nest_(nest), inputs_(inputs), tile_(tile), packed_(tile.columns < kShortRow) {
    int64_t largest = 1;
    int64_t touched = 0;  // bytes an element of the block
    int copied = 0;
    for (int i = 0; i < nest.operands; ++i) {
      const TileOperand& operand = tile.operand[i];
      largest = std::max(largest, nest.element_bytes[i]);
      if (IsTurned(i)) {
        transposed_ = true;
        turned_inputs_ += i < inputs;
      }
      buffer_of_[i] = copied;
      const bool is_copied = packed_ || operand.column_stride != nest.element_bytes[i];
      copied += is_copied;
      if (is_copied) touched += std::min(operand.column_stride, kLine) + nest.element_bytes[i];
    }
    block_bytes_ = kBlockBytes;
    if (transposed_ && copied * kTransposedBlockBytes <= kBufferBytes) block_bytes_ = kTransposedBlockBytes;
    int64_t elements = block_bytes_ / largest;
    if (!transposed_) elements = std::min(elements, kTouchedBytes / std::max<int64_t>(touched, 1));
    columns_ = std::min(tile.columns, transposed_ ? kTransposedRowBytes / largest : elements);
    rows_ = std::min(tile.rows, elements / columns_);
  }

  void Run() {
    for (int64_t row = 0; row < tile_.rows; row += rows_) {
      for (int64_t column = 0; column < tile_.columns; column += columns_) {
        RunBlock(row, column, std::min(rows_, tile_.rows - row), std::min(columns_, tile_.columns - column));
      }
    }
  }

 private:
  void RunBlock(int64_t row, int64_t column, int64_t rows, int64_t columns) {
    Tile dense;
    dense.rows = packed_ ? 1 : rows;
    dense.columns = packed_ ? rows * columns : columns;
    dense.parameters = tile_.parameters;
    dense.scratch = tile_.scratch;
    dense.past_cache = tile_.past_cache;
    bool copied[kMaxTileOperands];
    for (int i = 0; i < nest_.operands; ++i) {
      const int64_t bytes = nest_.element_bytes[i];
      const TileOperand block = BlockOf(i, row, column);
      copied[i] = block.column_stride != bytes || (packed_ && rows > 1 && block.row_stride != columns * bytes);
      dense.operand[i] = block;
      if (copied[i]) dense.operand[i] = {Buffer(i), columns * bytes, bytes};
      if (copied[i] && i >= inputs_) dense.past_cache = false;
      if (copied[i] && i < inputs_ && !IsTurned(i)) {
        simd::StridedCopy(static_cast<size_t>(bytes), rows, columns, Buffer(i), columns * bytes, bytes, block.base,
                          block.row_stride, block.column_stride);
      }
    }
    if (turned_inputs_ != 0) CopyTurned(row, column, rows, columns);
    run_(dense);
    for (int i = inputs_; i < nest_.operands; ++i) {
      if (!copied[i]) continue;
      const int64_t bytes = nest_.element_bytes[i];
      const TileOperand block = BlockOf(i, row, column);
      simd::StridedCopy(static_cast<size_t>(bytes), rows, columns, block.base, block.row_stride, block.column_stride,
                        Buffer(i), columns * bytes, bytes);
    }
  }

  bool IsTurned(int i) const {
    const TileOperand& operand = tile_.operand[i];
    return tile_.rows > 1 && operand.row_stride != 0 && operand.row_stride < operand.column_stride;
  }

  // Asks meanwhile for the inputs of the block to the right: the hardware follows only some of so many short runs, and
  // waits in each for the memory. One turned input is copied in slices, with requests between them; of several each as
  // a whole, as the lines of two tend to fall into the same sets of the cache.
  void CopyTurned(int64_t row, int64_t column, int64_t rows, int64_t columns) {
    const int64_t slices = turned_inputs_ == 1 ? kSlices : 1;
    const int64_t step = (columns + slices - 1) / slices;
    for (int i = 0; i < inputs_; ++i) {
      if (!IsTurned(i)) continue;
      const int64_t bytes = nest_.element_bytes[i];
      for (int64_t slice = 0; slice < slices; ++slice) {
        const int64_t first = std::min(columns, slice * step);
        const int64_t count = std::min(columns - first, step);
        const TileOperand from = BlockOf(i, row, column + first);
        simd::StridedCopy(static_cast<size_t>(bytes), rows, count, Buffer(i) + first * bytes, columns * bytes, bytes,
                          from.base, from.row_stride, from.column_stride);
        for (int next = 0; next < inputs_; ++next) {
          if (next == i || slices > 1) Fetch(BlockOf(next, row, column + columns), rows, columns, slice, slices);
        }
      }
    }
  }

  // Inlined always: GCC drops the calls of a function that does nothing but this.
  [[gnu::always_inline]] static void Fetch(const TileOperand& block, int64_t rows, int64_t columns, int64_t slice,
                                           int64_t slices) {
    const bool turned = block.row_stride < block.column_stride;
    const int64_t runs = turned ? columns : rows;
    const int64_t stride = turned ? block.column_stride : block.row_stride;
    const int64_t bytes = turned ? rows * block.row_stride : columns * block.column_stride;
    for (int64_t run = runs * slice / slices; run < runs * (slice + 1) / slices; ++run) {
      for (int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(block.base + run * stride + at, 0, 2);
    }
  }

  std::byte* Buffer(int i) { return buffer_ + buffer_of_[i] * block_bytes_; }

  TileOperand BlockOf(int i, int64_t row, int64_t column) const {
    const TileOperand& operand = tile_.operand[i];
    return {operand.base + row * operand.row_stride + column * operand.column_stride, operand.row_stride,
            operand.column_stride};
  }

  const LaneFunction run_;
  const Nest& nest_;
  const int inputs_;
  const Tile& tile_;
  // Rows that are long enough stay rows, so that operands whose columns are contiguous are used where they lie.
  const bool packed_;
  int64_t block_bytes_;
  int64_t rows_;
  int64_t columns_;
  bool transposed_ = false;
  int turned_inputs_ = 0;
  int buffer_of_[kMaxTileOperands];
  alignas(64) std::byte buffer_[kBufferBytes];
};

}  // namespace

bool RowsAreDense(const Nest& nest, int64_t rows, int64_t columns) {
  for (int i = 0; i < nest.operands; ++i) {
    if (nest.strides[i][0] != nest.element_bytes[i]) return false;
  }
  return columns >= kShortRow || rows == 1;
}

void RunTile(LaneFunction run, const Nest& nest, int inputs, const Tile& tile) {
  if (RowsAreDense(nest, tile.rows, tile.columns)) {
    run(tile);
  } else {
    BlockRunner(run, nest, inputs, tile).Run();
  }
}

}  // namespace portacl::loops
