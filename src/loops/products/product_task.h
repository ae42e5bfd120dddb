// SPDX-License-Identifier: Apache-2.0
//
// Definitions shared by the parts of a matrix product's run.
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

/// The tile of a chunk. Tiles are numbered along columns first, then along rows.
inline ProductPart PartOfChunk(const ProductPlan& plan, int64_t chunk) {
  const int64_t row = chunk / plan.column_tiles % plan.row_tiles * plan.tile_rows;
  const int64_t column = chunk % plan.column_tiles * plan.tile_columns;
  return {row, column, std::min(plan.tile_rows, plan.rows - row), std::min(plan.tile_columns, plan.columns - column)};
}

// A tile of sums: added in float64, then rounded to float32, or, if `sums` is null, added in float32. The first
// `result_columns` columns of float32 go to `results` instead of `floats`.
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

/// Multiplies a tile by panels. `packed` has the columns of all tiles, or is null.
void MultiplyPanels(const ProductTask& task, const PanelPlan& panels, const float* packed, int64_t number,
                    const ProductPart& where, const SumTile& tile, std::byte* scratch, const PanelScratch& places);

/// The rows that a product reads next, after the rows of a tile up to `end` with `depth` elements from k on. These are
/// the other rows of the tile, its first rows at the next k, or the rows of the next tile. Null if there are none, or
/// if rows are not contiguous along k.
const std::byte* RowsAfter(const ProductPlan& plan, const std::byte* rows, const ProductPart& tile, int64_t end,
                           int64_t k, int64_t depth);

/// `rows` rows at `from`, with `count` elements each along k, as float32; in place if they need no copy.
const float* RowsAsFloats(const ProductFactor& factor, std::byte* from, int64_t rows, int64_t count, std::byte* dense,
                          std::byte* to, int64_t* stride);

/// The three algorithms.
void RunProducts(const ProductTask& task, const DotPlan& dots);
void RunProducts(const ProductTask& task, const PanelPlan& panels);
void RunProducts(const ProductTask& task, const BlockPlan& blocks);

/// Scales `rows` x `columns` floats, adds the addend, rounds and stores. `dense` and `addends` have room for a row
/// each.
void StoreProducts(const ProductPlan& plan, const ProductPlace& batch, int64_t row, int64_t column, int64_t rows,
                   int64_t columns, float* tile, int64_t stride, std::byte* dense, float* addends);

}  // namespace portacl::loops::products
