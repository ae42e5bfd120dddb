// SPDX-License-Identifier: Apache-2.0
//
// Products of FLOAT16 with INT4 weights by instructions that add products of bytes (AVX512_VNNI). A block of a row
// becomes whole multiples of a power of two, digit by digit, which is exact; so are the sums of eight products that a
// lane has of a block, until each is rounded to float32 once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/quantized/quantized_lanes.h"

namespace portacl::loops::quantized {

/// Elements of a block: a register of weights.
inline constexpr int64_t kInt4Block = 128;

/// Elements are unit (digits[2] 256^2 + digits[1] 256 + digits[0]) + low_unit (low_digits[1] 256 + low_digits[0]), digits
/// being -128 to 127; of each those with even numbers stand before the others.
struct alignas(64) Int4Block {
  int8_t digits[3][2][kInt4Block / 2];
  int8_t low_digits[2][2][kInt4Block / 2];
  int32_t excess[kInt4Block / 8];  // what a lane's sum of digits has too much, as weights are multiplied as 0 to 15
  int32_t low_excess[kInt4Block / 8];
  float unit;
  float low_unit;  // 0: all low digits are 0
};

constexpr int64_t Int4Blocks(int64_t depth) { return (depth + kInt4Block - 1) / kInt4Block; }

/// Column i of `count` times a row is out[i]. Scales are read as they lie.
struct Int4Dot {
  QuantizedColumns columns;  // without offsets and scales
  const std::byte* scales;   // FLOAT16, those of a column contiguous
  int64_t scale_stride;      // bytes from those of a column to those of the next
  int64_t count;
  const Int4Block* x;
  double* out;
};

struct Int4Dots {
  /// Makes Int4Blocks(depth) blocks of a row; false: a block has numbers too far apart, infinities or NaN.
  bool (*make_blocks)(const float* x, int64_t depth, Int4Block* blocks);
  void (*dot)(const Int4Dot& dot);
};

/// Null: there are no such instructions, the target in use has none of their registers, or the lanes of a block do not have
/// one scale each.
const Int4Dots* Int4DotsFor(int64_t group, int64_t depth);

/// Whether Int4DotsFor() finds them where there are. Only for tests; not while another thread calls.
void AllowInt4DotsForTest(bool allow) noexcept;

}  // namespace portacl::loops::quantized
