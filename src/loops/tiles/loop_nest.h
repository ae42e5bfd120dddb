// SPDX-License-Identifier: Apache-2.0
//
// The loop nest that visits every element of some operands together, in as few and as long loops as their strides
// allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "loops/tiles/tile.h"
#include "tensor/view.h"

namespace portacl::loops {

/// Axis 0 is the innermost. There is always at least one axis; a single element is one axis of size 1.
struct LoopNest {
  int rank = 0;
  int operands = 0;
  int64_t shape[kMaxRank];
  int64_t element_bytes[kMaxTileOperands];
  int64_t strides[kMaxTileOperands]
                 [kMaxRank];  // in bytes; last member, so that a plan is copied without the strides of absent operands

  int64_t Elements() const;
};

/// Drops axes of size 1, sorts the others by stride (the last operand decides, then the one before it, ...) and merges
/// axes where all operands allow it. An operand with fewer axes, or with size 1 where `shape` has more, is broadcast:
/// stride 0. Axes are never reversed: strides are not negative.
LoopNest MakeLoopNest(std::span<const int64_t> shape, std::span<const View* const> operands);

/// Like MakeLoopNest, but axis 0 is the last axis of `shape` whatever its strides, and is not merged with others. A
/// single element has the stride of an element.
LoopNest MakeRowNest(std::span<const int64_t> shape, std::span<const View* const> operands);

/// Like MakeLoopNest, but axis 1 is the axis `axis` of `shape`, even if that has size 1, and is not merged with others.
LoopNest MakeColumnNest(std::span<const int64_t> shape, std::span<const View* const> operands, int axis);

}  // namespace portacl::loops
