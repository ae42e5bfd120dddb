// SPDX-License-Identifier: Apache-2.0
//
// The lane code for products with quantised weights, for each instruction set. Weights are contiguous along k, in steps
// of kQuantizedStep. INT4 weights are unpacked to even and odd ones. So in each step of the other factor, and of the
// results of `widen`, elements at even positions come before those at odd positions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::loops::quantized {

inline constexpr int64_t kMostQuantizedRows = 4;
/// Elements of a column that are summed in float32 for few rows, or converted to float32 at a time for many.
inline constexpr int64_t kQuantizedBlock = 1024;

/// Columns of weights with their scales and, if there are any, offsets.
struct QuantizedColumns {
  const std::byte* weights;
  int64_t stride;        // bytes from one column to the next
  const float* scales;   // [columns][groups]
  const float* offsets;  // [columns][groups], or null
  int64_t groups;
  int64_t group;  // elements that share a scale
  int64_t depth;  // elements of a column
};

/// out[i * count + j] = row i of x times column j.
struct QuantizedDot {
  QuantizedColumns columns;
  int64_t count;
  const float* x;    // rows, padded with 0 from depth to a whole step
  int64_t x_stride;  // in elements
  double* out;
  int64_t prefetch_bytes;  // prefetch distance of the weights
};

struct QuantizedLanes {
  /// dot[i] is the function for i + 1 rows.
  void (*dot[kMostQuantizedRows])(const QuantizedDot& dot);
  /// Stores the elements [first, first + count) of a column as float32, and 0 beyond depth. `first` and `count` are
  /// multiples of a step.
  void (*widen)(const QuantizedColumns& columns, int64_t column, int64_t first, int64_t count, float* to);
};

/// `target` is a HWY_* bit.
QuantizedLanes QuantizedLanesOf(bool is_int4, bool has_offsets, int64_t target);

}  // namespace portacl::loops::quantized
