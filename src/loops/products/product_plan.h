// SPDX-License-Identifier: Apache-2.0
//
// What phase 1 of a matrix product leaves for its run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "exec/plan.h"
#include "loops/elements/conversion.h"
#include "loops/products/bfloat16_blocks.h"
#include "loops/products/dot_lanes.h"
#include "loops/products/panel_lanes.h"
#include "loops/tiles/chunks.h"
#include "tensor/view.h"

namespace portacl::loops::products {

// One side, the rows, is taken by its elements along k as they lie, the other, the columns, is packed. Where the second
// factor is the rows, the product is that of the transposes.

// Rows a multiple of this many bytes apart share one set of the first-level cache.
inline constexpr int64_t kSamePlaces = 4096;

// A tile's columns, and its rows before they are halved.
inline constexpr int64_t kTileColumns = 128;
inline constexpr int64_t kWideTileColumns = 256;
inline constexpr int64_t kNarrowTileColumns = 64;
inline constexpr int64_t kWidestTileColumns = 512;
inline constexpr int64_t kFewRows = 64;
inline constexpr int64_t kTileRows = 560;

// A tile packs several spans of its columns at a time, as many as fit a second-level cache, so that long runs of memory
// are read.
inline constexpr int64_t kPackedElements = 1 << 17;
inline constexpr int64_t kPackedDepth = 1024;
inline constexpr int64_t kTransposedDepth = 64;  // of columns that are transposed: they stay in the first-level cache
inline constexpr int64_t kFewestTileRows = 28;

// bfloat16 in blocks. The smaller side is kept while the other one streams by; a tile packs as much of that one as the
// second-level cache holds, in long runs. kMultipliedDepth k are multiplied at a time: two groups of a side then stay
// in the first-level cache. Sums of a span's terms are float32: of tiles 16 of even k, 16 of odd k, and one after the
// other. It is shorter for FLOAT results, as these show their errors.
inline constexpr int64_t kMostKept = 512;
inline constexpr int64_t kKeptBytes = 768 << 10;  // up to this no tile of the other side needs to be wide
inline constexpr int64_t kPackedBytes = 512 << 10;
inline constexpr int64_t kBlockResults = 1 << 16;
inline constexpr int64_t kBlockTile = 256;
inline constexpr int64_t kWideBlockTile = 512;
inline constexpr int64_t kNarrowBlockTile = 64;
inline constexpr int64_t kMultipliedDepth = 512;
inline constexpr int64_t kBlockSpan = 4096;
inline constexpr int64_t kFloatBlockSpan = kMultipliedDepth;
inline constexpr double kBlockTileProducts = 1 << 26;

// Where several tiles have the same columns these are packed once, before all tiles, if they are no more than this.
inline constexpr int64_t kMostPackedBytes = 64 << 20;

inline constexpr int64_t kTileProducts = 1 << 23;
inline constexpr int64_t kChunksWanted = 16;

// Elements of the rows for a chunk of dot products, and rows whose results are kept before they are stored.
inline constexpr int64_t kDotElements = 1 << 17;
inline constexpr int64_t kDotRows = 64;

// Work that is not worth another thread.
inline constexpr double kOneThreadNs = 25'000;

struct ProductFactor {
  int operand = 0;
  int64_t offset = 0;    // bytes from the operand's element 0 to that of its part
  int64_t bytes = 0;     // of an element
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
  const Conversion* conversion = nullptr;  // from float32; of the addend to it
};

/// Few rows or columns: dot products.
struct DotPlan {
  DotLanes lanes;
  bool is_transposed;  // results are stored by columns, and their strides are exchanged
};

/// Sums of a register tile, columns in panels: float32, whatever the operands are.
struct PanelPlan {
  int64_t block = 1;  // of k, see BlockOf
  int64_t panel = 0;
  int64_t packed_depth = 1;
  int64_t packed_batches = 0;  // whose columns are packed before all tiles; 0: each tile packs its own

  int64_t Padded(int64_t columns) const { return CeilDivide(columns, panel) * panel; }
  // Floats from one row of a tile to the next: no multiple of a power of two, by which transposed results would be
  // stored line by line.
  int64_t TileStride(int64_t columns) const { return Padded(columns) + kPanelGap; }
  // Packed floats of a tile of this width, in one of `sums`: those before k.
  int64_t FloatsBefore(int64_t k, int64_t columns) const {
    return CeilDivide(columns, panel) * (k * panel + CeilDivide(k, packed_depth) * kPanelGap);
  }
};

/// Blocks of bfloat16, by instructions for them.
struct BlockPlan {
  const BlockLanes* lanes;
  PanelPlan panels;           // for what is too small for these; its packed_depth is also that of blocks
  int64_t span = kBlockSpan;  // of k, whose sums are float32
  bool narrows = false;       // results are bfloat16 as they come, in rows
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
  int64_t sums = 1;  // products of matrices that make one result
  int64_t tile_rows = 1;
  int64_t tile_columns = 1;
  int64_t row_tiles = 1;
  int64_t column_tiles = 1;
  int64_t chunks = 1;
  int batch_rank = 0;
  int64_t batch_shape[kMaxRank] = {};

  Chunks ChunksOf(int64_t count, int64_t scratch_bytes) const { return {count, is_serial, scratch_bytes}; }
  // Rows of float32 that nothing is done to.
  bool HasPlainResult() const {
    return !is_scaled && out.conversion->steps == 0 && out.column_stride == static_cast<int64_t>(sizeof(float));
  }
  // Whether whole panels are read where they are, and are packed by the way; whether rows are read where they are, be
  // they neighbours, of which each k has a line of its own, or be the elements of each neighbours.
  bool ReadsPanels() const { return columns_of.LiesAcross(); }
  bool ReadsNeighbours() const { return rows_of.LiesAcross() && rows_of.k_stride % (kSamePlaces / 4) != 0; }
  bool ReadsRows() const { return rows_of.LiesAlong() && rows_of.stride % kSamePlaces != 0; }
  int64_t DepthParts(int64_t packed_depth) const { return CeilDivide(depth, packed_depth); }
  int64_t PackedFloats(const PanelPlan& panels) const { return panels.FloatsBefore(depth, tile_columns); }
  int64_t BlocksAlong() const { return CeilDivide(depth, kBlockDepth); }
  bool HasOneSpan(const BlockPlan& blocks) const { return sums == 1 && depth <= blocks.span; }
  // Whether a pair of groups is multiplied as a whole, and its results are final.
  bool NarrowsAtOnce(const BlockPlan& blocks) const { return blocks.narrows && sums == 1 && depth <= kMultipliedDepth; }
  bool HasOneBlock() const { return sums == 1 && depth <= kSpan && depth != 0; }
};
static_assert(std::is_trivially_copyable_v<ProductPlan>);

/// Rows whose neighbours are those of other rows, for few columns: long runs of memory are read, and the sums, for each
/// lane, stay in the second-level cache.
inline int64_t AcrossRows(const ProductPlan& plan) { return plan.columns <= 2 ? 1024 : plan.columns <= 4 ? 512 : 128; }

int32_t RunProduct(const exec::RunContext& context);

}  // namespace portacl::loops::products
