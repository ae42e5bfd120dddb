// SPDX-License-Identifier: Apache-2.0
//
// How lane code sweeps over rows several times: over some of them together, so that the rows of a sweep do not wait for
// each other.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "loops/tiles/tile.h"

namespace portacl::loops {

/// Rows that are taken at a time, while they need no more than kElementsTogether of scratch. Gradients, which have two inputs,
/// take fewer: one sweep then loads rows from memory while the other stores. Beside 2,048 for both, rows of 64 and 128 in
/// memory take 0.93 and 0.92 of the time, those of gradients 0.84 and 0.92.
inline constexpr int64_t kMostRowsTogether = 32;
inline constexpr int64_t kElementsTogether = 1024;
inline constexpr int64_t kElementsOfGradients = 256;
constexpr int64_t RowsTogether(int64_t columns, int64_t elements = kElementsTogether) {
  const int64_t rows = elements / columns;
  return rows < 1 ? 1 : rows > kMostRowsTogether ? kMostRowsTogether : rows;
}

/// Bytes of a tile's `scratch`: float32 elements of one row or of several, and two more registers.
constexpr int64_t ScratchBytes(int64_t columns) {
  return ((columns < kElementsTogether ? kElementsTogether : columns) + 128) * 4;
}

/// Rows of more bytes are swept backwards the second time: two inputs and an output of a row then do not fit the
/// first-level cache. Of 32 KiB these are rows of 2,731 FLOAT, of 48 KiB 4,097, and 4,096 forwards take 0.9 of the time.
inline size_t LongRowBytes() {
  static const size_t bytes = [] {
    const long first_level = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    return first_level > 0 ? static_cast<size_t>(first_level) / 3 : size_t{10 << 10};
  }();
  return bytes;
}

/// True when the rows of an operand lie one after the other.
inline bool IsPacked(const Tile& tile, int operand) {
  return tile.operand[operand].row_stride == tile.columns * tile.operand[operand].column_stride;
}

}  // namespace portacl::loops
