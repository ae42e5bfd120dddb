// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a matrix product's run share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "loops/product_plan.h"
#include "loops/tile.h"

namespace portacl::loops {

struct ProductTask {
  const ProductPlan& plan;
  std::byte* rows;
  std::byte* columns;
  std::byte* out;
  std::byte* addend;
  float* packed = nullptr;  // the columns of all tiles
  std::atomic<bool> out_of_memory{false};

  // Those of a tile, which are added in the order of `summed`.
  float* PackedColumns(int64_t batch, int64_t column_tile, int64_t summed) const {
    const int64_t of_batch = plan.packed_batches == 1 ? 0 : batch;
    return packed + ((of_batch * plan.column_tiles + column_tile) * plan.sums + summed) * plan.PackedFloats();
  }
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

/// Scales, adds what is to be added, rounds and stores `rows` x `columns` floats. `dense`, `addends`: room for a row.
void StoreProducts(const ProductPlan& plan, const ProductPlace& batch, int64_t row, int64_t column, int64_t rows,
                   int64_t columns, float* tile, int64_t stride, std::byte* dense, float* addends);

}  // namespace portacl::loops
