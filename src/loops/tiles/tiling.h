// SPDX-License-Identifier: Apache-2.0
//
// Cuts a nest into tiles and tiles into chunks of work. The cut follows from shapes, element sizes and the kernel's
// cost alone, never from the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/tiles/loop_nest.h"
#include "loops/tiles/tile.h"

namespace portacl::loops {

/// Tile size if an operand is transposed: 64 rows of 256 bytes. Its cache lines are used completely, and the next tiles
/// continue the rows of the other operands.
inline constexpr int64_t kTransposedRowBytes = 256;
inline constexpr int64_t kTransposedRows = 64;

/// a / b rounded up; `b` > 0, `a` of either sign.
constexpr int64_t CeilDivide(int64_t a, int64_t b) { return a / b + (a % b > 0); }

struct Tiling {
  int64_t tile_columns;
  int64_t tile_rows;
  int64_t column_tiles;
  int64_t row_tiles;
  int64_t tiles;
  int64_t tiles_per_chunk;
  int64_t chunks;
};

Tiling MakeTiling(const LoopNest& nest, double ns_per_element);

/// The approximate number of elements of a chunk; a multiple of 64.
int64_t ChunkElements(const LoopNest& nest, double ns_per_element);

/// Bytes of memory traffic per element; operands that are broadcast along every axis do not count.
int64_t BytesPerElement(const LoopNest& nest);

/// Estimated duration on one core. Memory and arithmetic overlap, so the slower of the two counts.
int64_t CostNs(const LoopNest& nest, double ns_per_element);
int64_t CostNs(int64_t elements, int64_t bytes_per_element, double ns_per_element);

/// Walks the tiles of a nest in order, from any starting point.
class TileWalk {
 public:
  TileWalk(const LoopNest& nest, const Tiling& tiling, int64_t tile);

  /// Sets the rectangle of the next tile, or of up to `most` neighbouring tiles; returns their number. `addresses` are
  /// those of element 0 of each operand.
  int64_t Next(std::byte* const* addresses, int64_t most, Tile* tile);

  /// The position of the next tile along axes 1 and 0.
  int64_t row() const { return row_tile_ * tiling_.tile_rows; }
  int64_t column() const { return column_tile_ * tiling_.tile_columns; }

 private:
  void Advance(int64_t tiles);

  const LoopNest& nest_;
  const Tiling& tiling_;
  int64_t column_tile_ = 0;
  int64_t row_tile_ = 0;
  int64_t outer_[kMaxRank] = {};  // positions on axes 2, 3, ...
};

}  // namespace portacl::loops
