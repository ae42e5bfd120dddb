// SPDX-License-Identifier: Apache-2.0
//
// Turns a block of 2- or 4-byte elements: squares of 16 bytes a side through registers, what is left over one by one.
// Compiler vectors of 16 bytes, which every target has: turning is shuffling, and wider registers gain little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace portacl::simd {

namespace transpose {

using Words4 = uint32_t __attribute__((vector_size(16)));
using Words8 = uint16_t __attribute__((vector_size(16)));

template <class Vector>
inline Vector Load(const std::byte* from) {
  Vector v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}

inline void Square4(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride) {
  const auto a = Load<Words4>(from);
  const auto b = Load<Words4>(from + from_stride);
  const auto c = Load<Words4>(from + 2 * from_stride);
  const auto d = Load<Words4>(from + 3 * from_stride);
  const Words4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Words4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Words4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Words4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Words4 out[4] = {
      __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
      __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * to_stride, &out[i], sizeof(out[i]));
}

inline void Square8(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride) {
  Words8 v[8];
  for (int i = 0; i < 8; ++i) v[i] = Load<Words8>(from + i * from_stride);
  // Three times each register meets the one four further on: the perfect shuffle that turns a square.
  for (int round = 0; round < 3; ++round) {
    Words8 next[8];
    for (int i = 0; i < 4; ++i) {
      next[2 * i] = __builtin_shufflevector(v[i], v[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * i + 1] = __builtin_shufflevector(v[i], v[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    std::memcpy(v, next, sizeof(v));
  }
  for (int i = 0; i < 8; ++i) std::memcpy(to + i * to_stride, &v[i], sizeof(v[i]));
}

}  // namespace transpose

/// to[i * to_stride + j] = from[j * from_stride + i] for i < rows, j < columns; strides in bytes, elements of kBytes
/// next to each other along the other axis. The two do not overlap.
template <size_t kBytes>
inline void Transpose(int64_t rows, int64_t columns, std::byte* to, int64_t to_stride, const std::byte* from,
                      int64_t from_stride) {
  static_assert(kBytes == 2 || kBytes == 4);
  constexpr int64_t kSide = 16 / kBytes;
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  const int64_t whole_rows = rows / kSide * kSide;
  const int64_t whole_columns = columns / kSide * kSide;
  for (int64_t j = 0; j < whole_columns; j += kSide) {
    for (int64_t i = 0; i < whole_rows; i += kSide) {
      std::byte* const square = to + i * to_stride + j * kStep;
      const std::byte* const source = from + j * from_stride + i * kStep;
      if constexpr (kBytes == 4) {
        transpose::Square4(square, to_stride, source, from_stride);
      } else {
        transpose::Square8(square, to_stride, source, from_stride);
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
      std::memcpy(to + i * to_stride + j * kStep, from + j * from_stride + i * kStep, kBytes);
  }
}

}  // namespace portacl::simd
