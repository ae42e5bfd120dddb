// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "acl/acl_base_rt.h"
#include "loops/tiles/rows_together.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::scaled_masked_softmax {

/// The struct that the tiles' `parameters` point to.
struct Parameters {
  float scale;
};

/// Short rows are computed in groups of this size.
inline constexpr int64_t kGroupRows = 64;

/// The mask of `rows` consecutive rows: in place if contiguous, otherwise copied to `copy`.
inline const uint8_t* PackedMask(const loops::Tile& tile, int operand, int64_t first, int64_t rows, uint8_t* copy) {
  if (loops::IsPacked(tile, operand)) return tile.Row<uint8_t>(operand, first);
  const auto columns = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < rows; ++row)
    std::memcpy(copy + static_cast<size_t>(row) * columns, tile.Row<uint8_t>(operand, first + row), columns);
  return copy;
}

/// The function for this dtype (FLOAT, FLOAT16, BFLOAT16) and instruction set (a HWY_* bit). Operands of the tile,
/// whose rows are whole: x, mask, y. y may be x.
loops::LaneFunction SoftmaxLanes(aclDataType dtype, int64_t target);

/// Parameters as for SoftmaxLanes. Operands of the tile: gradOutput, y, mask, out. out may be gradOutput or y.
loops::LaneFunction SoftmaxBackwardLanes(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::scaled_masked_softmax
