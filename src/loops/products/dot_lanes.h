// SPDX-License-Identifier: Apache-2.0
//
// Products with few columns: each row, or weight, is read once and multiplied with all columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops::products {

inline constexpr int64_t kMostDotColumns = 8;

/// Each lane adds this many products, and this many such sums are added, before float64 is used. The error of a result
/// is at most one rounding for each of these additions, and for those of the lanes.
inline constexpr int64_t kDotProducts = 32;
inline constexpr int64_t kDotSums = 16;

struct DotTile {
  const std::byte* rows;  // in place, or copied
  int64_t row_stride;     // bytes from one row to the next; for dot_across, from one k to the next
  int64_t row_count;
  const float* columns;  // packed by pack_column, one after the other
  int64_t column_count;  // at most kMostDotColumns
  int64_t depth;
  float* out;
  int64_t out_row;     // floats from one row's result to the next
  int64_t out_column;  // floats from one column's result to the next
  float* scratch;      // for dot_across; DotLanes::AcrossFloats() floats
};

/// Gap between rows of sums, so that they are not a multiple of 4 KiB apart: a load would wait for a store to the other
/// row.
inline constexpr int64_t kAcrossPadding = 16;

struct DotLanes {
  /// For rows that are contiguous along k, and for rows that are contiguous across k. Both give the same bits.
  void (*dot)(const DotTile& tile);
  void (*dot_across)(const DotTile& tile);
  /// Reorders a float32 column for `dot`, padded to a multiple of `padding`.
  void (*pack_column)(const float* from, int64_t depth, float* to);
  int64_t padding;
  int64_t lanes;

  /// Number of floats in `DotTile::scratch` for dot_across.
  int64_t AcrossFloats(int64_t row_count, int64_t columns) const {
    const int64_t width = (row_count + padding - 1) / padding * padding;
    return 2 * columns * lanes * (width + kAcrossPadding) + 2 * row_count * columns;
  }
};

/// The lanes for rows of this dtype. `target` is a HWY_* bit.
DotLanes DotLanesOf(aclDataType rows, int64_t target);

}  // namespace portacl::loops::products
