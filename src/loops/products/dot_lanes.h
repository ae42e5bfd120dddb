// SPDX-License-Identifier: Apache-2.0
//
// Products of few columns: each row, or weight, is read once and multiplied with all of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops::products {

inline constexpr int64_t kMostDotColumns = 8;

struct DotTile {
  const std::byte* rows;  // as they lie
  int64_t row_stride;     // bytes from one row to the next; of dot_across from one k to the next
  int64_t row_count;
  const float* columns;  // as pack_column left them, one after the other
  int64_t column_count;  // at most kMostDotColumns
  int64_t depth;
  float* out;
  int64_t out_row;     // floats from one row's result to the next
  int64_t out_column;  // and from one column's
  float* scratch;      // of dot_across: DotLanes::AcrossFloats
};

/// Between rows of sums, which must not lie a multiple of 4 KiB apart: a load would wait for the store to the other.
inline constexpr int64_t kAcrossPadding = 16;

struct DotLanes {
  /// Rows that are contiguous along k, or whose neighbours are those of other rows. Both give the same bits.
  void (*dot)(const DotTile& tile);
  void (*dot_across)(const DotTile& tile);
  /// float32 to the order in which `dot` takes them, up to a multiple of `padding`.
  void (*pack_column)(const float* from, int64_t depth, float* to);
  int64_t padding;
  int64_t lanes;

  /// Scratch of `dot_across`.
  int64_t AcrossFloats(int64_t row_count, int64_t columns) const {
    const int64_t width = (row_count + padding - 1) / padding * padding;
    return 2 * columns * lanes * (width + kAcrossPadding) + 2 * row_count * columns;
  }
};

/// For rows of this dtype. `target` is a HWY_* bit.
DotLanes DotLanesOf(aclDataType rows, int64_t target);

}  // namespace portacl::loops::products
