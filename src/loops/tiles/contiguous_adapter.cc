// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/contiguous_adapter.h"

#include <algorithm>

#include "base/tuning.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops {
namespace {

// The buffer of an operand holds 1024 float32. Blocks with a transposed operand are larger, so that its columns are
// read in runs of several cache lines. All buffers together stay in the first-level cache.
constexpr int64_t kBlockBytes = 4 << 10;
constexpr int64_t kTransposedBlockBytes = 16 << 10;
constexpr int64_t kBufferBytes = 36 << 10;
static_assert(kBufferBytes >= (kMaxTileOperands + 1) * kBlockBytes);

// The most bytes that copying the operands of a block may touch: lines must not leave a first-level cache of 32 KiB
// before all of their elements were read. With three operands of stride 3, Add took 0.75 of the time of blocks half as
// large (Zen 5).
constexpr int64_t kTouchedBytes = 24 << 10;

// The same limit where operands of small strides come from memory. The next block is then prefetched, and blocks are
// small, so that memory always has requests while other operands are copied or results are computed. Where all operands
// have stride 3, blocks half or twice as large took 1.15 times as long (Zen 5).
constexpr int64_t kAskedTouchedBytes = 6 << 10;

class ThroughBuffers {
 public:
  ThroughBuffers(const LaneCode& code, const LoopNest& nest, const Tile& tile)
      : code_(code), nest_(nest), tile_(tile), packed_(tile.columns < kShortRow) {
    int64_t largest = 1;
    int64_t touched = 0;  // bytes per element of the block
    int64_t most_touched = kTouchedBytes;
    int buffers = 0;
    for (int i = 0; i < nest.operands; ++i) {
      const TileOperand& operand = tile.operand[i];
      largest = std::max({largest, nest.element_bytes[i], LaneBytes(i)});
      if (HasTransposed(i)) {
        transposed_ = true;
        transposed_inputs_ += i < code.inputs;
      }
      buffer_of_[i] = buffers;
      const bool is_copied = packed_ || !IsTakenAsItIs(i);
      buffers += is_copied;
      if (is_copied) touched += std::min(operand.column_stride, kLineBytes) + LaneBytes(i);
      most_touched = Fetches(i) ? kAskedTouchedBytes : most_touched;
    }
    raw_buffer_ = buffers;
    buffers += code.converts;
    buffers_ = buffers;
    block_bytes_ = kBlockBytes;
    if (transposed_ && buffers * kTransposedBlockBytes <= kBufferBytes) block_bytes_ = kTransposedBlockBytes;
    int64_t elements = block_bytes_ / largest;
    if (!transposed_) elements = std::min(elements, most_touched / std::max<int64_t>(touched, 1));
    columns_ = std::min(tile.columns, transposed_ ? kTransposedRowBytes / largest : elements);
    rows_ = std::min(tile.rows, elements / columns_);
    if (rows_ == tile.rows && columns_ == tile.columns)
      block_bytes_ = (rows_ * columns_ * largest + kLineBytes - 1) / kLineBytes * kLineBytes;
  }

  size_t BufferBytes() const { return static_cast<size_t>(buffers_ * block_bytes_); }

  // `buffer` has BufferBytes() bytes, and is aligned to a cache line.
  void Run(std::byte* buffer) {
    buffer_ = buffer;
    for (int64_t row = 0; row < tile_.rows; row += rows_) {
      for (int64_t column = 0; column < tile_.columns; column += columns_) {
        RunBlock(row, column, std::min(rows_, tile_.rows - row), std::min(columns_, tile_.columns - column));
      }
    }
  }

 private:
  bool Converts(int i) const { return code_.converts && code_.convert[i] != nullptr; }
  int64_t LaneBytes(int i) const {
    if (!Converts(i)) return nest_.element_bytes[i];
    const Conversion& conversion = *code_.convert[i];
    return conversion.bytes[i < code_.inputs ? conversion.steps : 0];
  }
  bool IsTakenAsItIs(int i) const {
    const int64_t stride = tile_.operand[i].column_stride;
    return !Converts(i) && (stride == nest_.element_bytes[i] || (stride == 0 && (code_.repeated >> i & 1) != 0));
  }

  void RunBlock(int64_t row, int64_t column, int64_t rows, int64_t columns) {
    Tile dense;
    dense.rows = packed_ ? 1 : rows;
    dense.columns = packed_ ? rows * columns : columns;
    dense.parameters = tile_.parameters;
    dense.scratch = tile_.scratch;
    dense.non_temporal = tile_.non_temporal;
    dense.is_large = tile_.is_large;
    bool copied[kMaxTileOperands];
    for (int i = 0; i < nest_.operands; ++i) {
      const TileOperand block = BlockAt(tile_.operand[i], row, column);
      // A packed block is one row, so an operand is used in place only if it is contiguous, or is one element for the
      // whole block.
      const int64_t step = block.column_stride == 0 ? 0 : columns * nest_.element_bytes[i];
      copied[i] = !IsTakenAsItIs(i) || (packed_ && rows > 1 && block.row_stride != step);
      dense.operand[i] = block;
      if (!copied[i]) continue;
      dense.operand[i] = {Buffer(i), columns * LaneBytes(i), LaneBytes(i)};
      if (i >= code_.inputs) {
        dense.non_temporal = dense.is_large = false;
        if (rows == 1 && !Fetches(i)) FetchToWrite(block, columns);
        if ((code_.updated >> i & 1) != 0) LoadUpdated(i, block, rows, columns);
      } else if (!HasTransposed(i) &&
                 (block.row_stride != 0 || block.column_stride != 0 || (row == 0 && column == 0))) {
        // If one element is used for the whole tile, it is still there from the first block, which is the largest.
        Load(i, block, rows, columns);
      }
    }
    if (transposed_inputs_ != 0) LoadTransposed(row, column, rows, columns);
    code_.run(dense);
    for (int i = code_.inputs; i < nest_.operands; ++i) {
      if (copied[i]) Store(i, BlockAt(tile_.operand[i], row, column), rows, columns);
    }
  }

  // Whole rows are converted in place. Elements that must be gathered or scattered pass through the raw buffer.
  bool ConvertsRows(int i, const TileOperand& block) const {
    return Converts(i) && !packed_ && block.column_stride == nest_.element_bytes[i];
  }

  void Load(int i, const TileOperand& block, int64_t rows, int64_t columns) {
    if (ConvertsRows(i, block)) {
      const int64_t bytes = columns * nest_.element_bytes[i];
      for (int64_t r = 0; r < rows; ++r) {
        const std::byte* const from = block.base + r * block.row_stride;
        // Prefetches the next block, which is far away in a large operand, while this one is computed.
        for (int64_t at = 0; tile_.is_large && at < bytes; at += kLineBytes) __builtin_prefetch(from + bytes + at);
        Convert(*code_.convert[i], from, Buffer(i) + r * columns * LaneBytes(i), columns);
      }
      return;
    }
    CopyFetching(i, rows, columns, block, RawBuffer(i, columns), block);
    if (Converts(i)) Convert(*code_.convert[i], RawBuffer(i, columns).base, Buffer(i), rows * columns);
  }

  void LoadUpdated(int i, const TileOperand& block, int64_t rows, int64_t columns) {
    CopyBlock(nest_.element_bytes[i], rows, columns, block, RawBuffer(i, columns));
    if (Converts(i)) Convert(*code_.reverse[i], RawBuffer(i, columns).base, Buffer(i), rows * columns);
  }

  void Store(int i, const TileOperand& block, int64_t rows, int64_t columns) {
    if (ConvertsRows(i, block)) {
      for (int64_t r = 0; r < rows; ++r)
        Convert(*code_.convert[i], Buffer(i) + r * columns * LaneBytes(i), block.base + r * block.row_stride, columns);
      return;
    }
    if (Converts(i)) Convert(*code_.convert[i], Buffer(i), RawBuffer(i, columns).base, rows * columns);
    CopyFetching(i, rows, columns, RawBuffer(i, columns), block, block);
  }

  bool Fetches(int i) const {
    const int64_t stride = tile_.operand[i].column_stride;
    return tile_.non_temporal && !packed_ && stride > nest_.element_bytes[i] && stride <= kLineBytes;
  }

  // The lines of small strides are on their way while the inputs are copied: Add of stride 3 takes 0.85 of the time in
  // the second-level cache (Zen 4).
  static void FetchToWrite(const TileOperand& block, int64_t columns) {
    if (block.column_stride <= 0 || block.column_stride > kLineBytes) return;
    for (int64_t at = 0; at < columns * block.column_stride; at += kLineBytes) __builtin_prefetch(block.base + at, 1);
  }

  // `strided` is either `from` or `to`: the operand in memory.
  void CopyFetching(int i, int64_t rows, int64_t columns, const TileOperand& from, const TileOperand& to,
                    const TileOperand& strided) const {
    if (Fetches(i) && rows == 1) {
      const std::byte* const ahead = strided.base + CurrentTuning().strided_prefetch_bytes;
      for (int64_t at = 0; at < columns * strided.column_stride; at += kLineBytes) __builtin_prefetch(ahead + at);
    }
    CopyBlock(nest_.element_bytes[i], rows, columns, from, to);
  }

  bool HasTransposed(int i) const { return tile_.rows > 1 && IsTransposed(tile_.operand[i]); }

  // Prefetches the inputs of the block to the right: the hardware prefetcher follows only some of these short runs, and
  // each would wait for memory. A single transposed input is copied in slices, with prefetches in between. Several are
  // each copied at once, because their lines tend to share cache sets.
  void LoadTransposed(int64_t row, int64_t column, int64_t rows, int64_t columns) {
    TileOperand next[kMaxTileOperands];
    const auto inputs = static_cast<size_t>(code_.inputs);
    for (size_t i = 0; i < inputs; ++i) next[i] = BlockAt(tile_.operand[i], row, column + columns);
    for (int i = 0; i < code_.inputs; ++i) {
      if (!HasTransposed(i)) continue;
      const std::span<const TileOperand> all(next, inputs);
      const bool is_only = transposed_inputs_ == 1;
      CopyTransposedBlock(nest_.element_bytes[i], rows, columns, BlockAt(tile_.operand[i], row, column),
                          RawBuffer(i, columns), is_only ? kTransposedSlices : 1,
                          is_only ? all : all.subspan(static_cast<size_t>(i), 1));
      if (Converts(i)) Convert(*code_.convert[i], RawBuffer(i, columns).base, Buffer(i), rows * columns);
    }
  }

  // The operand in the dtype of the lane code, and in the dtype of memory. These are the same buffer unless converted.
  std::byte* Buffer(int i) { return buffer_ + buffer_of_[i] * block_bytes_; }
  TileOperand RawBuffer(int i, int64_t columns) {
    std::byte* const base = Converts(i) ? buffer_ + raw_buffer_ * block_bytes_ : Buffer(i);
    return {base, columns * nest_.element_bytes[i], nest_.element_bytes[i]};
  }

  const LaneCode& code_;
  const LoopNest& nest_;
  const Tile& tile_;
  // Rows that are long enough are not packed, so that operands with contiguous columns are used in place.
  const bool packed_;
  int64_t block_bytes_;
  int64_t rows_;
  int64_t columns_;
  bool transposed_ = false;
  int transposed_inputs_ = 0;
  int buffer_of_[kMaxTileOperands];
  int raw_buffer_;
  int buffers_;
  std::byte* buffer_ = nullptr;
};

}  // namespace

void SetConversions(std::span<const View* const> operands, aclDataType in, aclDataType out, LaneCode* code,
                    uint32_t as_is) {
  for (size_t i = 0; i < operands.size(); ++i) {
    if ((as_is >> i & 1) != 0) continue;
    const aclDataType dtype = operands[i]->dtype;
    const bool is_input = i < static_cast<size_t>(code->inputs);
    const Conversion& conversion = is_input ? ConversionOf(dtype, in) : ConversionOf(out, dtype);
    code->convert[i] = conversion.steps == 0 ? nullptr : &conversion;
    if ((code->updated >> i & 1) != 0 && conversion.steps != 0) code->reverse[i] = &ConversionOf(dtype, out);
    code->converts |= conversion.steps != 0;
  }
}

bool RowsAreDense(const LoopNest& nest, const LaneCode& code, int64_t rows, int64_t columns) {
  if (code.any_strides) return true;
  if (code.converts) return false;
  for (int i = 0; i < nest.operands; ++i) {
    const int64_t stride = nest.strides[i][0];
    if (stride != nest.element_bytes[i] && (stride != 0 || (code.repeated >> i & 1) == 0)) return false;
  }
  return columns >= kShortRow || rows == 1;
}

void RunTile(const LaneCode& code, const LoopNest& nest, const Tile& tile) {
  if (RowsAreDense(nest, code, tile.rows, tile.columns)) {
    code.run(tile);
  } else {
    ThroughBuffers runner(code, nest, tile);
    // No larger than needed: the thread is the client's, and its stack may be small.
    runner.Run(static_cast<std::byte*>(__builtin_alloca_with_align(runner.BufferBytes(), 8 * kLineBytes)));
  }
}

}  // namespace portacl::loops
