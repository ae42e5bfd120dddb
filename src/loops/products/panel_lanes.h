// SPDX-License-Identifier: Apache-2.0
//
// What the engine of matrix products has for each instruction set to multiply with panels. It takes one side of a
// product, the rows, by its elements along k, and the other, the columns, as the engine has packed it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops::products {

/// A panel: as many columns as `panel` says, the last ones 0 where there are fewer. Both sides are float32; steps and
/// strides are elements, a step leads from one k to the next.
struct PanelTile {
  const float* rows = nullptr;
  int64_t row_stride = 1;
  int64_t row_step = 1;
  int64_t row_count = 0;  // at most ProductLanes::rows
  const float* panel = nullptr;
  int64_t panel_step = 0;   // a panel's width where it has been packed
  float* packed = nullptr;  // where the panel is packed while it is read, by ProductLanes::rows; null: nowhere
  int64_t depth = 0;
  int64_t block = 0;       // of k, whose terms are added before their sum is added to others
  double* sums = nullptr;  // of what is multiplied before and after, [row_count][sum_stride]; null: nothing is
  int64_t sum_stride = 0;
  bool begins = true;    // nothing is multiplied before
  bool ends = true;      // nor after
  float* out = nullptr;  // [row_count][out_stride] of which a panel's width is written in the end
  int64_t out_stride = 0;
  const std::byte* ahead = nullptr;  // what is prefetched meanwhile, in runs; null: nothing
  int64_t ahead_run = 1;             // k that a run takes, whole blocks
  int64_t ahead_stride = 0;          // bytes from one run to the next
  int64_t ahead_step = 0;            // bytes of a run for each k
};

/// Sums over this many k are added in float64.
inline constexpr int64_t kSpan = 256;

/// The error of a float32 sum grows with the square root of the terms, or with the terms where they round alike: so the
/// sums of blocks of BlockOf() k are added, within a span in float32, too. It is largest where a single block is all: blocks
/// of short sums are shorter. FLOAT results, which show it, have no blocks of 128; blocks of 32 would cost another 5 % of
/// the time of 64 x 256 by 256 x 256 and 512 x 512 by 512 x 512.
inline constexpr int64_t kFloatBlock = 64;
constexpr int64_t BlockOf(int64_t depth) { return depth <= 128 ? 32 : depth < 1024 ? 64 : 128; }

/// Floats between panels: at a multiple of 4 KiB their lines would share the few places of a first-level cache.
inline constexpr int64_t kPanelGap = 16;

struct ProductLanes {
  int64_t panel;            // columns of a panel
  int64_t narrow_panel;     // of one where no more are left
  int64_t rows;             // most rows of a PanelTile
  bool has_long_registers;  // of 512 bits
  void (*multiply)(const PanelTile& tile);
  void (*multiply_narrow)(const PanelTile& tile);
  /// `count` elements of each of `depth` rows to panels of this width, kPanelGap apart; up to kPanelGap floats after the
  /// last are written.
  void (*pack)(const std::byte* from, int64_t row_stride, int64_t depth, int64_t count, int64_t panel, float* to);
  void (*round)(const double* from, int64_t count, float* to);
  /// to[i] = alpha products[i] + beta addends[i], rounded once; null: no addends. `to` may be one of the two.
  void (*combine)(const float* products, const float* addends, int64_t count, float alpha, float beta, float* to);
};

/// `columns`: the dtype of what is packed. `target` is a HWY_* bit.
ProductLanes ProductLanesOf(aclDataType columns, int64_t target);

}  // namespace portacl::loops::products
