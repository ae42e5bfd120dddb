// SPDX-License-Identifier: Apache-2.0
//
// Products by panels: float32 on both sides, whatever the operands are.
#include <algorithm>
#include <cstddef>

#include "loops/pack.h"
#include "loops/product_task.h"
#include "loops/scratch.h"

namespace portacl::loops {
namespace {

// Rows a multiple of so many bytes apart share the few places that a first-level cache has for one of their lines.
constexpr int64_t kSamePlaces = 4096;

// Floats from one row to the next where rows are copied: an odd number of lines.
constexpr int64_t CopiedStride(int64_t count) {
  constexpr auto kFloats = kLineBytes / static_cast<int64_t>(sizeof(float));
  return (CeilDivide(count, kFloats) | 1) * kFloats;
}

// Panels of columns, `depth` elements of each.
void PackPanels(const ProductPlan& plan, std::byte* from, int64_t depth, int64_t columns, std::byte* dense, float* to) {
  const ProductFactor& factor = plan.columns_of;
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  if (factor.across == factor.bytes || columns == 1)
    return plan.lanes.pack(from, factor.along, depth, columns, plan.panel, to);
  for (; columns > 0; columns -= plan.panel, from += plan.panel * factor.across) {
    const int64_t count = std::min(columns, plan.panel);
    if (factor.IsFloat() && count < plan.panel) std::fill(to, to + depth * plan.panel, 0.0F);
    for (int64_t k = 0; k < depth; k += kTurnedDepth, to += kTurnedDepth * plan.panel) {
      const int64_t turned = std::min(kTurnedDepth, depth - k);
      const TileOperand source = StridedBlock(from + k * factor.along, factor.along, factor.across);
      if (factor.IsFloat()) {
        CopyBlock(kFloat, turned, count, source,
                  StridedBlock(reinterpret_cast<std::byte*>(to), plan.panel * kFloat, kFloat));
      } else {
        CopyBlock(factor.bytes, turned, count, source, StridedBlock(dense, count * factor.bytes, factor.bytes));
        plan.lanes.pack(dense, count * factor.bytes, turned, count, plan.panel, to);
      }
    }
    to -= CeilDivide(depth, kTurnedDepth) * kTurnedDepth * plan.panel - depth * plan.panel - kPanelGap;
  }
}

}  // namespace

PanelScratch::PanelScratch(const ProductPlan& plan) {
  const int64_t columns = plan.PaddedColumns(), floats = sizeof(float);
  const int64_t rows = plan.lanes.rows, depth = plan.packed_depth;
  panels = plan.packed_batches > 0 ? 0 : Place((depth * columns + columns / plan.panel * kPanelGap) * floats);
  row_block = Place(rows * CopiedStride(depth) * floats);
  dense = Place(std::max({rows * depth, depth * plan.panel, columns}) * floats);
  tile = Place(plan.tile_rows * columns * floats);
  sums = plan.HasOneBlock() ? 0 : Place(plan.tile_rows * columns * static_cast<int64_t>(sizeof(double)));
  addend = plan.beta == 0 ? 0 : Place(columns * floats);
}

const float* RowsAsFloats(const ProductFactor& factor, std::byte* from, int64_t rows, int64_t count, std::byte* dense,
                          std::byte* to, int64_t* stride) {
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  const bool runs_on = factor.along == factor.bytes || count == 1;
  if (factor.IsFloat() && runs_on && factor.across % kFloat == 0 && (rows == 1 || factor.across % kSamePlaces != 0)) {
    *stride = factor.across / kFloat;
    return reinterpret_cast<const float*>(from);
  }
  *stride = CopiedStride(count);
  const int64_t row_bytes = *stride * kFloat;
  if (factor.IsFloat()) {
    CopyBlock(kFloat, rows, count, StridedBlock(from, factor.across, factor.along),
              StridedBlock(to, row_bytes, kFloat));
  } else if (runs_on) {
    for (int64_t row = 0; row < rows; ++row)
      factor.conversion->step[0](from + row * factor.across, to + row * row_bytes, count);
  } else {
    CopyBlock(factor.bytes, rows, count, StridedBlock(from, factor.across, factor.along),
              StridedBlock(dense, count * factor.bytes, factor.bytes));
    for (int64_t row = 0; row < rows; ++row)
      factor.conversion->step[0](dense + row * count * factor.bytes, to + row * row_bytes, count);
  }
  return reinterpret_cast<const float*>(to);
}

void RunPanelPacking(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<ProductTask*>(argument);
  const ProductPlan& plan = task.plan;
  const ProductFactor& factor = plan.columns_of;
  const auto run = [&](void* dense) {
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t k = chunk % plan.DepthBlocks() * plan.packed_depth, tile = chunk / plan.DepthBlocks();
      const int64_t summed = tile % plan.sums, column_tile = tile / plan.sums % plan.column_tiles;
      const int64_t number = tile / plan.sums / plan.column_tiles, column = column_tile * plan.tile_columns;
      const int64_t columns = std::min(plan.tile_columns, plan.columns - column);
      std::byte* const from = ProductPlace(task, number).columns + summed * factor.summed;
      PackPanels(plan, from + k * factor.along + column * factor.across, std::min(plan.packed_depth, plan.depth - k),
                 columns, static_cast<std::byte*>(dense),
                 task.PackedColumns(number, column_tile, summed) + plan.PackedFloatsBefore(k, columns));
    }
  };
  const int64_t dense_bytes = plan.packed_depth * plan.panel * static_cast<int64_t>(sizeof(float));
  if (!WithScratch(dense_bytes, run)) task.out_of_memory.store(true, std::memory_order_relaxed);
}

void MultiplyPanels(const ProductTask& task, int64_t number, const ProductPart& where, const SumTile& tile,
                    std::byte* scratch, const PanelScratch& places) {
  const ProductPlan& plan = task.plan;
  const ProductPlace batch(task, number);
  const auto [row, column, rows, columns] = where;
  const int64_t panels = CeilDivide(columns, plan.panel);
  const ProductFactor &of_rows = plan.rows_of, &of_columns = plan.columns_of;
  std::byte* const dense = scratch + places.dense;
  if (tile.sums != nullptr) std::fill(tile.sums, tile.sums + rows * tile.stride, 0.0);
  PanelTile part{.rows = nullptr,
                 .row_stride = 0,
                 .row_count = 0,
                 .panel = nullptr,
                 .depth = 0,
                 .block = plan.block,
                 .out = nullptr,
                 .sums = nullptr,
                 .out_stride = tile.stride};
  const auto multiply = plan.panel == plan.lanes.panel ? plan.lanes.multiply : plan.lanes.multiply_narrow;
  for (int64_t summed = 0; summed < plan.sums; ++summed) {
    for (int64_t k = 0; k < plan.depth; k += plan.packed_depth) {
      const int64_t depth = std::min(plan.packed_depth, plan.depth - k);
      const float* panel = nullptr;
      if (task.packed != nullptr) {
        panel = task.PackedColumns(number, column / plan.tile_columns, summed) + plan.PackedFloatsBefore(k, columns);
      } else {
        auto* const own = reinterpret_cast<float*>(scratch + places.panels);
        PackPanels(plan, batch.columns + summed * of_columns.summed + k * of_columns.along + column * of_columns.across,
                   depth, columns, dense, own);
        panel = own;
      }
      for (int64_t i = 0; i < rows; i += plan.lanes.rows) {
        part.row_count = std::min(plan.lanes.rows, rows - i);
        std::byte* const from = batch.rows + summed * of_rows.summed + k * of_rows.along + (row + i) * of_rows.across;
        const float* const elements =
            RowsAsFloats(of_rows, from, part.row_count, depth, dense, scratch + places.row_block, &part.row_stride);
        for (int64_t j = 0; j < panels; ++j) {
          part.out = tile.floats + i * tile.stride + j * plan.panel;
          part.sums = tile.sums == nullptr ? nullptr : tile.sums + i * tile.stride + j * plan.panel;
          for (int64_t done = 0; done < depth; done += kSpan) {
            part.depth = std::min(kSpan, depth - done);
            part.rows = elements + done;
            part.panel = panel + j * (depth * plan.panel + kPanelGap) + done * plan.panel;
            multiply(part);
          }
        }
      }
    }
  }
}

namespace {

// The results of one tile of a product of the batch.
void RunPanelTile(const ProductTask& task, int64_t number, const ProductPart& where, std::byte* scratch,
                  const PanelScratch& places) {
  const ProductPlan& plan = task.plan;
  const ProductPlace batch(task, number);
  const auto [row, column, rows, columns] = where;
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  // Whole panels of results that are final go where they belong.
  const bool is_direct = plan.HasOneBlock() && plan.HasPlainResult() && columns % plan.panel == 0;
  auto* const tile = reinterpret_cast<float*>(is_direct ? batch.out + row * plan.out.row_stride + column * kFloat
                                                        : scratch + places.tile);
  const int64_t stride = is_direct ? plan.out.row_stride / kFloat : CeilDivide(columns, plan.panel) * plan.panel;
  auto* const sums = plan.HasOneBlock() ? nullptr : reinterpret_cast<double*>(scratch + places.sums);
  MultiplyPanels(task, number, where, {tile, sums, stride}, scratch, places);
  const bool is_stored = sums != nullptr && plan.HasPlainResult();
  for (int64_t i = 0; sums != nullptr && i < rows; ++i) {
    auto* const results =
        reinterpret_cast<float*>(batch.out + (row + i) * plan.out.row_stride + column * plan.out.column_stride);
    plan.lanes.round(sums + i * stride, columns, is_stored ? results : tile + i * stride);
  }
  if (is_stored || is_direct) return;
  StoreProducts(plan, batch, row, column, rows, columns, tile, stride, scratch + places.dense,
                reinterpret_cast<float*>(scratch + places.addend));
}

}  // namespace

void RunPanelTiles(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<ProductTask*>(argument);
  const ProductPlan& plan = task.plan;
  const PanelScratch places(plan);
  const auto run = [&](void* scratch) {
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t number = chunk / plan.column_tiles / plan.row_tiles;
      RunPanelTile(task, number, PartOfChunk(plan, chunk), static_cast<std::byte*>(scratch), places);
    }
  };
  if (!WithScratch(places.bytes, run)) task.out_of_memory.store(true, std::memory_order_relaxed);
}

}  // namespace portacl::loops
