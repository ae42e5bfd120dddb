// SPDX-License-Identifier: Apache-2.0
//
// Runs lane code that only supports contiguous rows on tiles of any strides, and lane code that only supports one dtype
// on operands of any dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "loops/elements/conversion.h"
#include "loops/tiles/loop_nest.h"
#include "loops/tiles/tile.h"
#include "tensor/view.h"

namespace portacl::loops {

/// Lane code, and the requirements on its operands.
struct LaneCode {
  LaneFunction run = nullptr;
  int inputs = 0;            // the first operands are read, the others written
  uint32_t repeated = 0;     // bit i: input i may have column stride 0, one element for a whole row
  uint32_t updated = 0;      // bit i: operand i, an output, is read, too
  bool any_strides = false;  // `run` takes tiles as they are
  bool prefetches = false;   // a formula of dozens of instructions
  bool converts = false;     // some `convert` is not null
  int checked = 0;           // the input that `check` takes
  int32_t (*check)(const std::byte* element) = nullptr;
  // Conversion between the dtypes of an operand and of the lane code; null if they are the same.
  const Conversion* convert[kMaxTileOperands] = {};
  const Conversion* reverse[kMaxTileOperands] = {};  // for those that are updated
};

/// Sets the conversions for lane code that reads inputs of the dtype `in`, except those with a bit in `as_is`, and
/// writes outputs of the dtype `out`, which is also the one of those that it reads.
void SetConversions(std::span<const View* const> operands, aclDataType in, aclDataType out, LaneCode* code,
                    uint32_t as_is = 0);

/// Whether lane code can run on a tile of this size directly: the rows of all operands are contiguous (or a repeated
/// element, where supported), and long enough for a loop of their own.
bool RowsAreDense(const LoopNest& nest, const LaneCode& code, int64_t rows, int64_t columns);

/// Calls the lane code on the tile itself if its rows are dense. Otherwise calls it on blocks, copying the operands
/// that need it through buffers on the stack.
void RunTile(const LaneCode& code, const LoopNest& nest, const Tile& tile);

}  // namespace portacl::loops
