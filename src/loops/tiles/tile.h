// SPDX-License-Identifier: Apache-2.0
//
// The argument of lane code: a rectangle of elements of every operand. Lane code does not know of shapes, broadcasting
// or threads. The engines of products, convolutions, windows and reductions along axes have rectangles of their own.
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
  bool is_large = false;  // the operands exceed the caches: loads may prefetch
  bool non_temporal;      // also, no output is in place of an input: stores may be non-temporal

  template <class T>
  T* Row(int index, int64_t row) const {
    return reinterpret_cast<T*>(operand[index].base + row * operand[index].row_stride);
  }
};

/// The engines guarantee rows, columns >= 1. The column stride is the element size, or 0 for inputs in the kernel's
/// `repeated`, or arbitrary with `any_strides`. An output may be exactly one of the inputs.
using LaneFunction = void (*)(const Tile& tile);

}  // namespace portacl::loops
