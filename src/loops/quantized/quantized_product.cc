// SPDX-License-Identifier: Apache-2.0
#include "loops/quantized/quantized_product.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "base/dtype.h"
#include "base/target.h"
#include "base/tuning.h"
#include "loops/quantized/quantized_task.h"
#include "tensor/view.h"

namespace portacl::loops::quantized {
namespace {

// Bytes of weights in a chunk, for few rows, whose weights are multiplied as they are read.
constexpr int64_t kDotChunkBytes = 128 << 10;
constexpr int64_t kMostDotColumns = 64;

// For more rows, at most this many columns are widened to float32 at a time, and multiplied with at most this many
// rows.
constexpr int64_t kPanelColumns = 56;
constexpr int64_t kPanelRows = 512;

// No machine has memory for a longer row as float32.
constexpr int64_t kMostDepth = int64_t{1} << 40;

void LoadRows(QuantizedTask& task) {
  ScratchLayout layout;
  const RowScratch places(task.plan, &layout);
  WithScratch(layout.bytes(), [&](std::byte* scratch) {
    for (int64_t row = 0; row < task.rows; ++row) LoadRow(task, row, places, scratch, task.x + row * task.plan.padded);
  });
}

struct DotScratch {
  DotScratch(const QuantizedPlan& plan, int64_t rows) : columns(plan, &layout) {
    sums = layout.Add<double>(rows * plan.chunk_columns);
    bias = layout.Add<float>(plan.chunk_columns);
    results = layout.Add<float>(plan.chunk_columns);
    dense = layout.Add<std::byte>(plan.chunk_columns * static_cast<int64_t>(sizeof(float)));
  }
  ScratchLayout layout;
  ColumnScratch columns;
  ScratchPart<double> sums;
  ScratchPart<float> bias, results;
  ScratchPart<std::byte> dense;
};

// Computes a result by its definition, product by product: a result that is not finite depends on the order of factors.
double ProductByProduct(const QuantizedTask& task, const QuantizedColumns& columns, int64_t row, int64_t column) {
  const QuantizedPlan& plan = task.plan;
  const std::byte* const weights = columns.weights + column * columns.stride;
  const float* const x = task.x + row * plan.padded;
  double sum = 0;
  for (int64_t k = 0; k < plan.k; ++k) {
    const int64_t scale = column * plan.groups + k / plan.group;
    auto weight = static_cast<float>(plan.weight.is_int4 ? Int4At(weights, k) : static_cast<int8_t>(weights[k]));
    if (columns.offsets != nullptr) weight += columns.offsets[scale];
    sum += static_cast<double>(x[PlaceOf(plan, k)]) * (static_cast<double>(weight) * columns.scales[scale]);
  }
  return sum;
}

// Adds the bias to the sums, [rows][count], and stores the results of `count` columns.
void StoreSums(const QuantizedTask& task, int64_t first, int64_t count, const DotScratch& places, std::byte* scratch) {
  const QuantizedPlan& plan = task.plan;
  const double* const sums = places.sums.In(scratch);
  float *const bias = places.bias.In(scratch), *const results = places.results.In(scratch);
  std::byte* const dense = places.dense.In(scratch);
  std::fill_n(bias, count, -0.0F);
  if (plan.bias.exists()) LoadFloats(task, plan.bias, 0, first, 1, count, dense, bias);
  for (int64_t row = 0; row < task.rows; ++row) {
    for (int64_t i = 0; i < count; ++i)
      results[i] = static_cast<float>(sums[row * count + i] + static_cast<double>(bias[i]));
    Convert(*plan.out.conversion, reinterpret_cast<const std::byte*>(results), dense, count);
    CopyBlock(plan.out.bytes, 1, count, {dense, 0, plan.out.bytes},
              {task.At(plan.out, task.first_row + row, first), 0, plan.out.column_stride});
  }
}

// Multiplies the rows that have blocks. Returns whether these are all rows, and all sums are finite.
bool MultiplyBlocks(const QuantizedTask& task, const QuantizedColumns& columns, int64_t first, int64_t count,
                    const DotScratch& places, std::byte* scratch) {
  const QuantizedPlan& plan = task.plan;
  double* const sums = places.sums.In(scratch);
  const TileOperand scales = ContiguousScales(task, first, count, places.columns, scratch);
  bool are_all = true;
  for (int64_t row = 0; row < task.rows; ++row) {
    if (!task.has_blocks[row]) {
      are_all = false;
      continue;
    }
    plan.int4->dot({.columns = columns,
                    .scales = scales.base,
                    .scale_stride = scales.row_stride,
                    .count = count,
                    .x = task.blocks + row * Int4Blocks(plan.k),
                    .out = sums + row * count});
  }
  return are_all && std::all_of(sums, sums + task.rows * count, [](double sum) { return std::isfinite(sum); });
}

void MultiplyAsRead(const QuantizedTask& task, int64_t first, int64_t count, const DotScratch& places,
                    std::byte* scratch) {
  const QuantizedPlan& plan = task.plan;
  QuantizedColumns columns = LoadColumns(task, first, count, places.columns, scratch);
  double* const sums = places.sums.In(scratch);
  if (plan.int4 == nullptr || !MultiplyBlocks(task, columns, first, count, places, scratch)) {
    LoadScales(task, first, count, places.columns, scratch, &columns);
    int64_t rows = 1;  // at a time
    for (int64_t row = 0; row < task.rows; row += rows) {
      if (task.has_blocks[row]) continue;
      if (plan.int4 == nullptr) rows = std::min(kMostQuantizedRows, task.rows - row);
      plan.lanes.dot[rows - 1]({.columns = columns,
                                .count = count,
                                .x = task.x + row * plan.padded,
                                .x_stride = plan.padded,
                                .out = sums + row * count,
                                .prefetch_bytes = CurrentTuning().weight_prefetch_bytes});
    }
    for (int64_t i = 0; i < task.rows * count; ++i) {
      if (!std::isfinite(sums[i])) sums[i] = ProductByProduct(task, columns, i / count, i % count);
    }
  }
  StoreSums(task, first, count, places, scratch);
}

void MultiplyAsRead(const QuantizedTask& task) {
  const DotScratch places(task.plan, task.rows);
  task.ForEachColumns(places.layout.bytes(), [&](int64_t first, int64_t count, std::byte* scratch) {
    MultiplyAsRead(task, first, count, places, scratch);
  });
}

int32_t RunQuantizedProduct(const exec::RunContext& context) {
  QuantizedTask task{.plan = context.Parameters<QuantizedPlan>(), .context = context};
  const QuantizedPlan& plan = task.plan;
  const int64_t most_rows = std::min(plan.m, kPanelRows);
  ScratchLayout layout;
  const auto x = layout.Add<float>(plan.is_dot ? most_rows * plan.padded : PackedRowFloats(plan, most_rows));
  const auto blocks = layout.Add<Int4Block>(plan.int4 == nullptr ? 0 : most_rows * Int4Blocks(plan.k));
  WithScratch(layout.bytes(), [&](std::byte* scratch) {
    task.x = x.In(scratch);
    task.blocks = blocks.In(scratch);
    for (; task.first_row < plan.m; task.first_row += most_rows) {
      task.rows = std::min(most_rows, plan.m - task.first_row);
      plan.is_dot ? LoadRows(task) : PackRows(task);
      plan.is_dot ? MultiplyAsRead(task) : MultiplyInPanels(task);
    }
  });
  return 0;
}

Floats PlanFloats(const exec::PlanBuilder& builder, const OperandPart& part, bool is_input = true) {
  const View& whole = builder.OperandView(part.operand);
  const View& view = part.view ? *part.view : whole;
  const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  return {.operand = part.operand,
          .offset = (view.offset - whole.offset) * bytes,
          .row_stride = view.rank > 1 ? view.step(view.rank - 2) * bytes : 0,
          .column_stride = view.step(view.rank - 1) * bytes,
          .bytes = bytes,
          .conversion = is_input ? &ConversionOf(view.dtype, ACL_FLOAT) : &ConversionOf(ACL_FLOAT, view.dtype)};
}

Floats Transposed(Floats floats) {
  std::swap(floats.row_stride, floats.column_stride);
  return floats;
}

Weights PlanWeights(const View& view, int operand) {
  Weights weight{
      .operand = operand, .row_stride = view.step(0), .column_stride = view.step(1), .is_int4 = view.dtype == ACL_INT4};
  // The run gets the address of the byte that holds the first element.
  if (weight.is_int4) weight.offset = view.offset % 2;
  const bool begins_with_bytes = !weight.is_int4 || (weight.offset == 0 && weight.column_stride % 2 == 0);
  weight.is_along_k = (weight.row_stride == 1 || view.shape[0] == 1) && begins_with_bytes;
  return weight;
}

}  // namespace

inline namespace v1 {

void QuantizedProduct(exec::PlanBuilder& builder, const QuantizedFactors& factors) {
  const View& x = builder.OperandView(factors.x.operand);
  const View& weight = builder.OperandView(factors.weight.operand);
  QuantizedPlan plan{.m = x.shape[0], .k = x.shape[1], .n = weight.shape[1], .group = factors.group};
  if (plan.m == 0 || plan.n == 0) return;
  if (plan.k > kMostDepth) throw std::bad_alloc();
  plan.padded = CeilDivide(plan.k, kQuantizedStep) * kQuantizedStep;
  plan.groups = CeilDivide(plan.k, plan.group);
  plan.weight = PlanWeights(weight, factors.weight.operand);
  plan.x = PlanFloats(builder, factors.x);
  plan.scale = Transposed(PlanFloats(builder, factors.scale));
  if (factors.offset) plan.offset = Transposed(PlanFloats(builder, *factors.offset));
  if (factors.bias) plan.bias = PlanFloats(builder, *factors.bias);
  plan.out = PlanFloats(builder, factors.out, false);
  plan.lanes = QuantizedLanesOf(plan.weight.is_int4, plan.offset.exists(), ActiveTarget());
  plan.panels = products::ProductLanesOf(ACL_FLOAT, ActiveTarget());
  plan.is_dot = plan.m <= kMostDotRows && plan.k != 0;
  if (plan.is_dot && plan.weight.is_int4 && x.dtype == ACL_FLOAT16 && !plan.offset.exists())
    plan.int4 = Int4DotsFor(plan.group, plan.k);
  plan.is_serial = MayOverlapItself(builder.OperandView(factors.out.operand));
  plan.chunk_columns = plan.is_dot
                           ? std::clamp<int64_t>(kDotChunkBytes / plan.weight.BytesOf(plan.k), 1, kMostDotColumns)
                           : kPanelColumns / plan.panels.rows * plan.panels.rows;
  plan.chunks = CeilDivide(plan.n, plan.chunk_columns);
  for (const OperandPart* const part : {&factors.x, &factors.weight, &factors.scale})
    builder.ForbidInPlace(part->operand);
  if (factors.offset) builder.ForbidInPlace(factors.offset->operand);
  if (factors.bias) builder.ForbidInPlace(factors.bias->operand);
  const double weights = static_cast<double>(plan.k) * static_cast<double>(plan.n);
  const double ns = weights * (CurrentTuning().quantized_weight_ns +
                               CurrentTuning().quantized_product_ns * static_cast<double>(plan.m));
  builder.Run(RunQuantizedProduct, plan, static_cast<int64_t>(std::min(1e18, ns)));
}

}  // namespace v1
}  // namespace portacl::loops::quantized
