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

// Shorter rows are packed: a call per row costs more than copying that many elements.
constexpr int64_t kShortRow = 16;

class BlockRunner {
 public:
  BlockRunner(LaneFunction run, const Nest& nest, int inputs, const Tile& tile)
      : run_(run), nest_(nest), inputs_(inputs), tile_(tile), packed_(tile.columns < kShortRow) {
    int64_t largest = 1;
    int copied = 0;
    for (int i = 0; i < nest.operands; ++i) {
      const TileOperand& operand = tile.operand[i];
      largest = std::max(largest, nest.element_bytes[i]);
      transposed_ |= tile.rows > 1 && operand.row_stride != 0 && operand.row_stride < operand.column_stride;
      buffer_of_[i] = copied;
      copied += packed_ || operand.column_stride != nest.element_bytes[i];
    }
    block_bytes_ = kBlockBytes;
    if (transposed_ && copied * kTransposedBlockBytes <= kBufferBytes) block_bytes_ = kTransposedBlockBytes;
    const int64_t elements = block_bytes_ / largest;
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
      if (copied[i] && i < inputs_) {
        simd::StridedCopy(static_cast<size_t>(bytes), rows, columns, Buffer(i), columns * bytes, bytes, block.base,
                          block.row_stride, block.column_stride);
        if (transposed_) FetchNext(block, rows, columns);
      }
    }
    run_(dense);
    for (int i = inputs_; i < nest_.operands; ++i) {
      if (!copied[i]) continue;
      const int64_t bytes = nest_.element_bytes[i];
      const TileOperand block = BlockOf(i, row, column);
      simd::StridedCopy(static_cast<size_t>(bytes), rows, columns, block.base, block.row_stride, block.column_stride,
                        Buffer(i), columns * bytes, bytes);
    }
  }

  // Asks for the lines of a transposed input in the block to the right: the hardware follows only some of so many short
  // runs, and waits in each for the memory.
  void FetchNext(const TileOperand& block, int64_t rows, int64_t columns) const {
    if (block.row_stride >= block.column_stride) return;
    for (int64_t c = columns; c < 2 * columns; ++c) {
      for (int64_t at = 0; at < rows * block.row_stride; at += kLine)
        __builtin_prefetch(block.base + c * block.column_stride + at, 0, 2);
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
