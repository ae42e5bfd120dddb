// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised weights: loads operands in the layout that lanes need.
#include <algorithm>
#include <cstring>

#include "loops/quantized/quantized_task.h"

namespace portacl::loops::quantized {
namespace {

// Sets element i, which was 0.
void PutInt4(std::byte* base, int64_t i, int value) {
  base[i / 2] |= static_cast<std::byte>(i % 2 == 0 ? value & 15 : value << 4);
}

// Gathers columns that are not contiguous into scratch, so that results have the same bits as with contiguous ones.
const std::byte* GatherColumns(const QuantizedTask& task, int64_t first, int64_t count, std::byte* to) {
  const Weights& weight = task.plan.weight;
  const int64_t k = task.plan.k;
  std::byte* const base = task.context.Address(weight.operand);
  if (!weight.is_int4) {
    CopyBlock(1, count, k, {base + first * weight.column_stride, weight.column_stride, weight.row_stride}, {to, k, 1});
    return to;
  }
  const int64_t stride = weight.BytesOf(k);
  std::memset(to, 0, static_cast<size_t>(count * stride));
  for (int64_t column = 0; column < count; ++column) {
    const int64_t begin = weight.offset + (first + column) * weight.column_stride;
    for (int64_t i = 0; i < k; ++i) PutInt4(to + column * stride, i, Int4At(base, begin + i * weight.row_stride));
  }
  return to;
}

}  // namespace

void LoadFloats(const QuantizedTask& task, const Floats& floats, int64_t row, int64_t column, int64_t rows,
                int64_t columns, std::byte* dense, float* to) {
  const TileOperand from = {task.At(floats, row, column), floats.row_stride, floats.column_stride};
  const bool is_dense =
      floats.column_stride == floats.bytes && (rows == 1 || floats.row_stride == columns * floats.bytes);
  if (!is_dense) CopyBlock(floats.bytes, rows, columns, from, {dense, columns * floats.bytes, floats.bytes});
  Convert(*floats.conversion, is_dense ? from.base : dense, reinterpret_cast<std::byte*>(to), rows * columns);
}

RowScratch::RowScratch(const QuantizedPlan& plan, ScratchLayout* layout)
    : dense(layout->Add<std::byte>(plan.k * static_cast<int64_t>(sizeof(float)))),
      loaded(layout->Add<float>(plan.weight.is_int4 ? plan.padded : 0)) {}

void LoadRow(QuantizedTask& task, int64_t row, const RowScratch& places, std::byte* scratch, float* to) {
  const QuantizedPlan& plan = task.plan;
  std::byte* const dense = places.dense.In(scratch);
  float* const loaded = plan.weight.is_int4 ? places.loaded.In(scratch) : to;
  if (plan.k != 0) LoadFloats(task, plan.x, task.first_row + row, 0, 1, plan.k, dense, loaded);
  std::fill(loaded + plan.k, loaded + plan.padded, 0.0F);
  if (!plan.weight.is_int4) return;
  for (int64_t k = 0; k < plan.padded; k += kQuantizedStep) {
    for (int64_t i = 0; i < kQuantizedStep / 2; ++i) {
      to[k + i] = loaded[k + 2 * i];
      to[k + kQuantizedStep / 2 + i] = loaded[k + 2 * i + 1];
    }
  }
  if (plan.int4 != nullptr)
    task.has_blocks[row] = plan.int4->make_blocks(loaded, plan.k, task.blocks + row * Int4Blocks(plan.k));
}

ColumnScratch::ColumnScratch(const QuantizedPlan& plan, ScratchLayout* layout) {
  const int64_t columns = plan.chunk_columns, all = columns * plan.groups;
  weights = layout->Add<std::byte>(plan.weight.is_along_k ? 0 : columns * plan.weight.BytesOf(plan.k));
  dense = layout->Add<std::byte>(all * plan.scale.bytes);
  scales = layout->Add<float>(all);
  offsets = layout->Add<float>(plan.offset.exists() ? all : 0);
}

QuantizedColumns LoadColumns(const QuantizedTask& task, int64_t first, int64_t count, const ColumnScratch& places,
                             std::byte* scratch) {
  const QuantizedPlan& plan = task.plan;
  const Weights& weight = plan.weight;
  QuantizedColumns columns{.weights = nullptr,
                           .stride = weight.is_along_k ? weight.column_stride : weight.BytesOf(plan.k),
                           .scales = nullptr,
                           .offsets = nullptr,
                           .groups = plan.groups,
                           .group = plan.group,
                           .depth = plan.k};
  if (weight.is_along_k) {
    if (weight.is_int4) columns.stride /= 2;
    columns.weights = task.context.Address(weight.operand) + first * columns.stride;
  } else if (plan.k != 0) {
    columns.weights = GatherColumns(task, first, count, places.weights.In(scratch));
  }
  return columns;
}

void LoadScales(const QuantizedTask& task, int64_t first, int64_t count, const ColumnScratch& places,
                std::byte* scratch, QuantizedColumns* columns) {
  const QuantizedPlan& plan = task.plan;
  const auto load = [&](const Floats& floats, float* to) {
    if (count * plan.groups != 0) LoadFloats(task, floats, first, 0, count, plan.groups, places.dense.In(scratch), to);
    return to;
  };
  columns->scales = load(plan.scale, places.scales.In(scratch));
  if (plan.offset.exists()) columns->offsets = load(plan.offset, places.offsets.In(scratch));
}

TileOperand ContiguousScales(const QuantizedTask& task, int64_t first, int64_t count, const ColumnScratch& places,
                             std::byte* scratch) {
  const Floats& scale = task.plan.scale;
  const int64_t groups = task.plan.groups;
  const TileOperand from = {task.At(scale, first, 0), scale.row_stride, scale.column_stride};
  if (scale.column_stride == scale.bytes || groups <= 1) return from;
  const TileOperand to = {places.dense.In(scratch), groups * scale.bytes, scale.bytes};
  CopyBlock(scale.bytes, count, groups, from, to);
  return to;
}

}  // namespace portacl::loops::quantized
