// SPDX-License-Identifier: Apache-2.0
//
// What the engine of products with quantised weights has for each instruction set. Weights follow each other along k,
// in steps of kQuantizedStep. Those of INT4 are taken apart as even and odd ones: in each step of the other factor, and
// of what Widen makes, the elements with even numbers stand before the others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::loops::quantized {

inline constexpr int64_t kMostQuantizedRows = 4;
/// Elements of a column that are added in float32 where few rows are multiplied, and become float32 at a time else.
inline constexpr int64_t kQuantizedBlock = 1024;

/// Columns of weights with their scales, and offsets where there are any.
struct QuantizedColumns {
  const std::byte* weights;
  int64_t stride;        // bytes from a column to the next
  const float* scales;   // [columns][groups]
  const float* offsets;  // the same, or null
  int64_t groups;
  int64_t group;  // elements that share a scale
  int64_t depth;  // elements of a column
};

/// Row i of x times column j is out[i * count + j].
struct QuantizedDot {
  QuantizedColumns columns;
  int64_t count;
  const float* x;    // rows, 0 from depth up to a whole step
  int64_t x_stride;  // elements
  double* out;
  int64_t prefetch_bytes;  // how far ahead of them weights are prefetched
};

struct QuantizedLanes {
  /// The function for 1 to kMostQuantizedRows rows.
  void (*dot[kMostQuantizedRows])(const QuantizedDot& dot);
  /// Elements [first, first + count) of a column as float32, `first` and `count` being whole steps; 0 beyond depth.
  void (*widen)(const QuantizedColumns& columns, int64_t column, int64_t first, int64_t count, float* to);
};

/// `target` is a HWY_* bit.
QuantizedLanes QuantizedLanesOf(bool is_int4, bool has_offsets, int64_t target);

}  // namespace portacl::loops::quantized
