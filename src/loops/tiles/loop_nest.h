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
                 [kMaxRank];  // bytes; last, so that a plan is copied without those of absent operands

  int64_t Elements() const;
};

/// Axes of size 1 are dropped, the others ordered by stride (the last operand decides, then the one before it, ...) and
/// merged where every operand runs on from one to the next. An operand with fewer axes, or with size 1 where `shape`
/// has more, is broadcast: stride 0. Nothing is flipped: strides are not negative.
LoopNest MakeLoopNest(std::span<const int64_t> shape, std::span<const View* const> operands);

/// The same, but axis 0 is the last of `shape` whatever its strides, and is merged with no other. One element has the
/// stride of an element.
LoopNest MakeRowNest(std::span<const int64_t> shape, std::span<const View* const> operands);

/// The same as MakeLoopNest, but axis 1 is `axis` of `shape`, also where it has one element, and is merged with no other.
LoopNest MakeColumnNest(std::span<const int64_t> shape, std::span<const View* const> operands, int axis);

}  // namespace portacl::loops
