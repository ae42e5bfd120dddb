// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "acl/acl_base_rt.h"
#include "loops/tile.h"

namespace portacl::ops::scaled_masked_softmax {

/// What the tiles' `parameters` point to.
struct Parameters {
  float scale;
};

/// Short rows are computed so many at a time.
inline constexpr int64_t kGroupRows = 64;

/// And so many longer ones, while they take no more than kElementsTogether of scratch.
inline constexpr int64_t kMostRowsTogether = 32;
inline constexpr int64_t kElementsTogether = 2048;
constexpr int64_t RowsTogether(int64_t columns) {
  const int64_t rows = kElementsTogether / columns;
  return rows < 1 ? 1 : rows > kMostRowsTogether ? kMostRowsTogether : rows;
}

/// Rows of more bytes (of FLOAT, from 2,561 columns on) are swept backwards the second time: the gradient, its two
/// inputs and the mask of a row then do not fit the first-level cache.
inline constexpr size_t kLongRowBytes = 10 << 10;

/// Bytes of a tile's `scratch`: float32 elements of one row or of several, and two more registers.
constexpr int64_t ScratchBytes(int64_t columns) {
  return ((columns < kElementsTogether ? kElementsTogether : columns) + 128) * 4;
}

/// True when the rows of an operand lie one after the other.
inline bool IsPacked(const loops::Tile& tile, int operand) {
  return tile.operand[operand].row_stride == tile.columns * tile.operand[operand].column_stride;
}

/// The mask of `rows` rows, one after the other: as it lies, or in `copy`.
inline const uint8_t* PackedMask(const loops::Tile& tile, int operand, int64_t first, int64_t rows, uint8_t* copy) {
  if (IsPacked(tile, operand)) return tile.Row<uint8_t>(operand, first);
  const auto columns = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < rows; ++row)
    std::memcpy(copy + static_cast<size_t>(row) * columns, tile.Row<uint8_t>(operand, first + row), columns);
  return copy;
}

/// The function for this dtype (FLOAT, FLOAT16, BFLOAT16) and instruction set (a HWY_* bit). Operands of the tile,
/// whose rows are whole: x, mask, y. y may be x.
loops::LaneFunction SoftmaxLanes(aclDataType dtype, int64_t target);

/// As SoftmaxLanes. Operands of the tile: gradOutput, y, mask, out. out may be gradOutput or y.
loops::LaneFunction SoftmaxBackwardLanes(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::scaled_masked_softmax
