// SPDX-License-Identifier: Apache-2.0
//
// The plan that phase 1 of a matrix product leaves for its run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "exec/plan.h"
#include "loops/elements/conversion.h"
#include "loops/products/bfloat16_blocks.h"
#include "loops/products/bfloat16_dots.h"
#include "loops/products/dot_lanes.h"
#include "loops/products/panel_lanes.h"
#include "loops/tiles/chunks.h"
#include "tensor/view.h"

namespace portacl::loops::products {

// One side, the rows, is read along k in place; the other, the columns, is packed. If the rows are the second factor,
// the transposed product is computed.

// Rows a multiple of this many bytes apart share a set of the first-level cache.
inline constexpr int64_t kSamePlaces = 4096;

// Columns of a tile, and its rows before they are halved.
inline constexpr int64_t kTileColumns = 128;
inline constexpr int64_t kWideTileColumns = 256;
inline constexpr int64_t kNarrowTileColumns = 64;
inline constexpr int64_t kWidestTileColumns = 512;
inline constexpr int64_t kFewRows = 64;
inline constexpr int64_t kTileRows = 560;

// A tile packs several spans of its columns at a time, as many as fit a second-level cache, so that memory is read in
// long runs.
inline constexpr int64_t kPackedElements = 1 << 17;
inline constexpr int64_t kPackedDepth = 1024;
inline constexpr int64_t kTransposedDepth = 64;  // k that are transposed at a time, in the first-level cache
inline constexpr int64_t kFewestTileRows = 28;

// bfloat16 in blocks. The smaller side stays in the cache while the other one streams by. A tile packs as much of that
// other side as the second-level cache holds, in long runs. kMultipliedDepth k are multiplied at a time, so that two
// groups of a side stay in the first-level cache. The terms of a span are summed in float32; tile instructions add 16
// terms of even k, then 16 of odd k, one after the other. Spans are shorter for FLOAT results, which show the error.
inline constexpr int64_t kMostKept = 512;
inline constexpr int64_t kKeptBytes = 768 << 10;  // up to this size, tiles of the other side need not be wide
inline constexpr int64_t kPackedBytes = 512 << 10;
inline constexpr int64_t kBlockResults = 1 << 16;
inline constexpr int64_t kBlockTile = 256;
inline constexpr int64_t kWideBlockTile = 512;
inline constexpr int64_t kNarrowBlockTile = 64;
inline constexpr int64_t kMultipliedDepth = 512;
inline constexpr int64_t kBlockSpan = 4096;
inline constexpr int64_t kFloatBlockSpan = kMultipliedDepth;
inline constexpr double kBlockTileProducts = 1 << 26;

// If several tiles share columns of at most this many bytes, these are packed once, before all tiles.
inline constexpr int64_t kMostPackedBytes = 64 << 20;

inline constexpr int64_t kTileProducts = 1 << 23;
inline constexpr int64_t kChunksWanted = 16;

// Elements of the rows in a chunk of dot products, and the number of rows whose results are buffered before they are
// stored.
inline constexpr int64_t kDotElements = 1 << 17;
inline constexpr int64_t kDotRows = 64;

// Less work than this is not worth another thread.
inline constexpr double kOneThreadNs = 25'000;

struct ProductFactor {
  int operand = 0;
  int64_t offset = 0;    // bytes from element 0 of the operand to that of its part
  int64_t bytes = 0;     // per element
  int64_t stride = 0;    // bytes from one row, or one column, to the next
  int64_t k_stride = 0;  // bytes from one k to the next
  int64_t summed = 0;
  int64_t batch[kMaxRank] = {};
  const Conversion* conversion = nullptr;  // to float32
  bool IsFloat() const { return conversion->steps == 0; }
  bool LiesAlong() const { return IsFloat() && k_stride == bytes; }
  bool LiesAcross() const { return IsFloat() && stride == bytes; }
};

struct ProductResult {
  int operand = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  int64_t batch[kMaxRank] = {};
  const Conversion* conversion = nullptr;  // from float32; for the addend, to float32
};

/// Dot products, for few rows or columns.
struct DotPlan {
  DotLanes lanes;
  bool is_transposed;     // results are stored by columns, with row and column strides exchanged
  const PairDots* pairs;  // for rows that are contiguous along k, or copied; null: lanes multiply all
};

/// Panels of columns and register tiles of sums, in float32 whatever the dtypes of the operands.
struct PanelPlan {
  int64_t block = 1;  // number of k, see BlockOf
  int64_t panel = 0;
  int64_t packed_depth = 1;
  int64_t packed_batches = 0;  // batches whose columns are packed before all tiles; 0: each tile packs its own

  int64_t Padded(int64_t columns) const { return CeilDivide(columns, panel) * panel; }
  // Floats from one row of a tile to the next. It is no multiple of a power of two: reading the tile by columns, to
  // store transposed results, would use few cache sets.
  int64_t TileStride(int64_t columns) const { return Padded(columns) + kPanelGap; }
  // Floats that a tile of this width packs before k, for one of `sums`.
  int64_t FloatsBefore(int64_t k, int64_t columns) const {
    return CeilDivide(columns, panel) * (k * panel + CeilDivide(k, packed_depth) * kPanelGap);
  }
};

/// Blocks of bfloat16, by dedicated instructions.
struct BlockPlan {
  const BlockLanes* lanes;
  PanelPlan panels;           // for values too small for the instructions; packed_depth holds for blocks too
  int64_t span = kBlockSpan;  // number of k whose terms are summed in float32
  bool narrows = false;       // results are bfloat16, unscaled, in contiguous rows
  int64_t packed_rows = 0;    // batches whose rows are packed before all tiles
  int64_t packed_columns = 0;
};

struct ProductPlan {
  std::variant<DotPlan, PanelPlan, BlockPlan> way;
  ProductLanes lanes = {};
  ProductFactor rows_of;
  ProductFactor columns_of;
  ProductResult out;
  ProductResult addend;
  float alpha = 1;
  float beta = 0;
  bool is_scaled = false;
  bool is_serial = false;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  int64_t sums = 1;  // number of matrix products that are summed to one result
  int64_t tile_rows = 1;
  int64_t tile_columns = 1;
  int64_t row_tiles = 1;
  int64_t column_tiles = 1;
  int64_t chunks = 1;
  int batch_rank = 0;
  int64_t batch_shape[kMaxRank] = {};

  Chunks ChunksOf(int64_t count, int64_t scratch_bytes) const { return {count, is_serial, scratch_bytes}; }
  // Whether results are contiguous float32 rows that need no scaling.
  bool HasPlainResult() const {
    return !is_scaled && out.conversion->steps == 0 && out.column_stride == static_cast<int64_t>(sizeof(float));
  }
  // Whether whole panels are read in place (and packed along the way); whether rows are read in place, either
  // contiguous across rows, each k in a line of its own, or contiguous along k.
  bool ReadsPanels() const { return columns_of.LiesAcross(); }
  bool ReadsNeighbours() const { return rows_of.LiesAcross() && rows_of.k_stride % (kSamePlaces / 4) != 0; }
  bool ReadsRows() const { return rows_of.LiesAlong() && rows_of.stride % kSamePlaces != 0; }
  int64_t DepthParts(int64_t packed_depth) const { return CeilDivide(depth, packed_depth); }
  int64_t PackedFloats(const PanelPlan& panels) const { return panels.FloatsBefore(depth, tile_columns); }
  int64_t BlocksAlong() const { return CeilDivide(depth, kBlockDepth); }
  bool HasOneSpan(const BlockPlan& blocks) const { return sums == 1 && depth <= blocks.span; }
  // Whether a pair of groups is multiplied at once, over all k, so that its results are final.
  bool NarrowsAtOnce(const BlockPlan& blocks) const { return blocks.narrows && sums == 1 && depth <= kMultipliedDepth; }
  bool HasOneBlock() const { return sums == 1 && depth <= kSpan && depth != 0; }
};
static_assert(std::is_trivially_copyable_v<ProductPlan>);

/// Rows per tile that are contiguous across rows, for few columns: memory is read in long runs, and the sums of all
/// lanes stay in the second-level cache.
inline int64_t AcrossRows(const ProductPlan& plan) { return plan.columns <= 2 ? 1024 : plan.columns <= 4 ? 512 : 128; }

int32_t RunProduct(const exec::RunContext& context);

}  // namespace portacl::loops::products
