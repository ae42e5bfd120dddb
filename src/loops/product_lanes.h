// SPDX-License-Identifier: Apache-2.0
//
// What the engine of matrix products has for each instruction set. Both ways take one side of a product, the rows, by
// its elements along k, and the other, the columns, as the engine has packed it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops {

/// Few columns, and rows as they lie.
struct DotTile {
  const std::byte* rows;
  int64_t row_stride;  // bytes from one row to the next; of dot_across from one k to the next
  int64_t row_count;
  const float* columns;  // as PackColumn left them, one after the other
  int64_t column_count;  // at most kMostDotColumns
  int64_t depth;
  float* out;      // [row_count][column_count]
  float* scratch;  // of dot_across: ProductLanes::AcrossFloats
};
inline constexpr int64_t kMostDotColumns = 4;

/// A panel: as many columns as `panel` says, the last ones 0 where there are fewer; [depth][panel]. Rows are float32.
struct PanelTile {
  const float* rows;
  int64_t row_stride;  // elements
  int64_t row_count;   // at most Lanes::rows
  const float* panel;
  int64_t depth;
  int64_t block;  // of k, whose terms are added before their sum is added to others
  float* out;     // [row_count][out_stride] of which a panel's width is written
  double* sums;   // the same, to which is added instead; null: out is written
  int64_t out_stride;
};

/// Between rows of sums, which must not lie a multiple of 4 KiB apart: a load would wait for the store to the other.
inline constexpr int64_t kAcrossPadding = 16;

struct ProductLanes {
  int64_t panel;           // columns of a panel
  int64_t narrow_panel;    // of one where no more are left
  int64_t rows;            // most rows of a PanelTile
  int64_t column_padding;  // PackColumn rounds the depth up to a multiple of it
  void (*multiply)(const PanelTile& tile);
  void (*multiply_narrow)(const PanelTile& tile);
  /// `count` elements of each of `depth` rows to panels of such a width, one after the other.
  void (*pack)(const std::byte* from, int64_t row_stride, int64_t depth, int64_t count, int64_t panel, float* to);
  void (*round)(const double* from, int64_t count, float* to);
  /// Dot products with rows that are contiguous along k, or whose neighbours are those of other rows.
  void (*dot)(const DotTile& tile);
  void (*dot_across)(const DotTile& tile);
  int64_t across_sums;
  /// float32 to the order in which `dot` takes them.
  void (*pack_column)(const float* from, int64_t depth, float* to);

  /// Scratch of `dot_across`.
  int64_t AcrossFloats(int64_t row_count, int64_t columns) const {
    const int64_t width = (row_count + column_padding - 1) / column_padding * column_padding;
    return 2 * columns * across_sums * (width + kAcrossPadding) + 2 * row_count * columns;
  }
};

/// `rows`: the dtype of the rows of `dot`. `columns`: that of what is packed into panels.
ProductLanes ProductLanesOf(aclDataType rows, aclDataType columns, int64_t target);

}  // namespace portacl::loops
