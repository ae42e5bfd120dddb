// SPDX-License-Identifier: Apache-2.0
//
// Hands a tile of any strides to lane code that only knows contiguous rows, and operands of any float dtype to lane
// code that only knows FLOAT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "loops/convert_lanes.h"
#include "loops/nest.h"
#include "loops/tile.h"
#include "tensor/view.h"

namespace portacl::loops {

/// Lane code, and how it takes its operands.
struct LaneCode {
  LaneFunction run = nullptr;
  int inputs = 0;            // the first operands are read, the others written
  uint32_t repeated = 0;     // bit i: input i may have column stride 0, one element for a whole row
  bool any_strides = false;  // `run` takes tiles as they are
  bool converts = false;     // `convert` counts
  // Between an operand's dtype and the lane code's FLOAT; null: it is FLOAT.
  ConvertFunction convert[kMaxTileOperands] = {};
};

/// Converts the operands that are not FLOAT, for lane code that works in it. They are float dtypes; an input is no
/// DOUBLE.
void SetConversions(std::span<const View* const> operands, LaneCode* code);

/// True when lane code can take a tile of this size as it is: every operand's rows are contiguous (or one element,
/// where it takes that), and they are not too short for a loop of their own.
bool RowsAreDense(const Nest& nest, const LaneCode& code, int64_t rows, int64_t columns);

/// Calls the lane code on the tile itself when its rows are dense; otherwise on blocks of it, copied through buffers on
/// the stack as far as an operand needs it.
void RunTile(const LaneCode& code, const Nest& nest, const Tile& tile);

}  // namespace portacl::loops
