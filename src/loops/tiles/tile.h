// SPDX-License-Identifier: Apache-2.0
//
// What lane code is called with: a rectangle of elements of every operand; it knows nothing of shapes, broadcasting or
// threads. The engines of products, convolutions, windows and reductions along axes have rectangles of their own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::loops {

inline constexpr int kMaxTileOperands = 8;

/// Element (r, c) lies at base + r * row_stride + c * column_stride, in bytes. Row stride 0 repeats a row.
struct TileOperand {
  std::byte* base;
  int64_t row_stride;
  int64_t column_stride;
};

struct Tile {
  int64_t rows;
  int64_t columns;
  TileOperand operand[kMaxTileOperands];  // inputs, then outputs, in the order the engine was given them
  const void* parameters;
  void* scratch;
  bool is_large = false;  // the operands are more than the caches hold: loads may prefetch
  bool non_temporal;      // and no output takes an input's place: stores may be non-temporal

  template <class T>
  T* Row(int index, int64_t row) const {
    return reinterpret_cast<T*>(operand[index].base + row * operand[index].row_stride);
  }
};

/// The engines promise rows, columns >= 1. The column stride is the element size; 0 only for inputs in the kernel's
/// `repeated`; arbitrary if `any_strides`. An output may be exactly one of the inputs.
using LaneFunction = void (*)(const Tile& tile);

}  // namespace portacl::loops
