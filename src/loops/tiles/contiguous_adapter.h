// SPDX-License-Identifier: Apache-2.0
//
// Hands a tile of any strides to lane code that only knows contiguous rows, and operands of any dtype to lane code
// that only knows one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "loops/elements/conversion.h"
#include "loops/tiles/loop_nest.h"
#include "loops/tiles/tile.h"
#include "tensor/view.h"

namespace portacl::loops {

/// Lane code, and how it takes its operands.
struct LaneCode {
  LaneFunction run = nullptr;
  int inputs = 0;            // the first operands are read, the others written
  uint32_t repeated = 0;     // bit i: input i may have column stride 0, one element for a whole row
  bool any_strides = false;  // `run` takes tiles as they are
  bool prefetches = false;   // a formula of dozens of instructions
  bool converts = false;     // `convert` counts
  // Between an operand's dtype and the lane code's; null: they are the same.
  const Conversion* convert[kMaxTileOperands] = {};
};

/// For lane code that takes inputs of the dtype `in`, and writes outputs of the dtype `out`: operands of others are
/// converted.
void SetConversions(std::span<const View* const> operands, aclDataType in, aclDataType out, LaneCode* code);

/// True when lane code can take a tile of this size as it is: every operand's rows are contiguous (or one element,
/// where it takes that), and they are not too short for a loop of their own.
bool RowsAreDense(const LoopNest& nest, const LaneCode& code, int64_t rows, int64_t columns);

/// Calls the lane code on the tile itself when its rows are dense; otherwise on blocks of it, copied through buffers on
/// the stack as far as an operand needs it.
void RunTile(const LaneCode& code, const LoopNest& nest, const Tile& tile);

}  // namespace portacl::loops
