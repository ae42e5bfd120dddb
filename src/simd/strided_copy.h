// SPDX-License-Identifier: Apache-2.0
//
// Copies a small block of elements between any strides and a dense buffer: all operands that are not contiguous reach
// lane code this way. The code is the same for every instruction set. Elements are only moved, so only their size
// matters, and addresses need no alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "simd/transpose.h"

namespace portacl::simd {

namespace strided_copy {

// A type of kBytes for an element of any type, at any address.
template <size_t kBytes>
struct WordOf;
template <>
struct WordOf<1> {
  using Type [[gnu::may_alias, gnu::aligned(1)]] = uint8_t;
};
template <>
struct WordOf<2> {
  using Type [[gnu::may_alias, gnu::aligned(1)]] = uint16_t;
};
template <>
struct WordOf<4> {
  using Type [[gnu::may_alias, gnu::aligned(1)]] = uint32_t;
};
template <>
struct WordOf<8> {
  using Type [[gnu::may_alias, gnu::aligned(1)]] = uint64_t;
};

// Copies every kStride-th element. The stride is constant, so the compiler can load whole registers and shuffle.
template <size_t kBytes, int64_t kStride>
inline void Every(std::byte* __restrict to, const std::byte* __restrict from, int64_t n) {
  using Word = typename WordOf<kBytes>::Type;
  Word* __restrict words = reinterpret_cast<Word*>(to);
  const Word* __restrict source = reinterpret_cast<const Word*>(from);
  for (int64_t i = 0; i < n; ++i) words[i] = source[i * kStride];
}

// Four elements at a time: one at a time took twice as long.
template <size_t kBytes>
inline void SingleElements(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t n) {
  using Word = typename WordOf<kBytes>::Type;
  const auto load = [&](int64_t i) { return *reinterpret_cast<const Word*>(from + i * from_stride); };
  const auto store = [&](int64_t i, Word word) { *reinterpret_cast<Word*>(to + i * to_stride) = word; };
  for (; n >= 4; n -= 4, to += 4 * to_stride, from += 4 * from_stride) {
    auto a = load(0), b = load(1), c = load(2), d = load(3);
    // Prevents vectorisation: GCC 12 took eight times as long for every third element of 4 bytes.
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    store(0, a);
    store(1, b);
    store(2, c);
    store(3, d);
  }
  for (; n > 0; --n, to += to_stride, from += from_stride) {
    store(0, load(0));
    asm volatile("");
  }
}

template <size_t kBytes>
inline void Elements(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t n) {
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  if constexpr (kBytes <= 8) {
    if (to_stride == kStep) {
      if (from_stride == 0) return Every<kBytes, 0>(to, from, n);
      if (from_stride == 2 * kStep) return Every<kBytes, 2>(to, from, n);
      if (from_stride == 4 * kStep && kBytes <= 4) return Every<kBytes, 4>(to, from, n);
      if (from_stride == -kStep) return Every<kBytes, -1>(to, from, n);
    }
    return SingleElements<kBytes>(to, to_stride, from, from_stride, n);
  }
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, kBytes);
    asm volatile("");  // prevents vectorisation, as above
  }
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

/// Copies rows of a few whole cache lines, such as attention heads: one call per row would take most of the time.
inline void ShortRows(int64_t rows, int64_t bytes, std::byte* to, int64_t to_stride, const std::byte* from,
                      int64_t from_stride) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t at = 0; at < bytes; at += 64) std::memcpy(to + r * to_stride + at, from + r * from_stride + at, 64);
  }
}

template <size_t kBytes>
inline bool TransposeIfOrdersDiffer(int64_t rows, int64_t columns, std::byte* to, int64_t to_row_stride,
                                    int64_t to_column_stride, const std::byte* from, int64_t from_row_stride,
                                    int64_t from_column_stride) {
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  if (to_column_stride == kStep && from_row_stride == kStep && from_column_stride != 0) {
    Transpose<kBytes>(rows, columns, to, to_row_stride, from, from_column_stride);
    return true;
  }
  if (to_row_stride == kStep && from_column_stride == kStep) {
    Transpose<kBytes>(columns, rows, to, to_column_stride, from, from_row_stride);
    return true;
  }
  return false;
}

inline bool TransposeIfOrdersDiffer(size_t element_bytes, int64_t rows, int64_t columns, std::byte* to,
                                    int64_t to_row_stride, int64_t to_column_stride, const std::byte* from,
                                    int64_t from_row_stride, int64_t from_column_stride) {
  switch (element_bytes) {
    case 1:
      return TransposeIfOrdersDiffer<1>(rows, columns, to, to_row_stride, to_column_stride, from, from_row_stride,
                                        from_column_stride);
    case 2:
      return TransposeIfOrdersDiffer<2>(rows, columns, to, to_row_stride, to_column_stride, from, from_row_stride,
                                        from_column_stride);
    case 4:
      return TransposeIfOrdersDiffer<4>(rows, columns, to, to_row_stride, to_column_stride, from, from_row_stride,
                                        from_column_stride);
    case 8:
      return TransposeIfOrdersDiffer<8>(rows, columns, to, to_row_stride, to_column_stride, from, from_row_stride,
                                        from_column_stride);
    default:
      return false;
  }
}

}  // namespace strided_copy

/// Copies rows x columns elements. Strides are in bytes; those of `from` may have any sign. The two blocks do not
/// overlap. The inner loop runs in the direction of the smaller strides, so that for a transposed block, every byte of
/// a cache line is used.
inline void StridedCopy(size_t element_bytes, int64_t rows, int64_t columns, std::byte* to, int64_t to_row_stride,
                        int64_t to_column_stride, const std::byte* from, int64_t from_row_stride,
                        int64_t from_column_stride) {
  const int64_t bytes = static_cast<int64_t>(element_bytes);
  if (to_column_stride == bytes && from_column_stride == bytes) {
    constexpr int64_t kLine = 64, kFewLines = 512;
    if (const int64_t row = columns * bytes; row % kLine == 0 && row <= kFewLines)
      return strided_copy::ShortRows(rows, row, to, to_row_stride, from, from_row_stride);
    for (int64_t r = 0; r < rows; ++r) {
      std::memcpy(to + r * to_row_stride, from + r * from_row_stride, static_cast<size_t>(columns * bytes));
    }
    return;
  }
  if (rows > 1 && columns > 1 &&
      strided_copy::TransposeIfOrdersDiffer(element_bytes, rows, columns, to, to_row_stride, to_column_stride, from,
                                            from_row_stride, from_column_stride))
    return;
  // Short rows of a narrow block: a loop along the columns is longer.
  constexpr int64_t kShort = 8;
  if (columns < kShort && rows > kShort) {
    for (int64_t c = 0; c < columns; ++c) {
      strided_copy::Line(element_bytes, to + c * to_column_stride, to_row_stride, from + c * from_column_stride,
                         from_row_stride, rows);
    }
    return;
  }
  if (to_row_stride + std::abs(from_row_stride) < to_column_stride + std::abs(from_column_stride)) {
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
