// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/tiling.h"

#include <algorithm>

#include "base/tuning.h"

namespace portacl::loops {
namespace {

// Another core pays off from about 5 us on: 256 KiB take 10 us from memory, and 1.5-2 us from the second-level cache.
constexpr int64_t kSplitBytes = 256 << 10;
constexpr double kSplitNs = 5'000;

// Chunks are smaller than that, so that threads finish together; a thread takes several at a time (parallel::ForRuns).
constexpr int64_t kChunksOfSplit = 4;

// Chunks of one long row start at multiples of this many elements, so that they are all aligned if the row is.
constexpr int64_t kColumnStep = 64;

int64_t LargestElement(const LoopNest& nest) {
  return *std::max_element(nest.element_bytes, nest.element_bytes + nest.operands);
}

// Whether an operand is denser along axis 1, the rows, than along axis 0, the columns.
bool HasTransposed(const LoopNest& nest) {
  if (nest.rank < 2) return false;
  for (int i = 0; i < nest.operands; ++i) {
    if (nest.strides[i][1] != 0 && nest.strides[i][1] < nest.strides[i][0]) return true;
  }
  return false;
}

}  // namespace

int64_t BytesPerElement(const LoopNest& nest) {
  int64_t bytes = 0;
  for (int operand = 0; operand < nest.operands; ++operand) {
    bool moves = false;
    for (int axis = 0; axis < nest.rank; ++axis) moves |= nest.strides[operand][axis] != 0;
    if (moves) bytes += nest.element_bytes[operand];
  }
  return std::max<int64_t>(bytes, 1);
}

int64_t CostNs(int64_t elements, int64_t bytes_per_element, double ns_per_element) {
  const double per_element =
      std::max(static_cast<double>(bytes_per_element) / CurrentTuning().core_bytes_per_ns, ns_per_element);
  return static_cast<int64_t>(std::min(static_cast<double>(elements) * per_element, 9e18));
}

int64_t CostNs(const LoopNest& nest, double ns_per_element) {
  return CostNs(nest.Elements(), BytesPerElement(nest), ns_per_element);
}

int64_t ChunkElements(const LoopNest& nest, double ns_per_element) {
  const int64_t by_bytes = kSplitBytes / BytesPerElement(nest);
  const int64_t by_time = static_cast<int64_t>(kSplitNs / std::max(ns_per_element, 1e-3));
  int64_t chunk_elements = std::min(by_bytes, by_time);
  if (nest.Elements() > chunk_elements) chunk_elements /= kChunksOfSplit;
  return std::max(kColumnStep, chunk_elements / kColumnStep * kColumnStep);
}

Tiling MakeTiling(const LoopNest& nest, double ns_per_element) {
  const int64_t chunk_elements = ChunkElements(nest, ns_per_element);
  Tiling tiling;
  const int64_t columns = nest.shape[0];
  const int64_t rows = nest.rank > 1 ? nest.shape[1] : 1;
  const bool transposed = HasTransposed(nest);
  tiling.tile_columns = std::min(columns, transposed ? kTransposedRowBytes / LargestElement(nest) : chunk_elements);
  tiling.tile_rows = transposed ? kTransposedRows : chunk_elements / tiling.tile_columns;
  tiling.tile_rows = std::min(rows, std::max<int64_t>(1, tiling.tile_rows));
  tiling.column_tiles = CeilDivide(columns, tiling.tile_columns);
  tiling.row_tiles = CeilDivide(rows, tiling.tile_rows);
  tiling.tiles = tiling.column_tiles * tiling.row_tiles;
  for (int axis = 2; axis < nest.rank; ++axis) tiling.tiles *= nest.shape[axis];
  tiling.tiles_per_chunk = std::max<int64_t>(1, chunk_elements / (tiling.tile_columns * tiling.tile_rows));
  tiling.chunks = CeilDivide(tiling.tiles, tiling.tiles_per_chunk);
  return tiling;
}

TileWalk::TileWalk(const LoopNest& nest, const Tiling& tiling, int64_t tile) : nest_(nest), tiling_(tiling) {
  if (tile == 0) return;  // the usual case: divisions would take a fifth of the time of a small call
  column_tile_ = tile % tiling.column_tiles;
  tile /= tiling.column_tiles;
  row_tile_ = tile % tiling.row_tiles;
  tile /= tiling.row_tiles;
  for (int axis = 2; axis < nest.rank; ++axis) {
    outer_[axis] = tile % nest.shape[axis];
    tile /= nest.shape[axis];
  }
}

int64_t TileWalk::Next(std::byte* const* addresses, int64_t most, Tile* tile) {
  // Neighbouring tiles of a row are joined, unless tiles have several rows.
  const int64_t tiles = tiling_.tile_rows > 1 ? 1 : std::min(most, tiling_.column_tiles - column_tile_);
  const int64_t column = column_tile_ * tiling_.tile_columns;
  const int64_t row = row_tile_ * tiling_.tile_rows;
  tile->columns = std::min(tiles * tiling_.tile_columns, nest_.shape[0] - column);
  tile->rows = nest_.rank > 1 ? std::min(tiling_.tile_rows, nest_.shape[1] - row) : 1;
  for (int i = 0; i < nest_.operands; ++i) {
    const int64_t* strides = nest_.strides[i];
    int64_t offset = column * strides[0];
    if (nest_.rank > 1) offset += row * strides[1];
    for (int axis = 2; axis < nest_.rank; ++axis) offset += outer_[axis] * strides[axis];
    tile->operand[i] = {addresses[i] + offset, nest_.rank > 1 ? strides[1] : 0, strides[0]};
  }
  Advance(tiles);
  return tiles;
}

void TileWalk::Advance(int64_t tiles) {
  column_tile_ += tiles;
  if (column_tile_ < tiling_.column_tiles) return;
  column_tile_ = 0;
  if (++row_tile_ < tiling_.row_tiles) return;
  row_tile_ = 0;
  for (int axis = 2; axis < nest_.rank; ++axis) {
    if (++outer_[axis] < nest_.shape[axis]) return;
    outer_[axis] = 0;
  }
}

}  // namespace portacl::loops
