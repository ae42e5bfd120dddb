// SPDX-License-Identifier: Apache-2.0
//
// Products by panels: both sides are computed in float32, whatever the dtypes of the operands.
#include <algorithm>
#include <cstddef>

#include "loops/products/product_task.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/copy_block.h"

namespace portacl::loops::products {
namespace {

// Floats from one copied row to the next: an odd number of cache lines.
constexpr int64_t CopiedStride(int64_t count) {
  constexpr auto kFloats = kLineBytes / static_cast<int64_t>(sizeof(float));
  return (CeilDivide(count, kFloats) | 1) * kFloats;
}

// The packed columns of one tile, for one of the products that are summed.
template <class Float>
Float* PackedColumns(const ProductPlan& plan, const PanelPlan& way, Float* packed, int64_t batch, int64_t column_tile,
                     int64_t summed) {
  const int64_t of_batch = way.packed_batches == 1 ? 0 : batch;
  return packed + ((of_batch * plan.column_tiles + column_tile) * plan.sums + summed) * plan.PackedFloats(way);
}

// Packs panels of columns, with `depth` elements each.
void PackPanels(const ProductPlan& plan, int64_t panel, std::byte* from, int64_t depth, int64_t columns,
                std::byte* dense, float* to) {
  const ProductFactor& factor = plan.columns_of;
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  if (factor.stride == factor.bytes || columns == 1)
    return plan.lanes.pack(from, factor.k_stride, depth, columns, panel, to);
  for (; columns > 0; columns -= panel, from += panel * factor.stride) {
    const int64_t count = std::min(columns, panel);
    if (factor.IsFloat() && count < panel) std::fill(to, to + depth * panel, 0.0F);
    for (int64_t k = 0; k < depth; k += kTransposedDepth, to += kTransposedDepth * panel) {
      const int64_t part = std::min(kTransposedDepth, depth - k);
      const TileOperand source = StridedBlock(from + k * factor.k_stride, factor.k_stride, factor.stride);
      if (factor.IsFloat()) {
        CopyBlock(kFloat, part, count, source, StridedBlock(reinterpret_cast<std::byte*>(to), panel * kFloat, kFloat));
      } else {
        CopyBlock(factor.bytes, part, count, source, StridedBlock(dense, count * factor.bytes, factor.bytes));
        plan.lanes.pack(dense, count * factor.bytes, part, count, panel, to);
      }
    }
    to -= CeilDivide(depth, kTransposedDepth) * kTransposedDepth * panel - depth * panel - kPanelGap;
  }
}

}  // namespace

PanelScratch::PanelScratch(const ProductPlan& plan, const PanelPlan& way) {
  const int64_t columns = way.Padded(plan.tile_columns), rows = plan.lanes.rows, depth = way.packed_depth;
  panels = layout.Add<float>(way.packed_batches > 0 ? 0 : depth * columns + columns / way.panel * kPanelGap);
  row_block = layout.Add<float>(rows * CopiedStride(depth) + kPanelGap);
  dense =
      layout.Add<std::byte>(std::max({rows * depth, depth * way.panel, columns}) * static_cast<int64_t>(sizeof(float)));
  const int64_t results = plan.tile_rows * way.TileStride(plan.tile_columns);
  tile = layout.Add<float>(results);
  sums = layout.Add<double>(plan.HasOneBlock() ? 0 : results);
  addend = layout.Add<float>(plan.beta == 0 ? 0 : columns);
}

const std::byte* RowsAfter(const ProductPlan& plan, const std::byte* rows, const ProductPart& tile, int64_t end,
                           int64_t k, int64_t depth) {
  const ProductFactor& factor = plan.rows_of;
  if (factor.k_stride != factor.bytes) return nullptr;
  int64_t row = tile.row + end;
  if (end == tile.rows) {
    k = k + depth < plan.depth ? k + depth : 0;
    if (k > 0) row = tile.row;
  }
  return row < plan.rows ? rows + row * factor.stride + k * factor.k_stride : nullptr;
}

const float* RowsAsFloats(const ProductFactor& factor, std::byte* from, int64_t rows, int64_t count, std::byte* dense,
                          std::byte* to, int64_t* stride) {
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  const bool runs_on = factor.k_stride == factor.bytes || count == 1;
  if (factor.IsFloat() && runs_on && factor.stride % kFloat == 0 && (rows == 1 || factor.stride % kSamePlaces != 0)) {
    *stride = factor.stride / kFloat;
    return reinterpret_cast<const float*>(from);
  }
  *stride = CopiedStride(count);
  const int64_t row_bytes = *stride * kFloat;
  if (factor.IsFloat()) {
    CopyBlock(kFloat, rows, count, StridedBlock(from, factor.stride, factor.k_stride),
              StridedBlock(to, row_bytes, kFloat));
  } else if (runs_on) {
    for (int64_t row = 0; row < rows; ++row)
      factor.conversion->step[0](from + row * factor.stride, to + row * row_bytes, count);
  } else {
    CopyBlock(factor.bytes, rows, count, StridedBlock(from, factor.stride, factor.k_stride),
              StridedBlock(dense, count * factor.bytes, factor.bytes));
    for (int64_t row = 0; row < rows; ++row)
      factor.conversion->step[0](dense + row * count * factor.bytes, to + row * row_bytes, count);
  }
  return reinterpret_cast<const float*>(to);
}

void MultiplyPanels(const ProductTask& task, const PanelPlan& way, const float* packed_before, int64_t number,
                    const ProductPart& where, const SumTile& tile, std::byte* scratch, const PanelScratch& places) {
  const ProductPlan& plan = task.plan;
  const ProductPlace batch(task, number);
  const auto [row, column, rows, columns] = where;
  const int64_t panels = CeilDivide(columns, way.panel);
  const ProductFactor &of_rows = plan.rows_of, &of_columns = plan.columns_of;
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  // Rows that are neighbours in memory for each k stay so: they are read in place if possible, as whole panels are.
  const bool reads_neighbours = plan.ReadsNeighbours();
  const bool packs_neighbours =
      !reads_neighbours && of_rows.stride == of_rows.bytes && of_rows.conversion == of_columns.conversion;
  const int64_t read_panels = packed_before == nullptr && plan.ReadsPanels() ? columns / way.panel : 0;
  std::byte* const dense = places.dense.In(scratch);
  if (plan.sums * plan.depth == 0) std::fill(tile.floats, tile.floats + rows * tile.stride, 0.0F);
  PanelTile part{.row_step = reads_neighbours   ? of_rows.k_stride / kFloat
                             : packs_neighbours ? plan.lanes.rows
                                                : 1,
                 .block = way.block,
                 .sum_stride = tile.stride,
                 .ahead_run = BlockOf(plan.depth)};
  for (int64_t summed = 0; summed < plan.sums; ++summed) {
    for (int64_t k = 0; k < plan.depth; k += way.packed_depth) {
      const int64_t depth = std::min(way.packed_depth, plan.depth - k), panel_floats = depth * way.panel + kPanelGap;
      std::byte* const from =
          batch.columns + summed * of_columns.summed + k * of_columns.k_stride + column * of_columns.stride;
      float* own = nullptr;
      const float* packed = nullptr;
      if (packed_before != nullptr) {
        packed = PackedColumns(plan, way, packed_before, number, column / plan.tile_columns, summed) +
                 way.FloatsBefore(k, columns);
      } else {
        packed = own = places.panels.In(scratch);
        const int64_t read = read_panels * way.panel;
        if (read < columns) {
          PackPanels(plan, way.panel, from + read * of_columns.stride, depth, columns - read, dense,
                     own + read_panels * panel_floats);
        }
      }
      for (int64_t i = 0; i < rows; i += part.row_count) {
        std::byte* const first_row =
            batch.rows + summed * of_rows.summed + k * of_rows.k_stride + (row + i) * of_rows.stride;
        float* const copy = places.row_block.In(scratch);
        // As many rows as possible, but the last two parts have about the same size: with few rows, most of the time
        // goes into reading the panel.
        part.row_count = std::min(plan.lanes.rows, rows - i);
        if (i > 0 && rows - i > plan.lanes.rows && rows - i < 2 * plan.lanes.rows)
          part.row_count = 2 * CeilDivide(rows - i, 4);
        const float* elements = reinterpret_cast<const float*>(first_row);
        if (packs_neighbours) {
          plan.lanes.pack(first_row, of_rows.k_stride, depth, part.row_count, plan.lanes.rows, copy);
          elements = copy;
        } else if (!reads_neighbours) {
          elements = RowsAsFloats(of_rows, first_row, part.row_count, depth, dense, reinterpret_cast<std::byte*>(copy),
                                  &part.row_stride);
        }
        const std::byte* const next =
            RowsAfter(plan, batch.rows + summed * of_rows.summed, where, i + part.row_count, k, depth);
        part.ahead_stride = of_rows.stride;
        part.ahead_step = CeilDivide(depth * of_rows.bytes, part.ahead_run);
        int64_t fetched = 0;
        // The rows of one span stay in the first-level cache.
        for (int64_t done = 0; done < depth; done += kSpan) {
          part.depth = std::min(kSpan, depth - done);
          part.rows = elements + done * part.row_step;
          part.begins = summed == 0 && k + done == 0;
          part.ends = summed == plan.sums - 1 && k + done + part.depth == plan.depth;
          for (int64_t j = 0; j < panels; ++j) {
            const int64_t at = j * way.panel;
            const bool is_result = at < tile.result_columns;
            part.out = is_result ? tile.results + i * tile.result_stride + at : tile.floats + i * tile.stride + at;
            part.out_stride = is_result ? tile.result_stride : tile.stride;
            part.sums = tile.sums == nullptr ? nullptr : tile.sums + i * tile.stride + at;
            // The first part of the rows reads a panel in place, and leaves it packed for the other parts.
            const bool reads_panel = i == 0 && j < read_panels;
            part.panel_step = reads_panel ? of_columns.k_stride / kFloat : way.panel;
            part.panel = reads_panel ? reinterpret_cast<const float*>(from + done * of_columns.k_stride) + at
                                     : packed + j * panel_floats + done * way.panel;
            part.packed = reads_panel && rows > plan.lanes.rows ? own + j * panel_floats + done * way.panel : nullptr;
            part.ahead = next != nullptr && fetched < plan.lanes.rows ? next + fetched * of_rows.stride : nullptr;
            fetched += CeilDivide(part.depth, part.ahead_run);
            (columns - at <= plan.lanes.narrow_panel ? plan.lanes.multiply_narrow : plan.lanes.multiply)(part);
          }
        }
      }
    }
  }
}

namespace {

// Computes one tile of results of a product of the batch.
void RunPanelTile(const ProductTask& task, const PanelPlan& way, const float* packed, int64_t number,
                  const ProductPart& where, std::byte* scratch, const PanelScratch& places) {
  const ProductPlan& plan = task.plan;
  const ProductPlace batch(task, number);
  const auto [row, column, rows, columns] = where;
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  auto* const results =
      reinterpret_cast<float*>(batch.out + row * plan.out.row_stride + column * plan.out.column_stride);
  const int64_t result_stride = plan.out.row_stride / kFloat;
  float* const floats = places.tile.In(scratch);
  double* const sums = plan.HasOneBlock() ? nullptr : places.sums.In(scratch);
  const int64_t stride = way.TileStride(columns), left = columns % way.panel;
  // Whole panels of final results are stored directly.
  int64_t whole = left % plan.lanes.narrow_panel == 0 ? columns : columns - left;
  if (!plan.HasPlainResult() || plan.sums * plan.depth == 0) whole = 0;
  MultiplyPanels(task, way, packed, number, where, {floats, sums, stride, results, result_stride, whole}, scratch,
                 places);
  if (whole == columns) return;
  StoreProducts(plan, batch, row, column + whole, rows, columns - whole, floats + whole, stride,
                places.dense.In(scratch), places.addend.In(scratch));
}

// Packs the columns for all tiles.
void PackAll(const ProductTask& task, const PanelPlan& way, float* packed) {
  const ProductPlan& plan = task.plan;
  const ProductFactor& factor = plan.columns_of;
  const int64_t parts = plan.DepthParts(way.packed_depth);
  const int64_t chunks = way.packed_batches * plan.column_tiles * plan.sums * parts;
  const int64_t dense_bytes = way.packed_depth * way.panel * static_cast<int64_t>(sizeof(float));
  ForEachChunk(plan.ChunksOf(chunks, dense_bytes), [&](int64_t chunk, std::byte* dense) {
    const int64_t k = chunk % parts * way.packed_depth, tile = chunk / parts;
    const int64_t summed = tile % plan.sums, column_tile = tile / plan.sums % plan.column_tiles;
    const int64_t number = tile / plan.sums / plan.column_tiles, column = column_tile * plan.tile_columns;
    const int64_t columns = std::min(plan.tile_columns, plan.columns - column);
    std::byte* const from = ProductPlace(task, number).columns + summed * factor.summed;
    PackPanels(plan, way.panel, from + k * factor.k_stride + column * factor.stride,
               std::min(way.packed_depth, plan.depth - k), columns, dense,
               PackedColumns(plan, way, packed, number, column_tile, summed) + way.FloatsBefore(k, columns));
  });
}

}  // namespace

void RunProducts(const ProductTask& task, const PanelPlan& way) {
  const ProductPlan& plan = task.plan;
  const int64_t packed_floats = way.packed_batches * plan.column_tiles * plan.sums * plan.PackedFloats(way);
  const PoolMemory packed(packed_floats * static_cast<int64_t>(sizeof(float)));
  if (packed_floats > 0) PackAll(task, way, packed.As<float>());
  const PanelScratch places(plan, way);
  ForEachChunk(plan.ChunksOf(plan.chunks, places.layout.bytes()), [&](int64_t chunk, std::byte* scratch) {
    const int64_t number = chunk / plan.column_tiles / plan.row_tiles;
    RunPanelTile(task, way, packed.As<float>(), number, PartOfChunk(plan, chunk), scratch, places);
  });
}

}  // namespace portacl::loops::products
