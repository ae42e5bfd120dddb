// SPDX-License-Identifier: Apache-2.0
//
// Products by panels: float32 on both sides, whatever the operands are.
#include <algorithm>
#include <cstddef>

#include "loops/products/product_task.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::products {
namespace {

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
  row_block = Place((rows * CopiedStride(depth) + kPanelGap) * floats);
  dense = Place(std::max({rows * depth, depth * plan.panel, columns}) * floats);
  const int64_t results = plan.tile_rows * plan.TileStride(plan.tile_columns);
  tile = Place(results * floats);
  sums = plan.HasOneBlock() ? 0 : Place(results * static_cast<int64_t>(sizeof(double)));
  addend = plan.beta == 0 ? 0 : Place(columns * floats);
}

const std::byte* RowsAfter(const ProductPlan& plan, const std::byte* rows, const ProductPart& tile, int64_t end,
                           int64_t k, int64_t depth) {
  const ProductFactor& factor = plan.rows_of;
  if (factor.along != factor.bytes) return nullptr;
  int64_t row = tile.row + end;
  if (end == tile.rows) {
    k = k + depth < plan.depth ? k + depth : 0;
    if (k > 0) row = tile.row;
  }
  return row < plan.rows ? rows + row * factor.across + k * factor.along : nullptr;
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
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  // Rows that are neighbours for each k are taken so, and read where they are if that can be, as whole panels are.
  const bool reads_neighbours = plan.ReadsNeighbours();
  const bool packs_neighbours =
      !reads_neighbours && of_rows.across == of_rows.bytes && of_rows.conversion == of_columns.conversion;
  const int64_t read_panels = task.packed == nullptr && plan.ReadsPanels() ? columns / plan.panel : 0;
  std::byte* const dense = scratch + places.dense;
  if (plan.sums * plan.depth == 0) std::fill(tile.floats, tile.floats + rows * tile.stride, 0.0F);
  PanelTile part{.row_step = reads_neighbours   ? of_rows.along / kFloat
                             : packs_neighbours ? plan.lanes.rows
                                                : 1,
                 .block = plan.block,
                 .sum_stride = tile.stride,
                 .ahead_run = BlockOf(plan.depth)};
  for (int64_t summed = 0; summed < plan.sums; ++summed) {
    for (int64_t k = 0; k < plan.depth; k += plan.packed_depth) {
      const int64_t depth = std::min(plan.packed_depth, plan.depth - k), panel_floats = depth * plan.panel + kPanelGap;
      std::byte* const from =
          batch.columns + summed * of_columns.summed + k * of_columns.along + column * of_columns.across;
      float* own = nullptr;
      const float* packed = nullptr;
      if (task.packed != nullptr) {
        packed = task.PackedColumns(number, column / plan.tile_columns, summed) + plan.PackedFloatsBefore(k, columns);
      } else {
        packed = own = reinterpret_cast<float*>(scratch + places.panels);
        const int64_t read = read_panels * plan.panel;
        if (read < columns) {
          PackPanels(plan, from + read * of_columns.across, depth, columns - read, dense,
                     own + read_panels * panel_floats);
        }
      }
      for (int64_t i = 0; i < rows; i += part.row_count) {
        std::byte* const first_row =
            batch.rows + summed * of_rows.summed + k * of_rows.along + (row + i) * of_rows.across;
        auto* const copy = scratch + places.row_block;
        // As many rows as can be, but for the last two parts: with few it is reading the panel that takes the time.
        part.row_count = std::min(plan.lanes.rows, rows - i);
        if (i > 0 && rows - i > plan.lanes.rows && rows - i < 2 * plan.lanes.rows)
          part.row_count = 2 * CeilDivide(rows - i, 4);
        const float* elements = reinterpret_cast<const float*>(first_row);
        if (packs_neighbours) {
          auto* const packed_rows = reinterpret_cast<float*>(copy);
          plan.lanes.pack(first_row, of_rows.along, depth, part.row_count, plan.lanes.rows, packed_rows);
          elements = packed_rows;
        } else if (!reads_neighbours) {
          elements = RowsAsFloats(of_rows, first_row, part.row_count, depth, dense, copy, &part.row_stride);
        }
        const std::byte* const next =
            RowsAfter(plan, batch.rows + summed * of_rows.summed, where, i + part.row_count, k, depth);
        part.ahead_stride = of_rows.across;
        part.ahead_step = CeilDivide(depth * of_rows.bytes, part.ahead_run);
        int64_t fetched = 0;
        // Of one span the rows stay in the first-level cache.
        for (int64_t done = 0; done < depth; done += kSpan) {
          part.depth = std::min(kSpan, depth - done);
          part.rows = elements + done * part.row_step;
          part.begins = summed == 0 && k + done == 0;
          part.ends = summed == plan.sums - 1 && k + done + part.depth == plan.depth;
          for (int64_t j = 0; j < panels; ++j) {
            const int64_t at = j * plan.panel;
            const bool is_result = at < tile.result_columns;
            part.out = is_result ? tile.results + i * tile.result_stride + at : tile.floats + i * tile.stride + at;
            part.out_stride = is_result ? tile.result_stride : tile.stride;
            part.sums = tile.sums == nullptr ? nullptr : tile.sums + i * tile.stride + at;
            // The first rows read a panel where it is, and leave it packed to the others.
            const bool reads_panel = i == 0 && j < read_panels;
            part.panel_step = reads_panel ? of_columns.along / kFloat : plan.panel;
            part.panel = reads_panel ? reinterpret_cast<const float*>(from + done * of_columns.along) + at
                                     : packed + j * panel_floats + done * plan.panel;
            part.packed = reads_panel && rows > plan.lanes.rows ? own + j * panel_floats + done * plan.panel : nullptr;
            part.ahead = next != nullptr && fetched < plan.lanes.rows ? next + fetched * of_rows.across : nullptr;
            fetched += CeilDivide(part.depth, part.ahead_run);
            (columns - at <= plan.lanes.narrow_panel ? plan.lanes.multiply_narrow : plan.lanes.multiply)(part);
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
  auto* const results =
      reinterpret_cast<float*>(batch.out + row * plan.out.row_stride + column * plan.out.column_stride);
  const int64_t result_stride = plan.out.row_stride / kFloat;
  auto* const floats = reinterpret_cast<float*>(scratch + places.tile);
  auto* const sums = plan.HasOneBlock() ? nullptr : reinterpret_cast<double*>(scratch + places.sums);
  const int64_t stride = plan.TileStride(columns), left = columns % plan.panel;
  // Whole panels of results that are final go where they belong.
  int64_t whole = left % plan.lanes.narrow_panel == 0 ? columns : columns - left;
  if (!plan.HasPlainResult() || plan.sums * plan.depth == 0) whole = 0;
  MultiplyPanels(task, number, where, {floats, sums, stride, results, result_stride, whole}, scratch, places);
  if (whole == columns) return;
  StoreProducts(plan, batch, row, column + whole, rows, columns - whole, floats + whole, stride, scratch + places.dense,
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

}  // namespace portacl::loops::products
