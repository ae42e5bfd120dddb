// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "loops/products/product_task.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/scratch.h"
#include "runtime/contexts/submit.h"
#include "runtime/parallel/parallel.h"

namespace portacl::loops::products {
namespace {

int64_t PaddedDepth(const ProductPlan& plan) { return CeilDivide(plan.depth, plan.dots.padding) * plan.dots.padding; }

// The columns of one product as `dot` takes them. `floats`, `dense`: room for one of them each.
void PackColumns(const ProductPlan& plan, const ProductPlace& batch, float* to, std::byte* floats, std::byte* dense) {
  for (int64_t i = 0; i < plan.columns; ++i) {
    int64_t stride = 0;
    const float* const column = RowsAsFloats(plan.columns_of, batch.columns + i * plan.columns_of.across, 1, plan.depth,
                                             dense, floats, &stride);
    plan.dots.pack_column(column, plan.depth, to + i * PaddedDepth(plan));
  }
}

struct DotScratch {
  explicit DotScratch(const ProductPlan& plan) {
    const auto place = [&](int64_t size) {
      const int64_t at = bytes;
      bytes += CeilDivide(size, kLineBytes) * kLineBytes;
      return at;
    };
    constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
    const bool copies_columns = !plan.columns_of.IsFloat() || plan.columns_of.along != kFloat;
    const bool is_along = plan.rows_of.along == plan.rows_of.bytes;
    is_across = !is_along && plan.rows_of.across == plan.rows_of.bytes;
    const bool copies_rows = !is_along && !is_across;
    rows_at_once = std::min(plan.rows, copies_rows ? kCopiedRows : is_across ? AcrossRows(plan) : kDotRows);
    columns = place(plan.columns * PaddedDepth(plan) * kFloat);
    floats = place(copies_columns ? plan.depth * kFloat : 0);
    const int64_t of_results = std::max(plan.columns, rows_at_once) * kFloat;
    dense = place(std::max(copies_columns ? plan.depth * kFloat : 0, of_results));
    row_block = place(copies_rows ? rows_at_once * plan.depth * plan.rows_of.bytes : 0);
    out = place(rows_at_once * plan.columns * kFloat);
    addend = place(of_results);
    across = place(is_across ? plan.dots.AcrossFloats(rows_at_once, plan.columns) * kFloat : 0);
  }
  static constexpr int64_t kCopiedRows = 16;
  bool is_across;
  int64_t rows_at_once;
  int64_t bytes = 0;
  int64_t columns, floats, dense, row_block, out, addend, across;
};

// Chunks [first, end) of rows, for few columns.
void RunDots(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<ProductTask*>(argument);
  const ProductPlan& plan = task.plan;
  const DotScratch places(plan);
  const auto run = [&](void* memory) {
    auto* const scratch = static_cast<std::byte*>(memory);
    auto* const columns = reinterpret_cast<float*>(scratch + places.columns);
    auto* const out = reinterpret_cast<float*>(scratch + places.out);
    int64_t packed = -1;  // of which product the columns are
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t number = chunk / plan.row_tiles;
      const ProductPlace batch(task, number);
      if (number != packed) PackColumns(plan, batch, columns, scratch + places.floats, scratch + places.dense);
      packed = number;
      int64_t row = chunk % plan.row_tiles * plan.tile_rows;
      const int64_t end_row = std::min(row + plan.tile_rows, plan.rows);
      for (; row < end_row; row += places.rows_at_once) {
        const int64_t rows = std::min(places.rows_at_once, end_row - row);
        const ProductFactor& factor = plan.rows_of;
        DotTile tile{.rows = batch.rows + row * factor.across,
                     .row_stride = factor.across,
                     .row_count = rows,
                     .columns = columns,
                     .column_count = plan.columns,
                     .depth = plan.depth,
                     .out = out,
                     .out_row = plan.is_turned ? 1 : plan.columns,
                     .out_column = plan.is_turned ? rows : 1,
                     .scratch = reinterpret_cast<float*>(scratch + places.across)};
        if (places.is_across) {
          tile.row_stride = factor.along;
        } else if (factor.along != factor.bytes) {
          std::byte* const copied = scratch + places.row_block;
          CopyBlock(factor.bytes, rows, plan.depth,
                    StridedBlock(batch.rows + row * factor.across, factor.across, factor.along),
                    StridedBlock(copied, plan.depth * factor.bytes, factor.bytes));
          tile.rows = copied;
          tile.row_stride = plan.depth * factor.bytes;
        }
        places.is_across ? plan.dots.dot_across(tile) : plan.dots.dot(tile);
        std::byte* const dense = scratch + places.dense;
        auto* const addend = reinterpret_cast<float*>(scratch + places.addend);
        plan.is_turned ? StoreProducts(plan, batch, 0, row, plan.columns, rows, out, rows, dense, addend)
                       : StoreProducts(plan, batch, row, 0, rows, plan.columns, out, plan.columns, dense, addend);
      }
    }
  };
  if (!WithScratch(places.bytes, run)) task.out_of_memory.store(true, std::memory_order_relaxed);
}

int64_t BlockPackingChunks(const ProductPlan& plan, int64_t batches, int64_t count) {
  return batches * plan.sums * CeilDivide(count, kBlockTile) * plan.DepthBlocks();
}

// What is packed before all tiles.
class PackedMemory {
 public:
  explicit PackedMemory(ProductTask* task) {
    const ProductPlan& plan = task->plan;
    const int64_t panels =
        plan.packed_batches == 0 ? 0 : plan.packed_batches * plan.column_tiles * plan.sums * plan.PackedFloats();
    ScratchPlaces places;
    const int64_t at = places.Place(panels * static_cast<int64_t>(sizeof(float)));
    const auto side = [&](int64_t batches, int64_t count) {
      constexpr auto kElement = static_cast<int64_t>(sizeof(uint16_t));
      const int64_t groups = batches * plan.sums * CeilDivide(count, kGroup);
      const int64_t blocks = places.Place(groups * GroupStride(plan.BlocksAlong()) * kElement);
      return std::pair(blocks, places.Place(groups * plan.DepthBlocks() * kElement));
    };
    const auto rows = side(plan.packed_rows, plan.rows), columns = side(plan.packed_columns, plan.columns);
    if (places.bytes == 0) return;
    memory_ = static_cast<std::byte*>(contexts::AllocateScratch(static_cast<size_t>(places.bytes)));
    if (memory_ == nullptr) throw std::bad_alloc();
    const auto elements = [&](int64_t place) { return reinterpret_cast<uint16_t*>(memory_ + place); };
    if (panels > 0) task->packed = reinterpret_cast<float*>(memory_ + at);
    task->packed_rows = {elements(rows.first), elements(rows.second)};
    task->packed_columns = {elements(columns.first), elements(columns.second)};
  }
  ~PackedMemory() { contexts::FreeScratch(memory_); }
  PackedMemory(const PackedMemory&) = delete;
  PackedMemory& operator=(const PackedMemory&) = delete;

 private:
  std::byte* memory_ = nullptr;
};

}  // namespace

int32_t RunProduct(const exec::RunContext& context) {
  const auto& plan = context.Parameters<ProductPlan>();
  const auto address = [&](const auto& operand) {
    std::byte* const base = context.Address(operand.operand);
    return base == nullptr ? nullptr : base + operand.offset;
  };
  ProductTask task{.plan = plan,
                   .rows = address(plan.rows_of),
                   .columns = address(plan.columns_of),
                   .out = address(plan.out),
                   .addend = plan.beta == 0 ? nullptr : address(plan.addend)};
  const auto run = [&](int64_t chunks, void (*body)(void*, int64_t, int64_t)) {
    if (chunks == 1 || plan.is_serial) {
      body(&task, 0, chunks);
    } else {
      parallel::ForRuns(chunks, body, &task);
    }
  };
  const PackedMemory memory(&task);
  if (plan.packed_batches > 0)
    run(plan.packed_batches * plan.column_tiles * plan.sums * plan.DepthBlocks(), RunPanelPacking);
  if (plan.packed_rows > 0) run(BlockPackingChunks(plan, plan.packed_rows, plan.rows), RunRowBlockPacking);
  if (plan.packed_columns > 0) run(BlockPackingChunks(plan, plan.packed_columns, plan.columns), RunColumnBlockPacking);
  run(plan.chunks, plan.is_dot ? RunDots : plan.blocks != nullptr ? RunBlockTiles : RunPanelTiles);
  if (task.out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
  return 0;
}

}  // namespace portacl::loops::products
