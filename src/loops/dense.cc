// SPDX-License-Identifier: Apache-2.0
#include "loops/dense.h"

#include <algorithm>

#include "simd/strided_copy.h"

namespace portacl::loops {
namespace {

// One operand's buffer: 1024 float32, and all eight stay well inside the first-level cache.
constexpr int64_t kBlockBytes = 4096;

// Blocks of a tile in which some operand is transposed are this wide, which leaves rows enough to use whole cache lines
// of it.
constexpr int64_t kTransposedColumns = 64;

// Shorter rows are packed: a call per row costs more than copying that many elements.
constexpr int64_t kShortRow = 16;

class BlockRunner {
 public:
  BlockRunner(LaneFunction run, const Nest& nest, int inputs, const Tile& tile)
      : run_(run), nest_(nest), inputs_(inputs), tile_(tile) {
    int64_t largest = 1;
    bool transposed = false;
    for (int i = 0; i < nest.operands; ++i) {
      const TileOperand& operand = tile.operand[i];
      largest = std::max(largest, nest.element_bytes[i]);
      transposed |= tile.rows > 1 && operand.row_stride != 0 && operand.row_stride < operand.column_stride;
    }
    const int64_t elements = kBlockBytes / largest;
    columns_ = std::min(tile.columns, transposed ? kTransposedColumns : elements);
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
    dense.rows = 1;
    dense.columns = rows * columns;
    dense.parameters = tile_.parameters;
    dense.scratch = tile_.scratch;
    dense.past_cache = false;
    bool copied[kMaxTileOperands];
    for (int i = 0; i < nest_.operands; ++i) {
      const int64_t bytes = nest_.element_bytes[i];
      const TileOperand block = BlockOf(i, row, column);
      copied[i] = block.column_stride != bytes || (rows > 1 && block.row_stride != columns * bytes);
      dense.operand[i] = {copied[i] ? buffer_[i] : block.base, 0, bytes};
      if (copied[i] && i < inputs_) {
        simd::StridedCopy(static_cast<size_t>(bytes), rows, columns, buffer_[i], columns * bytes, bytes, block.base,
                          block.row_stride, block.column_stride);
      }
    }
    run_(dense);
    for (int i = inputs_; i < nest_.operands; ++i) {
      if (!copied[i]) continue;
      const int64_t bytes = nest_.element_bytes[i];
      const TileOperand block = BlockOf(i, row, column);
      simd::StridedCopy(static_cast<size_t>(bytes), rows, columns, block.base, block.row_stride, block.column_stride,
                        buffer_[i], columns * bytes, bytes);
    }
  }

  TileOperand BlockOf(int i, int64_t row, int64_t column) const {
    const TileOperand& operand = tile_.operand[i];
    return {operand.base + row * operand.row_stride + column * operand.column_stride, operand.row_stride,
            operand.column_stride};
  }

  const LaneFunction run_;
  const Nest& nest_;
  const int inputs_;
  const Tile& tile_;
  int64_t rows_;
  int64_t columns_;
  alignas(64) std::byte buffer_[kMaxTileOperands][kBlockBytes];
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
