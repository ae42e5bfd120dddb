// SPDX-License-Identifier: Apache-2.0
//
// Products of bfloat16 by dedicated instructions of some processors. Both sides are packed into blocks, padded with
// zeros. The instructions flush subnormal inputs and results to 0; so packing also finds the smallest magnitudes, which
// tell where this may matter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bfloat16_unit.h"

namespace portacl::loops::products {

/// A group has kGroup rows, or columns, of one side. Its blocks, each of kBlockDepth k, are contiguous.
inline constexpr int64_t kGroup = 16;
inline constexpr int64_t kBlockDepth = 32;
inline constexpr int64_t kBlockElements = kGroup * kBlockDepth;

/// Elements from one group of `blocks` to the next: an odd number of cache lines.
constexpr int64_t GroupStride(int64_t blocks) { return blocks * kBlockElements + kBlockDepth; }

/// In place of the bits of the smallest nonzero magnitude, minus 1: all elements are 0.
inline constexpr uint16_t kAllZero = 0xFFFF;

/// `count` rows or columns of a side, with `depth` elements each.
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
  uint16_t* min_magnitudes;  // per group; lowered to the bits of its smallest nonzero magnitude, minus 1
};

/// Runs of equal length, which make up the elements of a row along k.
struct BlockRuns {
  const int64_t* begin;  // bytes from the place of the row
  int64_t count;
  int64_t length;  // elements
};

/// Multiplies one or two groups of each side. Strides are in elements. Rows may be packed or in their original place.
struct BlockProduct {
  const uint16_t* rows;
  const uint16_t* columns;
  int64_t row_stride;        // from one row of a group to the next
  int64_t row_block_stride;  // from one block to the next
  int64_t row_group_stride;
  int64_t column_group_stride;
  int64_t row_groups;
  int64_t column_groups;
  int64_t blocks;  // number of blocks along k
  float* out;      // results, whole groups
  int64_t out_stride;
  bool adds;                         // to `out`; otherwise stores there
  bool adds_blocks;                  // one block at a time, because FLOAT results would show the error of longer sums
  uint16_t* min_magnitudes;          // per group of rows, lowered as in BlockTarget; null: already done
  const std::byte* ahead = nullptr;  // `ahead_bytes` to prefetch while multiplying; null: none
  int64_t ahead_bytes = 0;
  std::byte* narrow = nullptr;  // whole groups go here, rounded as by BlockLanes::narrow; null: to `out`
  int64_t narrow_stride = 0;    // in bytes
};

struct BlockLanes {
  /// Packs rows that are contiguous along k.
  void (*pack_rows)(const BlockSource& source, const BlockTarget& target);
  /// Copies a row in one piece, with zeros in up to kBlockDepth elements after the last; lowers the minimum, as in
  /// BlockTarget.
  void (*copy_runs)(const std::byte* from, const BlockRuns& runs, uint16_t* to, uint16_t* min_magnitude);
  /// Packs columns that are contiguous along k, or contiguous across columns.
  void (*pack_columns_along)(const BlockSource& source, const BlockTarget& target);
  void (*pack_columns_across)(const BlockSource& source, const BlockTarget& target);
  /// Called before and after calls of `multiply`, in the same thread.
  void (*begin)();
  void (*multiply)(const BlockProduct& product);
  void (*end)();
  /// Rounds `rows` rows of `count` float32 to bfloat16, to nearest even, at any address. There are no subnormal values.
  /// The strides from row to row are in floats and in bytes.
  void (*narrow)(const float* from, int64_t from_stride, int64_t rows, int64_t count, std::byte* to, int64_t to_stride);
  bool multiply_narrows;  // `multiply` supports BlockProduct::narrow
  bool has_tiles;
  int64_t most_dot_columns;  // up to this many columns, dot products are faster
};

/// Sets up the state of the unit, such as AMX tiles, while a thread multiplies.
struct BlockSession {
  explicit BlockSession(const BlockLanes& of) : lanes(of) { lanes.begin(); }
  ~BlockSession() { lanes.end(); }
  BlockSession(const BlockSession&) = delete;
  BlockSession& operator=(const BlockSession&) = delete;
  const BlockLanes& lanes;
};

/// Null if there are no such instructions.
const BlockLanes* BlockLanesOf(Bfloat16Unit unit);

/// Whether neither the elements of the two groups nor their products and sums can be subnormal. All of these are
/// multiples of 2^-14 times the smallest power of two of each side; that must be a normal float32.
inline bool HaveNormalProducts(uint16_t least_row, uint16_t least_column) {
  constexpr int kSmallest = 2 * 127 + 14 - 126;
  const int row = (least_row + 1) >> 7, column = (least_column + 1) >> 7;  // biased exponents
  return row > 0 && column > 0 && row + column >= kSmallest;
}

}  // namespace portacl::loops::products
