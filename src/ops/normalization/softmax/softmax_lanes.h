// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/rows_together.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::softmax {

enum class Function : uint8_t { kSoftmax, kLogSoftmax, kSoftmaxBackward, kLogSoftmaxBackward };

/// Exponentials that take more bytes are computed twice instead of being stored.
inline constexpr int64_t kKeptBytes = 1 << 20;

/// Whether the exponentials of a row of FLOAT are stored; the scratch that a tile needs for them.
constexpr bool KeepsRow(int64_t columns) { return columns <= kKeptBytes / 4; }
constexpr int64_t RowScratchBytes(int64_t columns) { return KeepsRow(columns) ? loops::ScratchBytes(columns) : 0; }

/// Columns of a tile, depending on its rows: its elements stay in the second-level cache for three passes.
inline constexpr int64_t kFewestColumns = 64;
inline constexpr int64_t kMostColumns = 512;
constexpr int64_t ColumnsTogether(int64_t rows) {
  constexpr int64_t kElements = 32 << 10;
  return std::clamp(kElements / rows / kFewestColumns * kFewestColumns, kFewestColumns, kMostColumns);
}
constexpr bool KeepsColumns(int64_t rows, int64_t bytes) {
  return rows <= kKeptBytes / (ColumnsTogether(rows) * bytes);
}
constexpr int64_t ColumnScratchBytes(int64_t rows, int64_t bytes) {
  return KeepsColumns(rows, bytes) ? rows * ColumnsTogether(rows) * bytes : 0;
}

/// The function over complete rows, for this dtype (FLOAT, FLOAT16, BFLOAT16) and instruction set (a HWY_* bit).
/// Operands of the tile: self, or gradOutput and output, and out, which may be one of them. Scratch: RowScratchBytes.
loops::LaneFunction RowLanes(Function function, aclDataType dtype, int64_t target);

/// The same over complete columns, at most ColumnsTogether: for FLOAT; the first two functions also for DOUBLE; the
/// gradients also for FLOAT16 and BFLOAT16, where the first two functions get elements and results of FLOAT. Scratch:
/// ColumnScratchBytes.
loops::LaneFunction ColumnLanes(Function function, aclDataType dtype, int64_t target);

/// Rows of the cross entropy. Operands of the tile: features, labels, loss with one element per row, and backprop.
loops::LaneFunction CrossEntropyLanes(aclDataType dtype, int64_t target);

/// RowLanes for the gradients and the cross entropy, in a file of their own.
loops::LaneFunction BackwardRowLanes(Function function, aclDataType dtype, int64_t target);
loops::LaneFunction BackwardColumnLanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::softmax
