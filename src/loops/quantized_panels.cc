// SPDX-License-Identifier: Apache-2.0
//
// Products of many rows with quantised weights. The rows are packed as the columns of other products are, and blocks of
// the weights' columns become float32, which are multiplied as the rows of other products are.
#include <algorithm>
#include <cstddef>

#include "loops/quantized_task.h"
#include "loops/scratch.h"
#include "simd/prefetch.h"

namespace portacl::loops {
namespace {

constexpr auto kFloat = static_cast<int64_t>(sizeof(float));

// Floats from one column to the next where they are widened: no multiple of 4 KiB.
constexpr int64_t kWidenedStride = kQuantizedBlock + kPanelGap;

// Columns that are asked for before they are widened: parts of them are too short for the processor's own prefetching.
constexpr int64_t kColumnsAhead = 4;

int64_t PanelFloats(const QuantizedPlan& plan) { return plan.padded * plan.panels.panel + kPanelGap; }

int64_t PanelsOf(const QuantizedPlan& plan, int64_t rows) { return CeilDivide(rows, plan.panels.panel); }

// From the results of one column to those of the next.
int64_t ResultStride(const QuantizedPlan& plan, int64_t rows) {
  return PanelsOf(plan, rows) * plan.panels.panel + kPanelGap;
}

}  // namespace

int64_t PackedRowFloats(const QuantizedPlan& plan, int64_t rows) { return PanelsOf(plan, rows) * PanelFloats(plan); }

void PackRows(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<QuantizedTask*>(argument);
  const QuantizedPlan& plan = task.plan;
  const int64_t width = plan.panels.panel, stride = plan.padded + kPanelGap;
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
         2 * Scratch::Bytes<float>(plan.chunk_columns);
}

void MultiplyInPanels(const QuantizedTask& task, int64_t first, int64_t count, Scratch scratch) {
  const QuantizedPlan& plan = task.plan;
  QuantizedColumns columns = LoadColumns(task, first, count, &scratch);
  LoadScales(task, first, count, &scratch, &columns);
  const int64_t stride = ResultStride(plan, task.rows), width = plan.panels.panel;
  auto* const widened = scratch.Take<float>(count * kWidenedStride);
  auto* const sums = scratch.Take<double>(count * stride);
  auto* const results = scratch.Take<float>(count * stride);
  auto* const dense = scratch.Take<std::byte>(count * stride * kFloat);
  const bool has_bias = plan.bias.exists();
  if (has_bias || plan.k == 0) {
    auto* const bias = scratch.Take<float>(count);
    std::fill_n(bias, count, 0.0F);
    if (has_bias) LoadFloats(task, plan.bias, 0, first, 1, count, dense, bias);
    for (int64_t column = 0; column < count; ++column) {
      std::fill_n(sums + column * stride, stride, static_cast<double>(bias[column]));
      std::fill_n(results + column * stride, stride, bias[column]);
    }
  }
  PanelTile tile{.rows = nullptr,
                 .row_stride = kWidenedStride,
                 .row_step = 1,
                 .row_count = 0,
                 .panel = nullptr,
                 .panel_step = width,
                 .packed = nullptr,
                 .depth = 0,
                 .block = BlockOf(plan.k),
                 .sums = nullptr,
                 .sum_stride = stride,
                 .begins = false,
                 .ends = false,
                 .out = nullptr,
                 .out_stride = stride};
  for (int64_t k = 0; k < plan.padded; k += kQuantizedBlock) {
    const int64_t depth = std::min(kQuantizedBlock, plan.padded - k);
    for (int64_t column = 0; column < count; ++column) {
      const std::byte* const next =
          columns.weights + (column + kColumnsAhead) * columns.stride + plan.weight.BytesOf(k);
      for (int64_t line = 0; line < plan.weight.BytesOf(depth); line += kLineBytes) simd::PrefetchSecond(next + line);
      plan.lanes.widen(columns, column, k, depth, widened + column * kWidenedStride);
    }
    for (int64_t row = 0; row < task.rows; row += width) {
      const float* const panel = task.x + row / width * PanelFloats(plan);
      const auto multiply =
          task.rows - row <= plan.panels.narrow_panel ? plan.panels.multiply_narrow : plan.panels.multiply;
      for (int64_t done = 0; done < depth; done += kSpan) {
        tile.depth = std::min(kSpan, depth - done);
        tile.panel = panel + (k + done) * width;
        tile.begins = k + done == 0 && !has_bias;
        tile.ends = k + done + tile.depth == plan.padded;
        for (int64_t column = 0; column < count; column += plan.panels.rows) {
          tile.row_count = std::min(plan.panels.rows, count - column);
          tile.rows = widened + column * kWidenedStride + done;
          tile.sums = sums + column * stride + row;
          tile.out = results + column * stride + row;
          multiply(tile);
        }
      }
    }
  }
  const int64_t bytes = task.rows * plan.out.bytes;
  for (int64_t column = 0; column < count; ++column) {
    Convert(*plan.out.conversion, reinterpret_cast<const std::byte*>(results + column * stride), dense + column * bytes,
            task.rows);
  }
  CopyBlock(plan.out.bytes, task.rows, count, {dense, plan.out.bytes, bytes},
            {task.At(plan.out, task.first_row, first), plan.out.row_stride, plan.out.column_stride});
}

}  // namespace portacl::loops
