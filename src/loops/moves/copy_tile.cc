// SPDX-License-Identifier: Apache-2.0
//
// The steps of a conversion run in sequence over blocks that stay in the first-level cache.
#include "loops/moves/copy_tile.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/target.h"
#include "hwy/cache_control.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::moves {
namespace {

// The size of each of two buffers: together with their source and target they stay in the first-level cache. With
// blocks as large as in contiguous_adapter.cc, in slices, conversions of transposed operands took 1.7 times as long.
constexpr int64_t kConvertedBytes = 4 << 10;

// Whether all bytes of the element are equal, so that memset can fill with it.
bool IsOneByte(const std::byte* element, int64_t bytes) {
  return std::all_of(element, element + bytes, [element](std::byte byte) { return byte == *element; });
}

// Fills each row with its one element.
void SpreadValue(const Tile& tile, const CopyParameters& parameters, int64_t bytes) {
  const TileOperand& to = tile.operand[1];
  const auto row_bytes = static_cast<size_t>(tile.columns * bytes);
  alignas(16) std::byte block[16];
  for (int64_t row = 0; row < tile.rows; ++row) {
    const std::byte* const from = BlockAt(tile.operand[0], row, 0).base;
    std::byte* const at = to.base + row * to.row_stride;
    if (IsOneByte(from, bytes)) {
      std::memset(at, static_cast<int>(*from), row_bytes);
      continue;
    }
    for (int64_t filled = 0; filled < 16; filled += bytes)
      std::memcpy(block + filled, from, static_cast<size_t>(bytes));
    parameters.fill(block, at, tile.columns * bytes);
  }
}

// Fills each row with its one element by non-temporal stores, from a block in the cache.
void StreamValue(const Tile& tile, const CopyParameters& parameters, int64_t bytes) {
  constexpr int64_t kBlockBytes = 16 << 10;
  alignas(64) std::byte block[kBlockBytes];
  const TileOperand& to = tile.operand[1];
  const int64_t row_bytes = tile.columns * bytes;
  const int64_t block_bytes = std::min(kBlockBytes, row_bytes);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const TileOperand from = BlockAt(tile.operand[0], row, 0);
    if (row == 0 || from.row_stride != 0) {
      std::memcpy(block, from.base, static_cast<size_t>(bytes));
      for (int64_t filled = bytes; filled < block_bytes; filled *= 2)
        std::memcpy(block + filled, block, static_cast<size_t>(std::min(filled, block_bytes - filled)));
    }
    for (int64_t at = 0; at < row_bytes; at += block_bytes)
      parameters.stream(block, to.base + row * to.row_stride + at, std::min(row_bytes - at, block_bytes));
  }
}

// Whether rows are long enough and their source is contiguous in reverse.
bool IsReversed(const Tile& tile, const CopyParameters& parameters, int64_t bytes) {
  return parameters.reverse != nullptr && tile.operand[0].column_stride == -bytes && tile.columns >= kShortRow;
}

// Gathers strided elements into a block in the cache, and stores it with non-temporal stores. It prefetches the next
// block itself, because the hardware prefetches little of what is read backwards.
void StreamGathered(const Tile& tile, const CopyParameters& parameters, int64_t bytes) {
  alignas(64) std::byte block[8 << 10];
  const int64_t most = static_cast<int64_t>(sizeof(block)) / bytes;
  const bool is_reversed = IsReversed(tile, parameters, bytes);
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t column = 0; column < tile.columns; column += most) {
      const int64_t columns = std::min(most, tile.columns - column);
      const bool is_last = column + columns == tile.columns;
      const std::byte* const next = BlockAt(tile.operand[0], row + is_last, is_last ? 0 : column + columns).base;
      const int64_t stride = tile.operand[0].column_stride;
      for (int64_t at = 0; std::abs(stride) <= kLineBytes && at < columns * std::abs(stride); at += kLineBytes)
        __builtin_prefetch(next + (stride < 0 ? -at : at), 0, 2);
      const TileOperand from = BlockAt(tile.operand[0], row, column);
      if (is_reversed)
        parameters.reverse(from.base, block, columns);
      else
        CopyBlock(bytes, 1, columns, from, {block, 0, bytes});
      parameters.stream(block, BlockAt(tile.operand[1], row, column).base, columns * bytes);
    }
  }
}

bool IsWholeLines(const TileOperand& rows, int64_t row_bytes) {
  const auto first = reinterpret_cast<uintptr_t>(rows.base);
  return (first | static_cast<uintptr_t>(rows.row_stride) | static_cast<uintptr_t>(row_bytes)) % kLineBytes == 0;
}

void MoveTile(const Tile& tile, const CopyParameters& parameters) {
  const TileOperand& from = tile.operand[0];
  const TileOperand& to = tile.operand[1];
  const int64_t bytes = parameters.conversion->bytes[0];
  const int64_t row_bytes = tile.columns * bytes;
  const bool is_packed = from.row_stride == row_bytes && IsWholeLines(to, row_bytes);
  const bool streams = tile.non_temporal && to.column_stride == bytes && (is_packed || row_bytes >= kStreamedRowBytes);
  if (from.column_stride == 0 && to.column_stride == bytes && tile.columns >= kShortRow) {
    streams ? StreamValue(tile, parameters, bytes) : SpreadValue(tile, parameters, bytes);
  } else if (streams && from.column_stride == bytes) {
    for (int64_t row = 0; row < tile.rows; ++row)
      parameters.stream(from.base + row * from.row_stride, to.base + row * to.row_stride, row_bytes);
  } else if (streams) {
    StreamGathered(tile, parameters, bytes);
  } else if (to.column_stride == bytes && IsReversed(tile, parameters, bytes)) {
    for (int64_t row = 0; row < tile.rows; ++row)
      parameters.reverse(from.base + row * from.row_stride, to.base + row * to.row_stride, tile.columns);
  } else {
    CopyBlock(bytes, tile.rows, tile.columns, from, to);
  }
}

// Converts a tile block by block.
class TileConverter {
 public:
  TileConverter(const Tile& tile, const CopyParameters& parameters)
      : tile_(tile),
        conversion_(*parameters.conversion),
        stream_(parameters.stream),
        from_bytes_(conversion_.bytes[0]),
        to_bytes_(conversion_.bytes[conversion_.steps]) {
    const int64_t widest = *std::max_element(conversion_.bytes, conversion_.bytes + conversion_.steps + 1);
    const int64_t elements = kConvertedBytes / widest;
    const bool transposed = IsTransposed(tile.operand[0]) || IsTransposed(tile.operand[1]);
    columns_ = std::min(tile.columns, transposed ? kTransposedRowBytes / widest : elements);
    // Rows are not packed if they are long enough and need no copy.
    const bool as_it_is = IsDense(0) && IsDense(1) && tile.columns >= kShortRow;
    rows_ = as_it_is ? 1 : std::min(tile.rows, elements / columns_);
  }

  void Run() {
    for (int64_t row = 0; row < tile_.rows; row += rows_) {
      for (int64_t column = 0; column < tile_.columns; column += columns_) {
        RunBlock(row, column, std::min(rows_, tile_.rows - row), std::min(columns_, tile_.columns - column));
      }
    }
  }

 private:
  bool IsDense(int operand) const {
    return tile_.operand[operand].column_stride == (operand == 0 ? from_bytes_ : to_bytes_);
  }
  // Whether the elements of a block are contiguous.
  bool IsRun(int operand, int64_t rows, int64_t columns) const {
    return IsDense(operand) &&
           (rows == 1 || tile_.operand[operand].row_stride == columns * (operand == 0 ? from_bytes_ : to_bytes_));
  }
  void RunBlock(int64_t row, int64_t column, int64_t rows, int64_t columns) {
    const int64_t n = rows * columns * conversion_.parts;
    const TileOperand source = BlockAt(tile_.operand[0], row, column);
    const TileOperand target = BlockAt(tile_.operand[1], row, column);
    const std::byte* from = source.base;
    // Prefetch the next block: converting a block is faster than the hardware prefetcher.
    for (int64_t at = 0; tile_.non_temporal && IsDense(0) && at < columns * from_bytes_; at += kLineBytes)
      __builtin_prefetch(from + columns * from_bytes_ + at);
    int next = 0;  // the free buffer
    if (!IsRun(0, rows, columns)) {
      CopyBlock(from_bytes_, rows, columns, source, {buffer_[next], columns * from_bytes_, from_bytes_});
      from = buffer_[next];
      next ^= 1;
    }
    const bool in_place = IsRun(1, rows, columns) && !tile_.non_temporal;
    std::byte* result = nullptr;
    for (int step = 0; step < conversion_.steps; ++step) {
      result = in_place && step == conversion_.steps - 1 ? target.base : buffer_[next];
      conversion_.step[step](from, result, n);
      from = result;
      next ^= 1;
    }
    if (in_place) return;
    if (tile_.non_temporal && IsDense(1)) {
      for (int64_t r = 0; r < rows; ++r)
        stream_(result + r * columns * to_bytes_, target.base + r * target.row_stride, columns * to_bytes_);
    } else {
      CopyBlock(to_bytes_, rows, columns, {result, columns * to_bytes_, to_bytes_}, target);
    }
  }

  const Tile& tile_;
  const Conversion& conversion_;
  const MoveFunction stream_;
  const int64_t from_bytes_;
  const int64_t to_bytes_;
  int64_t rows_;
  int64_t columns_;
  alignas(64) std::byte buffer_[2][kConvertedBytes];
};

void CopyRows(const Tile& tile, const CopyParameters& parameters) {
  if (parameters.conversion->steps == 0) {
    MoveTile(tile, parameters);
  } else {
    TileConverter(tile, parameters).Run();
  }
}

// The most bytes of a square tile whose source is transposed.
constexpr int64_t kTransposedBytes = kTransposedRows * kTransposedRowBytes;

// Copies a tile whose source is transposed and too large for the cache.
void CopyTransposed(Tile tile, const CopyParameters& parameters) {
  const TileOperand& to = tile.operand[1];
  const int64_t bytes = parameters.conversion->bytes[0];
  // Rows of a tile are a few cache lines. Non-temporal stores of partial lines took up to 10 times as long.
  tile.non_temporal = reinterpret_cast<uintptr_t>(to.base) % kLineBytes == 0 && to.row_stride % kLineBytes == 0;
  if ((parameters.conversion->steps == 0 && !tile.non_temporal) || tile.rows * tile.columns * bytes > kTransposedBytes)
    return CopyRows(tile, parameters);
  alignas(64) std::byte rows[kTransposedBytes];
  const TileOperand packed = {rows, tile.columns * bytes, bytes};
  // Prefetches the tile to the right: the hardware prefetcher follows only some of these many short runs, and each of
  // them would wait for memory.
  const TileOperand next = BlockAt(tile.operand[0], 0, tile.columns);
  CopyTransposedBlock(bytes, tile.rows, tile.columns, tile.operand[0], packed, kTransposedSlices, {&next, 1});
  tile.operand[0] = packed;
  CopyRows(tile, parameters);
}

}  // namespace

void CopyTile(const Tile& tile) {
  const auto& parameters = *static_cast<const CopyParameters*>(tile.parameters);
  if (tile.operand[0].base == tile.operand[1].base) return;  // only the very same view may overlap
  if (tile.non_temporal && IsTransposed(tile.operand[0])) {
    CopyTransposed(tile, parameters);
  } else {
    CopyRows(tile, parameters);
  }
  if (tile.non_temporal) hwy::FlushStream();
}

CopyParameters CopyParametersOf(aclDataType from, aclDataType to) {
  const Conversion& conversion = ConversionOf(from, to);
  const int64_t target = ActiveTarget();
  return {.conversion = &conversion,
          .stream = StreamLanes(target),
          .fill = FillLanes(target),
          .reverse = conversion.steps == 0 ? ReverseLanes(conversion.bytes[0], target) : nullptr};
}

double CopyNsPerElement(const CopyParameters& parameters) { return 0.02 + 0.15 * parameters.conversion->steps; }

}  // namespace portacl::loops::moves
