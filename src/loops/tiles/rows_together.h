// SPDX-License-Identifier: Apache-2.0
//
// How many rows lane code sweeps over together, when it sweeps several times, so that rows do not wait for each other.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "loops/tiles/tile.h"

namespace portacl::loops {

/// Rows that are swept together, as long as they need at most kElementsTogether elements of scratch. Gradients, which
/// have two inputs, take fewer rows: one sweep then loads rows from memory while the other one stores. Compared with
/// 2,048 for both, rows of 64 and 128 elements in memory take 0.93 and 0.92 of the time, those of gradients 0.84 and
/// 0.92. Two rows of 512 elements take 0.9 of the time of one after the other, where the caches hold them: the sum of one
/// row is folded while the elements of the other are read.
inline constexpr int64_t kMostRowsTogether = 32;
inline constexpr int64_t kElementsTogether = 1024;
inline constexpr int64_t kElementsOfGradients = 256;
constexpr int64_t RowsTogether(int64_t columns, int64_t elements = kElementsTogether) {
  const int64_t rows = elements / columns;
  return rows < 1 ? 1 : rows > kMostRowsTogether ? kMostRowsTogether : rows;
}
constexpr int64_t GradientRowsTogether(int64_t columns) {
  return columns > kElementsOfGradients / 2 && columns <= 2 * kElementsOfGradients
             ? 2
             : RowsTogether(columns, kElementsOfGradients);
}

/// Bytes of a tile's `scratch`: float32 elements of one row, or of several, and two more registers.
constexpr int64_t ScratchBytes(int64_t columns) {
  return ((columns < kElementsTogether ? kElementsTogether : columns) + 128) * 4;
}

/// Rows of more bytes than this are swept backwards the second time, because two inputs and an output of such a row do
/// not fit the first-level cache. With 32 KiB, these are rows of 2,731 FLOAT and more, with 48 KiB rows of 4,097; rows
/// of 4,096 take 0.9 of the time when swept forwards.
inline size_t LongRowBytes() {
  static const size_t bytes = [] {
    const long first_level = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    return first_level > 0 ? static_cast<size_t>(first_level) / 3 : size_t{10 << 10};
  }();
  return bytes;
}

/// Whether the rows of an operand are contiguous.
inline bool IsPacked(const Tile& tile, int operand) {
  return tile.operand[operand].row_stride == tile.columns * tile.operand[operand].column_stride;
}

/// The rows that lane code computes in groups of `lanes`: none if a row does not fit a register of this many lanes, or the
/// rows of one of the operands are not contiguous.
inline int64_t RowsInGroups(const Tile& tile, int64_t lanes, std::initializer_list<int> operands) {
  for (const int operand : operands) {
    if (!IsPacked(tile, operand)) return 0;
  }
  return tile.columns > lanes ? 0 : tile.rows / lanes * lanes;
}

}  // namespace portacl::loops
