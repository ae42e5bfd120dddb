// SPDX-License-Identifier: Apache-2.0
//
// What lane code is called with: a rectangle of elements of every operand. All engines (elementwise; later rows and
// ragged batches) use the same rectangle, so that lane code knows nothing of shapes, broadcasting or threads.
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
  bool past_cache;  // the outputs are too large to be found in the cache later: store around it

  template <class T>
  T* Row(int index, int64_t row) const {
    return reinterpret_cast<T*>(operand[index].base + row * operand[index].row_stride);
  }
};

/// The engines promise rows, columns >= 1 and column_stride == element size for every operand, or 0 for inputs that the
/// kernel says it takes so, or nothing of strides where it takes any; an output may be exactly one of the inputs.
using LaneFunction = void (*)(const Tile& tile);

}  // namespace portacl::loops
