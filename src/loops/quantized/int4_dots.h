// SPDX-License-Identifier: Apache-2.0
//
// Products of FLOAT16 with INT4 weights by instructions that sum products of bytes (AVX512_VNNI). The elements of a
// row's block become integer multiples of a power of two, stored as digits, which is exact. The sums of the eight
// products per lane and block are exact, too, until each is rounded to float32 once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/quantized/quantized_lanes.h"

namespace portacl::loops::quantized {

/// Elements of a block: as many weights as a register holds.
inline constexpr int64_t kInt4Block = 128;

/// An element is unit (digits[2] 256^2 + digits[1] 256 + digits[0]) + low_unit (low_digits[1] 256 + low_digits[0]).
/// Digits are -128 to 127. In each array, elements at even positions come before those at odd positions.
struct alignas(64) Int4Block {
  int8_t digits[3][2][kInt4Block / 2];
  int8_t low_digits[2][2][kInt4Block / 2];
  int32_t excess[kInt4Block / 8];  // to subtract: 8 times a lane's values, as weights are multiplied as 0 to 15
  int32_t low_excess[kInt4Block / 8];
  float unit;
  float low_unit;  // 0: all low digits are 0
};

constexpr int64_t Int4Blocks(int64_t depth) { return (depth + kInt4Block - 1) / kInt4Block; }

/// out[i] = column i of `count` columns times a row. Scales are read in place.
struct Int4Dot {
  QuantizedColumns columns;  // without offsets and scales
  const std::byte* scales;   // FLOAT16, contiguous within a column
  int64_t scale_stride;      // bytes from the scales of one column to those of the next
  int64_t count;
  const Int4Block* x;
  double* out;
};

struct Int4Dots {
  /// Makes Int4Blocks(depth) blocks of a row. Returns false if a block has an infinity, a NaN, or values too far apart.
  bool (*make_blocks)(const float* x, int64_t depth, Int4Block* blocks);
  void (*dot)(const Int4Dot& dot);
};

/// Null if there are no such instructions, if the target in use has smaller registers, or if a lane of a block would
/// need more than one scale.
const Int4Dots* Int4DotsFor(int64_t group, int64_t depth);

/// Whether Int4DotsFor() may return non-null. Only for tests, and not while another thread calls it.
void AllowInt4DotsForTest(bool allow) noexcept;

}  // namespace portacl::loops::quantized
