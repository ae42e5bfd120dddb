// SPDX-License-Identifier: Apache-2.0
//
// Products of many rows with quantised weights, by panels. The rows take the role of the packed columns of other
// products. Blocks of the weights' columns are widened to float32 and take the role of their rows.
#include <algorithm>
#include <cstddef>

#include "loops/quantized/quantized_task.h"
#include "simd/prefetch.h"

namespace portacl::loops::quantized {
namespace {

constexpr auto kFloat = static_cast<int64_t>(sizeof(float));

// Floats from one widened column to the next: no multiple of 4 KiB.
constexpr int64_t kWidenedStride = kQuantizedBlock + products::kPanelGap;

// Prefetch distance in columns, for widening: the parts of the columns are too short for the hardware prefetcher.
constexpr int64_t kColumnsAhead = 4;

int64_t PanelFloats(const QuantizedPlan& plan) { return plan.padded * plan.panels.panel + products::kPanelGap; }

int64_t PanelsOf(const QuantizedPlan& plan, int64_t rows) { return CeilDivide(rows, plan.panels.panel); }

// Floats from the results of one column to those of the next.
int64_t ResultStride(const QuantizedPlan& plan, int64_t rows) {
  return PanelsOf(plan, rows) * plan.panels.panel + products::kPanelGap;
}

// The results of a chunk, column by column: in `sums` until the last k, then in `floats`.
struct Results {
  double* sums;
  float* floats;
  int64_t stride;
  bool begins;  // `sums` has no initial values
};

// Widens the elements [k, k + depth) of the columns to float32.
void WidenColumns(const QuantizedPlan& plan, const QuantizedColumns& columns, int64_t count, int64_t k, int64_t depth,
                  float* widened) {
  for (int64_t column = 0; column < count; ++column) {
    const std::byte* const next = columns.weights + (column + kColumnsAhead) * columns.stride + plan.weight.BytesOf(k);
    for (int64_t line = 0; line < plan.weight.BytesOf(depth); line += kLineBytes) simd::PrefetchSecond(next + line);
    plan.lanes.widen(columns, column, k, depth, widened + column * kWidenedStride);
  }
}

// Multiplies widened columns with the panel that starts at row `row`.
void MultiplyPanel(const QuantizedTask& task, int64_t row, const float* widened, int64_t count, int64_t k,
                   int64_t depth, const Results& results) {
  const QuantizedPlan& plan = task.plan;
  const products::ProductLanes& lanes = plan.panels;
  const float* const panel = task.x + row / lanes.panel * PanelFloats(plan);
  const auto multiply = task.rows - row <= lanes.narrow_panel ? lanes.multiply_narrow : lanes.multiply;
  products::PanelTile tile{.row_stride = kWidenedStride,
                           .panel_step = lanes.panel,
                           .block = products::BlockOf(plan.k),
                           .sum_stride = results.stride,
                           .out_stride = results.stride};
  for (int64_t done = 0; done < depth; done += products::kSpan) {
    tile.depth = std::min(products::kSpan, depth - done);
    tile.panel = panel + (k + done) * lanes.panel;
    tile.begins = k + done == 0 && results.begins;
    tile.ends = k + done + tile.depth == plan.padded;
    for (int64_t column = 0; column < count; column += lanes.rows) {
      tile.row_count = std::min(lanes.rows, count - column);
      tile.rows = widened + column * kWidenedStride + done;
      tile.sums = results.sums + column * results.stride + row;
      tile.out = results.floats + column * results.stride + row;
      multiply(tile);
    }
  }
}

struct PanelScratch {
  PanelScratch(const QuantizedPlan& plan, int64_t rows) : columns(plan, &layout) {
    const int64_t results = plan.chunk_columns * ResultStride(plan, rows);
    widened = layout.Add<float>(plan.chunk_columns * kWidenedStride);
    dense = layout.Add<std::byte>(results * kFloat);
    sums = layout.Add<double>(results);
    floats = layout.Add<float>(results);
    bias = layout.Add<float>(plan.chunk_columns);
  }
  ScratchLayout layout;
  ColumnScratch columns;
  ScratchPart<float> widened, floats, bias;
  ScratchPart<std::byte> dense;
  ScratchPart<double> sums;
};

void MultiplyChunk(const QuantizedTask& task, int64_t first, int64_t count, const PanelScratch& places,
                   std::byte* scratch) {
  const QuantizedPlan& plan = task.plan;
  QuantizedColumns columns = LoadColumns(task, first, count, places.columns, scratch);
  LoadScales(task, first, count, places.columns, scratch, &columns);
  const int64_t stride = ResultStride(plan, task.rows);
  float* const widened = places.widened.In(scratch);
  std::byte* const dense = places.dense.In(scratch);
  const Results results = {.sums = places.sums.In(scratch),
                           .floats = places.floats.In(scratch),
                           .stride = stride,
                           .begins = !plan.bias.exists()};
  if (plan.bias.exists() || plan.k == 0) {
    float* const bias = places.bias.In(scratch);
    std::fill_n(bias, count, 0.0F);
    if (plan.bias.exists()) LoadFloats(task, plan.bias, 0, first, 1, count, dense, bias);
    for (int64_t column = 0; column < count; ++column) {
      std::fill_n(results.sums + column * stride, stride, static_cast<double>(bias[column]));
      std::fill_n(results.floats + column * stride, stride, bias[column]);
    }
  }
  for (int64_t k = 0; k < plan.padded; k += kQuantizedBlock) {
    const int64_t depth = std::min(kQuantizedBlock, plan.padded - k);
    WidenColumns(plan, columns, count, k, depth, widened);
    for (int64_t row = 0; row < task.rows; row += plan.panels.panel)
      MultiplyPanel(task, row, widened, count, k, depth, results);
  }
  const int64_t bytes = task.rows * plan.out.bytes;
  for (int64_t column = 0; column < count; ++column) {
    Convert(*plan.out.conversion, reinterpret_cast<const std::byte*>(results.floats + column * stride),
            dense + column * bytes, task.rows);
  }
  CopyBlock(plan.out.bytes, task.rows, count, {dense, plan.out.bytes, bytes},
            {task.At(plan.out, task.first_row, first), plan.out.row_stride, plan.out.column_stride});
}

}  // namespace

int64_t PackedRowFloats(const QuantizedPlan& plan, int64_t rows) { return PanelsOf(plan, rows) * PanelFloats(plan); }

void PackRows(QuantizedTask& task) {
  const QuantizedPlan& plan = task.plan;
  const int64_t width = plan.panels.panel, stride = plan.padded + products::kPanelGap;
  ScratchLayout layout;
  const RowScratch row_places(plan, &layout);
  const auto at = layout.Add<float>(width * stride);
  ForEachChunk({.count = PanelsOf(plan, task.rows), .scratch_bytes = layout.bytes()},
               [&](int64_t panel, std::byte* scratch) {
                 float* const rows = at.In(scratch);
                 const int64_t count = std::min(width, task.rows - panel * width);
                 for (int64_t row = 0; row < count; ++row)
                   LoadRow(task, panel * width + row, row_places, scratch, rows + row * stride);
                 std::fill(rows + count * stride, rows + width * stride, 0.0F);
                 CopyBlock(kFloat, plan.padded, width, {reinterpret_cast<std::byte*>(rows), kFloat, stride * kFloat},
                           {reinterpret_cast<std::byte*>(task.x + panel * PanelFloats(plan)), width * kFloat, kFloat});
               });
}

void MultiplyInPanels(const QuantizedTask& task) {
  const PanelScratch places(task.plan, task.rows);
  task.ForEachColumns(places.layout.bytes(), [&](int64_t first, int64_t count, std::byte* scratch) {
    MultiplyChunk(task, first, count, places, scratch);
  });
}

}  // namespace portacl::loops::quantized
