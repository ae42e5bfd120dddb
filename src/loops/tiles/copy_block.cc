// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/copy_block.h"

#include <algorithm>

#include "simd/strided_copy.h"

namespace portacl::loops {
namespace {

// Always inlined: GCC removes calls of a function that only prefetches.
[[gnu::always_inline]] inline void Fetch(const TileOperand& block, int64_t rows, int64_t columns, int64_t slice,
                                         int64_t slices) {
  const bool transposed = block.row_stride < block.column_stride;
  const int64_t runs = transposed ? columns : rows;
  const int64_t stride = transposed ? block.column_stride : block.row_stride;
  const int64_t bytes = transposed ? rows * block.row_stride : columns * block.column_stride;
  for (int64_t run = runs * slice / slices; run < runs * (slice + 1) / slices; ++run) {
    for (int64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(block.base + run * stride + at, 0, 2);
  }
}

}  // namespace

void CopyBlock(int64_t bytes, int64_t rows, int64_t columns, const TileOperand& from, const TileOperand& to) {
  // The stride of a single row, often 0, has no meaning: with it, the loop over columns would wrongly become the outer
  // one.
  const int64_t to_row_stride = rows == 1 ? to.column_stride : to.row_stride;
  const int64_t from_row_stride = rows == 1 ? from.column_stride : from.row_stride;
  simd::StridedCopy(static_cast<size_t>(bytes), rows, columns, to.base, to_row_stride, to.column_stride, from.base,
                    from_row_stride, from.column_stride);
}

void CopyTransposedBlock(int64_t bytes, int64_t rows, int64_t columns, const TileOperand& from, const TileOperand& to,
                         int64_t slices, std::span<const TileOperand> next) {
  const int64_t step = (columns + slices - 1) / slices;
  for (int64_t slice = 0; slice < slices; ++slice) {
    const int64_t first = std::min(columns, slice * step);
    CopyBlock(bytes, rows, std::min(columns - first, step), BlockAt(from, 0, first), BlockAt(to, 0, first));
    for (const TileOperand& block : next) Fetch(block, rows, columns, slice, slices);
  }
}

}  // namespace portacl::loops
