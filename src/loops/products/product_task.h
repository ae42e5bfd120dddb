// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a matrix product's run share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "loops/products/product_plan.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/scratch.h"
#include "loops/tiles/tile.h"

namespace portacl::loops::products {

struct ProductTask {
  const ProductPlan& plan;
  std::byte* rows;
  std::byte* columns;
  std::byte* out;
  std::byte* addend;
};

// The operands of one product of the batch.
struct ProductPlace {
  ProductPlace(const ProductTask& task, int64_t number)
      : rows(task.rows), columns(task.columns), out(task.out), addend(task.addend) {
    const ProductPlan& plan = task.plan;
    for (int axis = plan.batch_rank; axis-- > 0; number /= plan.batch_shape[axis]) {
      const int64_t at = number % plan.batch_shape[axis];
      rows += at * plan.rows_of.batch[axis];
      columns += at * plan.columns_of.batch[axis];
      out += at * plan.out.batch[axis];
      if (addend != nullptr) addend += at * plan.addend.batch[axis];
    }
  }
  std::byte* rows;
  std::byte* columns;
  std::byte* out;
  std::byte* addend;
};

inline TileOperand StridedBlock(std::byte* base, int64_t row_stride, int64_t column_stride) {
  return {base, row_stride, column_stride};
}

// A rectangle of results.
struct ProductPart {
  int64_t row, column, rows, columns;
};

/// Tiles follow each other along columns, then along rows.
inline ProductPart PartOfChunk(const ProductPlan& plan, int64_t chunk) {
  const int64_t row = chunk / plan.column_tiles % plan.row_tiles * plan.tile_rows;
  const int64_t column = chunk % plan.column_tiles * plan.tile_columns;
  return {row, column, std::min(plan.tile_rows, plan.rows - row), std::min(plan.tile_columns, plan.columns - column)};
}

// Where sums are added: in float64 before they are float32, or, where `sums` is null, in float32. The first
// `result_columns` of these are elsewhere.
struct SumTile {
  float* floats;
  double* sums;
  int64_t stride;
  float* results = nullptr;
  int64_t result_stride = 0;
  int64_t result_columns = 0;
};

struct PanelScratch {
  PanelScratch(const ProductPlan& plan, const PanelPlan& panels);
  ScratchLayout layout;
  ScratchPart<float> panels, row_block, tile, addend;
  ScratchPart<std::byte> dense;
  ScratchPart<double> sums;
};

/// The products of a tile, by panels. `packed`: the columns of all tiles, or null.
void MultiplyPanels(const ProductTask& task, const PanelPlan& panels, const float* packed, int64_t number,
                    const ProductPart& where, const SumTile& tile, std::byte* scratch, const PanelScratch& places);

/// In one product, the rows that are taken after those of a tile that end before `end` and have `depth` elements from k
/// on: the tile's others, its first ones of the next k, or those of the next tile. Null: there are none, or a run of
/// memory is not one of them.
const std::byte* RowsAfter(const ProductPlan& plan, const std::byte* rows, const ProductPart& tile, int64_t end,
                           int64_t k, int64_t depth);

/// `count` elements along k of `rows` rows from `from` on, as float32; where they are, if they need no copy.
const float* RowsAsFloats(const ProductFactor& factor, std::byte* from, int64_t rows, int64_t count, std::byte* dense,
                          std::byte* to, int64_t* stride);

/// The three ways.
void RunProducts(const ProductTask& task, const DotPlan& dots);
void RunProducts(const ProductTask& task, const PanelPlan& panels);
void RunProducts(const ProductTask& task, const BlockPlan& blocks);

/// Scales, adds what is to be added, rounds and stores `rows` x `columns` floats. `dense`, `addends`: room for a row.
void StoreProducts(const ProductPlan& plan, const ProductPlace& batch, int64_t row, int64_t column, int64_t rows,
                   int64_t columns, float* tile, int64_t stride, std::byte* dense, float* addends);

}  // namespace portacl::loops::products
