// SPDX-License-Identifier: Apache-2.0
//
// Products of bfloat16 by the instructions that some processors have for them. Both sides are packed into blocks; zeros
// fill what is missing at the ends. The instructions take subnormal numbers for 0, and make none, so that packing says
// how small the numbers are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bfloat16_unit.h"

namespace portacl::loops::products {

/// A group: kGroup rows, or columns, of one side. Its blocks, of kBlockDepth k, follow each other.
inline constexpr int64_t kGroup = 16;
inline constexpr int64_t kBlockDepth = 32;
inline constexpr int64_t kBlockElements = kGroup * kBlockDepth;

/// Elements from one group of `blocks` to the next: an odd number of cache lines.
constexpr int64_t GroupStride(int64_t blocks) { return blocks * kBlockElements + kBlockDepth; }

/// The bits of the smallest nonzero magnitude minus 1, where all numbers are 0.
inline constexpr uint16_t kAllZero = 0xFFFF;

/// `count` rows or columns of a side, `depth` elements of each.
struct BlockSource {
  const std::byte* from;
  int64_t stride;    // bytes from one row, or column, to the next
  int64_t k_stride;  // bytes from one k to the next
  int64_t count;
  int64_t depth;
};

struct BlockTarget {
  uint16_t* blocks;
  int64_t group_stride;      // elements from one group to the next
  uint16_t* min_magnitudes;  // of each group: lowered to the bits of its smallest nonzero magnitude, minus 1
};

/// One or two groups of either side. Strides are elements. Rows may be where they lie, or packed.
struct BlockProduct {
  const uint16_t* rows;
  const uint16_t* columns;
  int64_t row_stride;        // from one row of a group to the next
  int64_t row_block_stride;  // from one block to the next
  int64_t row_group_stride;
  int64_t column_group_stride;
  int64_t row_groups;
  int64_t column_groups;
  int64_t blocks;  // along k
  float* out;      // of whole groups
  int64_t out_stride;
  bool adds;                         // to `out`
  bool adds_blocks;                  // one by one, as results of FLOAT show the error of longer sums
  uint16_t* min_magnitudes;          // of each group of rows: lowered as in BlockTarget; null: that is done
  const std::byte* ahead = nullptr;  // `ahead_bytes` to prefetch meanwhile; null: none
  int64_t ahead_bytes = 0;
  std::byte* narrow = nullptr;  // where the results of whole groups go, as by BlockLanes::narrow; null: to `out`
  int64_t narrow_stride = 0;    // bytes
};

struct BlockLanes {
  /// Rows whose elements along k are neighbours.
  void (*pack_rows)(const BlockSource& source, const BlockTarget& target);
  /// Columns whose neighbours are elements along k, or elements of other columns.
  void (*pack_columns_along)(const BlockSource& source, const BlockTarget& target);
  void (*pack_columns_across)(const BlockSource& source, const BlockTarget& target);
  /// Around calls of `multiply`, in the same thread.
  void (*begin)();
  void (*multiply)(const BlockProduct& product);
  void (*end)();
  /// `rows` of `count` float32 to bfloat16, rounded to nearest even, at any address. No subnormal numbers. Strides lead to
  /// the next row: floats, bytes.
  void (*narrow)(const float* from, int64_t from_stride, int64_t rows, int64_t count, std::byte* to, int64_t to_stride);
  bool multiply_narrows;  // BlockProduct::narrow is of use
  bool has_tiles;
  int64_t most_dot_columns;  // up to this many are multiplied faster by the lanes of dot products
};

/// Null: there are no such instructions.
const BlockLanes* BlockLanesOf(Bfloat16Unit unit);

/// Whether no subnormal number is among those that the two groups have, or can come of their products and sums. All
/// these are multiples of 2^-14 times the smallest power of two on either side, which is to be a normal float32.
inline bool HaveNormalProducts(uint16_t least_row, uint16_t least_column) {
  constexpr int kSmallest = 2 * 127 + 14 - 126;
  const int row = (least_row + 1) >> 7, column = (least_column + 1) >> 7;  // exponents with their bias
  return row > 0 && column > 0 && row + column >= kSmallest;
}

}  // namespace portacl::loops::products
