// SPDX-License-Identifier: Apache-2.0
//
// The lane code that multiplies panels, for each instruction set. One side of a product, the rows, is read element by
// element along k; the other, the columns, has been packed by the engine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops::products {

/// A tile of rows times a panel of `panel` columns, padded with 0. Both sides are float32. Steps and strides are in
/// elements; a step leads from one k to the next.
struct PanelTile {
  const float* rows = nullptr;
  int64_t row_stride = 1;
  int64_t row_step = 1;
  int64_t row_count = 0;  // at most ProductLanes::rows
  const float* panel = nullptr;
  int64_t panel_step = 0;   // the width of a panel, if it is packed
  float* packed = nullptr;  // if not null, a tile of ProductLanes::rows rows packs the panel to here
  int64_t depth = 0;
  int64_t block = 0;       // number of k whose terms are summed before their sum is added to others
  double* sums = nullptr;  // sums before and after this tile, [row_count][sum_stride]; null: there are none
  int64_t sum_stride = 0;
  bool begins = true;    // nothing was multiplied before
  bool ends = true;      // nothing will be multiplied after
  float* out = nullptr;  // [row_count][out_stride]; at the end, one panel's width is written
  int64_t out_stride = 0;
  const std::byte* ahead = nullptr;  // memory to prefetch, in runs; null: none
  int64_t ahead_run = 1;             // number of k per run, whole blocks
  int64_t ahead_stride = 0;          // bytes from one run to the next
  int64_t ahead_step = 0;            // bytes of a run per k
};

/// Sums over spans of this many k are added in float64.
inline constexpr int64_t kSpan = 256;

/// The error of a float32 sum grows with the square root of the number of terms, or with their number if all are
/// rounded the same way. So within a span, the sums of blocks of BlockOf() k are added in float32, too. The error is
/// largest where a single block is all, so short sums have shorter blocks. FLOAT results show the error, so they have
/// no blocks of 128; blocks of 32 would take another 5 % of time with m, k, n = 64, 256, 256 and 512, 512, 512.
inline constexpr int64_t kFloatBlock = 64;
constexpr int64_t BlockOf(int64_t depth) { return depth <= 128 ? 32 : depth < 1024 ? 64 : 128; }

/// Floats between panels. Panels a multiple of 4 KiB apart would share few lines of a first-level cache.
inline constexpr int64_t kPanelGap = 16;

struct ProductLanes {
  int64_t panel;            // columns of a panel
  int64_t narrow_panel;     // columns of the last panel where no more are left
  int64_t rows;             // most rows of a PanelTile
  bool has_long_registers;  // of 512 bits
  void (*multiply)(const PanelTile& tile);
  void (*multiply_narrow)(const PanelTile& tile);
  /// Packs `count` elements of each of `depth` rows into panels of this width, kPanelGap apart. Writes up to kPanelGap
  /// floats after the last panel.
  void (*pack)(const std::byte* from, int64_t row_stride, int64_t depth, int64_t count, int64_t panel, float* to);
  void (*round)(const double* from, int64_t count, float* to);
  /// to[i] = alpha products[i] + beta addends[i], rounded once. `addends` may be null; `to` may be one of the inputs.
  void (*combine)(const float* products, const float* addends, int64_t count, float alpha, float beta, float* to);
};

/// `columns` is the dtype of the packed side. `target` is a HWY_* bit.
ProductLanes ProductLanesOf(aclDataType columns, int64_t target);

}  // namespace portacl::loops::products
