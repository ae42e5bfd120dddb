// SPDX-License-Identifier: Apache-2.0
//
// Products of many rows with quantised weights. The rows are packed as the columns of other products are, and blocks of
// the weights' columns become float32, which are multiplied as the rows of other products are.
#include <algorithm>
#include <cstddef>

#include "loops/quantized/quantized_task.h"
#include "loops/tiles/scratch.h"
#include "simd/prefetch.h"

namespace portacl::loops::quantized {
namespace {

constexpr auto kFloat = static_cast<int64_t>(sizeof(float));

// Floats from one column to the next where they are widened: no multiple of 4 KiB.
constexpr int64_t kWidenedStride = kQuantizedBlock + products::kPanelGap;

// Columns that are asked for before they are widened: parts of them are too short for the processor's own prefetching.
constexpr int64_t kColumnsAhead = 4;

int64_t PanelFloats(const QuantizedPlan& plan) { return plan.padded * plan.panels.panel + products::kPanelGap; }

int64_t PanelsOf(const QuantizedPlan& plan, int64_t rows) { return CeilDivide(rows, plan.panels.panel); }

// From the results of one column to those of the next.
int64_t ResultStride(const QuantizedPlan& plan, int64_t rows) {
  return PanelsOf(plan, rows) * plan.panels.panel + products::kPanelGap;
}

// Of a chunk of columns, one after the other: `sums` until the last k, then `floats`.
struct Results {
  double* sums;
  float* floats;
  int64_t stride;
  bool begins;  // there is nothing in `sums` before the first k
};

// Elements [k, k + depth) of the columns as float32.
void WidenColumns(const QuantizedPlan& plan, const QuantizedColumns& columns, int64_t count, int64_t k, int64_t depth,
                  float* widened) {
  for (int64_t column = 0; column < count; ++column) {
    const std::byte* const next = columns.weights + (column + kColumnsAhead) * columns.stride + plan.weight.BytesOf(k);
    for (int64_t line = 0; line < plan.weight.BytesOf(depth); line += kLineBytes) simd::PrefetchSecond(next + line);
    plan.lanes.widen(columns, column, k, depth, widened + column * kWidenedStride);
  }
}

// Multiplies them with the panel that begins with a row.
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

}  // namespace

int64_t PackedRowFloats(const QuantizedPlan& plan, int64_t rows) { return PanelsOf(plan, rows) * PanelFloats(plan); }

void PackRows(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<QuantizedTask*>(argument);
  const QuantizedPlan& plan = task.plan;
  const int64_t width = plan.panels.panel, stride = plan.padded + products::kPanelGap;
  const int64_t bytes = RowBytes(plan) + Scratch::Bytes<float>(width * stride);
  const bool has_memory = WithScratch(bytes, [&](void* memory) {
    Scratch scratch(memory);
    auto* const rows = scratch.Take<float>(width * stride);
    for (int64_t panel = first; panel < end; ++panel) {
      const int64_t count = std::min(width, task.rows - panel * width);
      for (int64_t row = 0; row < count; ++row) LoadRow(task, panel * width + row, scratch, rows + row * stride);
      std::fill(rows + count * stride, rows + width * stride, 0.0F);
      CopyBlock(kFloat, plan.padded, width, {reinterpret_cast<std::byte*>(rows), kFloat, stride * kFloat},
                {reinterpret_cast<std::byte*>(task.x + panel * PanelFloats(plan)), width * kFloat, kFloat});
    }
  });
  if (!has_memory) task.out_of_memory.store(true, std::memory_order_relaxed);
}

int64_t PanelBytes(const QuantizedPlan& plan, int64_t rows) {
  const int64_t results = plan.chunk_columns * ResultStride(plan, rows);
  return ColumnBytes(plan, plan.chunk_columns) + Scratch::Bytes<float>(plan.chunk_columns * kWidenedStride) +
         Scratch::Bytes<double>(results) + 2 * Scratch::Bytes<float>(results) +
         Scratch::Bytes<float>(plan.chunk_columns);
}

void MultiplyInPanels(const QuantizedTask& task, int64_t first, int64_t count, Scratch scratch) {
  const QuantizedPlan& plan = task.plan;
  QuantizedColumns columns = LoadColumns(task, first, count, &scratch);
  LoadScales(task, first, count, &scratch, &columns);
  const int64_t stride = ResultStride(plan, task.rows);
  auto* const widened = scratch.Take<float>(count * kWidenedStride);
  auto* const dense = scratch.Take<std::byte>(count * stride * kFloat);
  const Results results = {.sums = scratch.Take<double>(count * stride),
                           .floats = scratch.Take<float>(count * stride),
                           .stride = stride,
                           .begins = !plan.bias.exists()};
  if (plan.bias.exists() || plan.k == 0) {
    auto* const bias = scratch.Take<float>(count);
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

}  // namespace portacl::loops::quantized
