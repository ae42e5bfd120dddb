// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#include "loops/pack.h"
#include "loops/product_task.h"
#include "loops/scratch.h"
#include "runtime/contexts/submit.h"
#include "runtime/parallel/parallel.h"

namespace portacl::loops {
namespace {

// Rows a multiple of so many bytes apart share the few places that a first-level cache has for one of their lines.
constexpr int64_t kSamePlaces = 4096;

// Floats from one row to the next where rows are copied: an odd number of lines.
constexpr int64_t CopiedStride(int64_t count) {
  constexpr auto kFloats = kLineBytes / static_cast<int64_t>(sizeof(float));
  return (CeilDivide(count, kFloats) | 1) * kFloats;
}

// Where the parts of a thread's scratch begin.
struct PanelScratch {
  explicit PanelScratch(const ProductPlan& plan) {
    const int64_t columns = plan.PaddedColumns(), floats = sizeof(float);
    const int64_t rows = plan.lanes.rows, depth = plan.packed_depth;
    panels = plan.packed_batches > 0 ? 0 : Place(depth * columns * floats);
    row_block = Place(rows * CopiedStride(depth) * floats);
    dense = Place(std::max({rows * depth, depth * plan.panel, columns}) * floats);
    tile = Place(plan.tile_rows * columns * floats);
    sums = plan.HasOneBlock() ? 0 : Place(plan.tile_rows * columns * static_cast<int64_t>(sizeof(double)));
    addend = plan.beta == 0 ? 0 : Place(columns * floats);
  }
  int64_t Place(int64_t size) {
    const int64_t at = bytes;
    bytes += CeilDivide(size, kLineBytes) * kLineBytes;
    return at;
  }
  int64_t bytes = 0;
  int64_t panels, row_block, dense, tile, sums, addend;
};

// `count` elements along k of `rows` rows from `from` on, as float32; where they are, if they need no copy.
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
    to -= CeilDivide(depth, kTurnedDepth) * kTurnedDepth * plan.panel - depth * plan.panel;
  }
}

// Chunks [first, end) of what is packed before all tiles.
void RunPacking(void* argument, int64_t first, int64_t end) {
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
                 task.PackedColumns(number, column_tile, summed) + k * CeilDivide(columns, plan.panel) * plan.panel);
    }
  };
  const int64_t dense_bytes = plan.packed_depth * plan.panel * static_cast<int64_t>(sizeof(float));
  if (!WithScratch(dense_bytes, run)) task.out_of_memory.store(true, std::memory_order_relaxed);
}

// The results of one tile of a product of the batch.
void RunProductTile(const ProductTask& task, int64_t number, int64_t row_tile, int64_t column_tile, std::byte* scratch,
                    const PanelScratch& places) {
  const ProductPlan& plan = task.plan;
  const ProductPlace batch(task, number);
  const int64_t row = row_tile * plan.tile_rows, column = column_tile * plan.tile_columns;
  const int64_t rows = std::min(plan.tile_rows, plan.rows - row);
  const int64_t columns = std::min(plan.tile_columns, plan.columns - column);
  const int64_t panels = CeilDivide(columns, plan.panel);
  const ProductFactor &of_rows = plan.rows_of, &of_columns = plan.columns_of;
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  // Whole panels of results that are final go where they belong.
  const bool is_direct = plan.HasOneBlock() && plan.HasPlainResult() && columns % plan.panel == 0;
  auto* const tile = reinterpret_cast<float*>(is_direct ? batch.out + row * plan.out.row_stride + column * kFloat
                                                        : scratch + places.tile);
  const int64_t stride = is_direct ? plan.out.row_stride / kFloat : panels * plan.panel;
  auto* const sums = plan.HasOneBlock() ? nullptr : reinterpret_cast<double*>(scratch + places.sums);
  std::byte* const dense = scratch + places.dense;
  if (sums != nullptr) std::fill(sums, sums + rows * stride, 0.0);
  PanelTile part{.rows = nullptr,
                 .row_stride = 0,
                 .row_count = 0,
                 .panel = nullptr,
                 .depth = 0,
                 .block = plan.block,
                 .out = nullptr,
                 .sums = nullptr,
                 .out_stride = stride};
  const auto multiply = plan.panel == plan.lanes.panel ? plan.lanes.multiply : plan.lanes.multiply_narrow;
  for (int64_t summed = 0; summed < plan.sums; ++summed) {
    for (int64_t k = 0; k < plan.depth; k += plan.packed_depth) {
      const int64_t depth = std::min(plan.packed_depth, plan.depth - k);
      const float* panel = nullptr;
      if (task.packed != nullptr) {
        panel = task.PackedColumns(number, column_tile, summed) + k * panels * plan.panel;
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
          part.out = tile + i * stride + j * plan.panel;
          part.sums = sums == nullptr ? nullptr : sums + i * stride + j * plan.panel;
          for (int64_t done = 0; done < depth; done += kSpan) {
            part.depth = std::min(kSpan, depth - done);
            part.rows = elements + done;
            part.panel = panel + (j * depth + done) * plan.panel;
            multiply(part);
          }
        }
      }
    }
  }
  const bool is_stored = sums != nullptr && plan.HasPlainResult();
  for (int64_t i = 0; sums != nullptr && i < rows; ++i) {
    auto* const results =
        reinterpret_cast<float*>(batch.out + (row + i) * plan.out.row_stride + column * plan.out.column_stride);
    plan.lanes.round(sums + i * stride, columns, is_stored ? results : tile + i * stride);
  }
  if (is_stored || is_direct) return;
  StoreProducts(plan, batch, row, column, rows, columns, tile, stride, dense,
                reinterpret_cast<float*>(scratch + places.addend));
}

// Chunks [first, end) of tiles.
void RunProductTiles(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<ProductTask*>(argument);
  const ProductPlan& plan = task.plan;
  const PanelScratch places(plan);
  const auto run = [&](void* scratch) {
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t column_tile = chunk % plan.column_tiles, rest = chunk / plan.column_tiles;
      RunProductTile(task, rest / plan.row_tiles, rest % plan.row_tiles, column_tile, static_cast<std::byte*>(scratch),
                     places);
    }
  };
  if (!WithScratch(places.bytes, run)) task.out_of_memory.store(true, std::memory_order_relaxed);
}

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
  if (plan.packed_batches > 0) {
    const int64_t tiles = plan.packed_batches * plan.column_tiles * plan.sums;
    task.packed = static_cast<float*>(
        contexts::AllocateScratch(static_cast<size_t>(tiles * plan.PackedFloats()) * sizeof(float)));
    if (task.packed == nullptr) throw std::bad_alloc();
    run(tiles * plan.DepthBlocks(), RunPacking);
  }
  run(plan.chunks, plan.is_dot ? RunDots : RunProductTiles);
  contexts::FreeScratch(task.packed);
  if (task.out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
  return 0;
}

}  // namespace portacl::loops
