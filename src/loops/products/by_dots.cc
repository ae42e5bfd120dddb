// SPDX-License-Identifier: Apache-2.0
//
// Products with few rows or few columns: the longer side is read once, in place.
#include <algorithm>
#include <cstddef>

#include "loops/products/product_task.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/copy_block.h"

namespace portacl::loops::products {
namespace {

int64_t PaddedDepth(const ProductPlan& plan, const DotLanes& lanes) {
  return CeilDivide(plan.depth, lanes.padding) * lanes.padding;
}

// Packs the columns of one product in the layout that `dot` needs. `floats` and `dense` have room for one column each.
void PackColumns(const ProductPlan& plan, const DotPlan& dots, const ProductPlace& batch, float* to,
                 PairColumns* of_pairs, std::byte* floats, std::byte* dense) {
  const DotLanes& lanes = dots.lanes;
  of_pairs->least = kAllZero;
  for (int64_t i = 0; i < plan.columns; ++i) {
    int64_t stride = 0;
    const float* const column = RowsAsFloats(plan.columns_of, batch.columns + i * plan.columns_of.stride, 1, plan.depth,
                                             dense, floats, &stride);
    lanes.pack_column(column, plan.depth, to + i * PaddedDepth(plan, lanes));
    if (dots.pairs == nullptr) continue;
    dots.pairs->pack_column(column, plan.depth, of_pairs->elements + i * PaddedPairs(plan.depth), &of_pairs->least);
  }
}

struct DotScratch {
  DotScratch(const ProductPlan& plan, const DotPlan& dots) {
    const DotLanes& lanes = dots.lanes;
    constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
    const bool copies_columns = !plan.columns_of.IsFloat() || plan.columns_of.k_stride != kFloat;
    const bool is_along = plan.rows_of.k_stride == plan.rows_of.bytes;
    is_across = !is_along && plan.rows_of.stride == plan.rows_of.bytes;
    const bool copies_rows = !is_along && !is_across;
    rows_at_once = std::min(plan.rows, copies_rows ? kCopiedRows : is_across ? AcrossRows(plan) : kDotRows);
    columns = layout.Add<float>(plan.columns * PaddedDepth(plan, lanes));
    pairs = layout.Add<uint16_t>(dots.pairs != nullptr ? plan.columns * PaddedPairs(plan.depth) : 0);
    floats = layout.Add<std::byte>(copies_columns ? plan.depth * kFloat : 0);
    const int64_t of_results = std::max(plan.columns, rows_at_once);
    dense = layout.Add<std::byte>(std::max(copies_columns ? plan.depth : 0, of_results) * kFloat);
    row_block = layout.Add<std::byte>(copies_rows ? rows_at_once * plan.depth * plan.rows_of.bytes : 0);
    out = layout.Add<float>(rows_at_once * plan.columns);
    addend = layout.Add<float>(of_results);
    across = layout.Add<float>(is_across ? lanes.AcrossFloats(rows_at_once, plan.columns) : 0);
  }
  static constexpr int64_t kCopiedRows = 16;
  bool is_across;
  int64_t rows_at_once;
  ScratchLayout layout;
  ScratchPart<float> columns, out, addend, across;
  ScratchPart<uint16_t> pairs;
  ScratchPart<std::byte> floats, dense, row_block;
};

// Computes the chunks [first, end) of rows.
void RunDots(const ProductTask& task, const DotPlan& dots, int64_t first, int64_t end, std::byte* scratch,
             const DotScratch& places) {
  const ProductPlan& plan = task.plan;
  const DotLanes& lanes = dots.lanes;
  float *const columns = places.columns.In(scratch), *const out = places.out.In(scratch);
  PairColumns pairs = {places.pairs.In(scratch), kAllZero};
  int64_t packed = -1;  // number of the product whose columns are packed
  for (int64_t chunk = first; chunk < end; ++chunk) {
    const int64_t number = chunk / plan.row_tiles;
    const ProductPlace batch(task, number);
    if (number != packed)
      PackColumns(plan, dots, batch, columns, &pairs, places.floats.In(scratch), places.dense.In(scratch));
    packed = number;
    int64_t row = chunk % plan.row_tiles * plan.tile_rows;
    const int64_t end_row = std::min(row + plan.tile_rows, plan.rows);
    for (; row < end_row; row += places.rows_at_once) {
      const int64_t rows = std::min(places.rows_at_once, end_row - row);
      const ProductFactor& factor = plan.rows_of;
      DotTile tile{.rows = batch.rows + row * factor.stride,
                   .row_stride = factor.stride,
                   .row_count = rows,
                   .columns = columns,
                   .column_count = plan.columns,
                   .depth = plan.depth,
                   .out = out,
                   .out_row = dots.is_transposed ? 1 : plan.columns,
                   .out_column = dots.is_transposed ? rows : 1,
                   .scratch = places.across.In(scratch)};
      if (places.is_across) {
        tile.row_stride = factor.k_stride;
      } else if (factor.k_stride != factor.bytes) {
        std::byte* const copied = places.row_block.In(scratch);
        CopyBlock(factor.bytes, rows, plan.depth,
                  StridedBlock(batch.rows + row * factor.stride, factor.stride, factor.k_stride),
                  StridedBlock(copied, plan.depth * factor.bytes, factor.bytes));
        tile.rows = copied;
        tile.row_stride = plan.depth * factor.bytes;
      }
      if (places.is_across) {
        lanes.dot_across(tile);
      } else if (dots.pairs != nullptr) {
        dots.pairs->dot(tile, pairs, lanes);
      } else {
        lanes.dot(tile);
      }
      std::byte* const dense = places.dense.In(scratch);
      float* const addend = places.addend.In(scratch);
      dots.is_transposed ? StoreProducts(plan, batch, 0, row, plan.columns, rows, out, rows, dense, addend)
                         : StoreProducts(plan, batch, row, 0, rows, plan.columns, out, plan.columns, dense, addend);
    }
  }
}

}  // namespace

void RunProducts(const ProductTask& task, const DotPlan& dots) {
  const DotScratch places(task.plan, dots);
  RunChunks(task.plan.ChunksOf(task.plan.chunks, places.layout.bytes()),
            [&](int64_t first, int64_t end, std::byte* scratch) { RunDots(task, dots, first, end, scratch, places); });
}

}  // namespace portacl::loops::products
