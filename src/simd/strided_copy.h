// SPDX-License-Identifier: Apache-2.0
//
// Copies a small block of elements between any strides and a dense buffer: the one path by which operands that are not
// contiguous reach lane code. Ordinary code, the same for every instruction set; elements are only moved, so their size
// is all that matters, and addresses need no alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace portacl::simd {

namespace strided_copy {

template <size_t kBytes>
inline void Elements(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, kBytes);
}

inline void Line(size_t element_bytes, std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
                 int64_t n) {
  switch (element_bytes) {
    case 1:
      return Elements<1>(to, to_stride, from, from_stride, n);
    case 2:
      return Elements<2>(to, to_stride, from, from_stride, n);
    case 4:
      return Elements<4>(to, to_stride, from, from_stride, n);
    case 8:
      return Elements<8>(to, to_stride, from, from_stride, n);
    case 16:
      return Elements<16>(to, to_stride, from, from_stride, n);
    default:
      for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, element_bytes);
  }
}

}  // namespace strided_copy

/// Copies rows x columns elements. Strides are in bytes, none negative. The inner loop runs along the side on which the
/// strided operand moves least, so that a transposed block uses every byte of the cache lines that it touches.
inline void StridedCopy(size_t element_bytes, int64_t rows, int64_t columns, std::byte* to, int64_t to_row_stride,
                        int64_t to_column_stride, const std::byte* from, int64_t from_row_stride,
                        int64_t from_column_stride) {
  const int64_t bytes = static_cast<int64_t>(element_bytes);
  if (to_column_stride == bytes && from_column_stride == bytes) {
    for (int64_t r = 0; r < rows; ++r) {
      std::memcpy(to + r * to_row_stride, from + r * from_row_stride, static_cast<size_t>(columns * bytes));
    }
  } else if (to_row_stride + from_row_stride < to_column_stride + from_column_stride) {
    for (int64_t c = 0; c < columns; ++c) {
      strided_copy::Line(element_bytes, to + c * to_column_stride, to_row_stride, from + c * from_column_stride,
                         from_row_stride, rows);
    }
  } else {
    for (int64_t r = 0; r < rows; ++r) {
      strided_copy::Line(element_bytes, to + r * to_row_stride, to_column_stride, from + r * from_row_stride,
                         from_column_stride, columns);
    }
  }
}

}  // namespace portacl::simd
