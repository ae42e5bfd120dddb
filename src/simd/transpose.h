// SPDX-License-Identifier: Apache-2.0
//
// Transposes a block of elements of 1 to 8 bytes: squares with a side of 16 bytes in registers, the remaining elements
// one at a time. It uses the compiler's vectors of 16 bytes, which every target has: transposing is shuffling, and
// wider registers gain little.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace portacl::simd {

namespace transpose {

// Rows a multiple of this many bytes apart share few sets of a first-level cache.
inline constexpr int64_t kSamePlaces = 512;

template <size_t kBytes>
struct WordOfBytes;
template <>
struct WordOfBytes<1> {
  using Type = uint8_t;
};
template <>
struct WordOfBytes<2> {
  using Type = uint16_t;
};
template <>
struct WordOfBytes<4> {
  using Type = uint32_t;
};
template <>
struct WordOfBytes<8> {
  using Type = uint64_t;
};

// Interleaves the lanes of two vectors: of their first halves, or of their second halves.
template <size_t kFirst, class Vector, size_t... kLane>
inline Vector Interleave(Vector a, Vector b, std::index_sequence<kLane...>) {
  return __builtin_shufflevector(a, b, (kFirst + kLane / 2 + kLane % 2 * sizeof...(kLane))...);
}

// Each round interleaves every register with the one half a square further. After log2 of the side rounds, this perfect
// shuffle has transposed the square. It is recursive, so that the compiler uses registers and no array.
template <size_t kRounds, class Vector, size_t kSide>
[[gnu::always_inline]] inline void Shuffle(Vector (&v)[kSide]) {
  if constexpr (kRounds > 0) {
    constexpr auto kLanes = std::make_index_sequence<kSide>();
    Vector next[kSide];
    for (size_t i = 0; i < kSide / 2; ++i) {
      next[2 * i] = Interleave<0>(v[i], v[i + kSide / 2], kLanes);
      next[2 * i + 1] = Interleave<kSide / 2>(v[i], v[i + kSide / 2], kLanes);
    }
    for (size_t i = 0; i < kSide; ++i) v[i] = next[i];
    Shuffle<kRounds - 1>(v);
  }
}

template <size_t kBytes>
inline void Square(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride) {
  typedef typename WordOfBytes<kBytes>::Type Vector __attribute__((vector_size(16)));
  constexpr size_t kSide = 16 / kBytes;
  Vector v[kSide];
  for (size_t i = 0; i < kSide; ++i) std::memcpy(&v[i], from + static_cast<int64_t>(i) * from_stride, sizeof(v[i]));
  Shuffle<std::bit_width(kSide) - 1>(v);
  for (size_t i = 0; i < kSide; ++i) std::memcpy(to + static_cast<int64_t>(i) * to_stride, &v[i], sizeof(v[i]));
}

inline constexpr int64_t kLine = 64;

// Transposes a square whose side is a cache line. Each line is read at once, and written at once.
template <size_t kBytes>
inline void Lines(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride) {
  constexpr int64_t kSide = 16 / kBytes, kElements = kLine / int64_t{kBytes};
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  alignas(kLine) std::byte lines[kElements * kLine];
  for (int64_t j = 0; j < kElements; j += kSide) {
    for (int64_t i = 0; i < kElements; i += kSide)
      Square<kBytes>(lines + i * kLine + j * kStep, kLine, from + j * from_stride + i * kStep, from_stride);
  }
  for (int64_t i = 0; i < kElements; ++i) std::memcpy(to + i * to_stride, lines + i * kLine, kLine);
}

}  // namespace transpose

/// to[i * to_stride + j] = from[j * from_stride + i] for i < rows, j < columns. Strides are in bytes; elements of
/// kBytes are contiguous along the other axis. Source and target do not overlap.
template <size_t kBytes>
inline void Transpose(int64_t rows, int64_t columns, std::byte* to, int64_t to_stride, const std::byte* from,
                      int64_t from_stride) {
  constexpr int64_t kSide = 16 / kBytes;
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  if (to_stride % transpose::kSamePlaces == 0 && from_stride % transpose::kSamePlaces == 0) {
    // Lines of either side would evict each other before they are complete.
    constexpr int64_t kElements = transpose::kLine / kStep;
    const int64_t some_rows = rows / kElements * kElements, some_columns = columns / kElements * kElements;
    for (int64_t j = 0; j < some_columns; j += kElements) {
      for (int64_t i = 0; i < some_rows; i += kElements)
        transpose::Lines<kBytes>(to + i * to_stride + j * kStep, to_stride, from + j * from_stride + i * kStep,
                                 from_stride);
    }
    if (some_rows != 0 && some_columns != 0) {
      Transpose<kBytes>(some_rows, columns - some_columns, to + some_columns * kStep, to_stride,
                        from + some_columns * from_stride, from_stride);
      Transpose<kBytes>(rows - some_rows, columns, to + some_rows * to_stride, to_stride, from + some_rows * kStep,
                        from_stride);
      return;
    }
  }
  const int64_t whole_rows = rows / kSide * kSide;
  const int64_t whole_columns = columns / kSide * kSide;
  // Lines that share few sets of a first-level cache are written completely before others evict them.
  const bool far = to_stride % transpose::kSamePlaces == 0 && from_stride % transpose::kSamePlaces != 0;
  const int64_t together = far ? 4 * kSide : kSide;
  for (int64_t first = 0; first < whole_columns; first += together) {
    const int64_t end = first + together < whole_columns ? first + together : whole_columns;
    for (int64_t i = 0; i < whole_rows; i += kSide) {
      for (int64_t j = first; j < end; j += kSide) {
        transpose::Square<kBytes>(to + i * to_stride + j * kStep, to_stride, from + j * from_stride + i * kStep,
                                  from_stride);
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
      std::memcpy(to + i * to_stride + j * kStep, from + j * from_stride + i * kStep, kBytes);
  }
}

}  // namespace portacl::simd
