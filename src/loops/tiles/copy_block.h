// SPDX-License-Identifier: Apache-2.0
//
// Copies rectangles of elements between tensors of any strides and buffers with contiguous rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "loops/tiles/tile.h"

namespace portacl::loops {

inline constexpr int64_t kLineBytes = 64;

/// Rows shorter than this are packed: one call per row would cost more than copying its elements.
inline constexpr int64_t kShortRow = 16;

/// Rows shorter than this are stored through the cache: non-temporal stores of the partial lines at their ends would
/// cost more.
inline constexpr int64_t kStreamedRowBytes = 512;

/// Slices in which a transposed operand is copied while its neighbours are prefetched.
inline constexpr int64_t kTransposedSlices = 8;

/// Whether the elements of a column lie closer together than those of a row.
inline bool IsTransposed(const TileOperand& operand) {
  return operand.row_stride != 0 && operand.row_stride < operand.column_stride;
}

/// The part of the operand that starts at element (row, column).
inline TileOperand BlockAt(const TileOperand& operand, int64_t row, int64_t column) {
  return {operand.base + row * operand.row_stride + column * operand.column_stride, operand.row_stride,
          operand.column_stride};
}

/// Copies rows x columns elements of `bytes` each. Source and target do not overlap.
void CopyBlock(int64_t bytes, int64_t rows, int64_t columns, const TileOperand& from, const TileOperand& to);

/// Copies a transposed `from` in slices; between the slices, prefetches the blocks `next`, which are as large as this
/// one.
void CopyTransposedBlock(int64_t bytes, int64_t rows, int64_t columns, const TileOperand& from, const TileOperand& to,
                         int64_t slices, std::span<const TileOperand> next);

}  // namespace portacl::loops
