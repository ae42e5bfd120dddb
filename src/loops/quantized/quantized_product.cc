// SPDX-License-Identifier: Apache-2.0
#include "loops/quantized/quantized_product.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "base/dtype.h"
#include "base/target.h"
#include "base/tuning.h"
#include "loops/quantized/quantized_task.h"
#include "loops/tiles/scratch.h"
#include "runtime/parallel/parallel.h"
#include "tensor/view.h"

namespace portacl::loops::quantized {
namespace {

// Bytes of weights that a thread takes at a time where they are multiplied as they are read.
constexpr int64_t kDotChunkBytes = 128 << 10;
constexpr int64_t kMostDotColumns = 64;

// Otherwise at most so many columns become float32 at a time, and are multiplied with so many rows.
constexpr int64_t kPanelColumns = 56;
constexpr int64_t kPanelRows = 512;

// More elements of a row no machine has as float32.
constexpr int64_t kMostDepth = int64_t{1} << 40;

// Rows [first, end) of x.
void LoadRows(QuantizedTask& task, int64_t first, int64_t end) {
  const bool has_memory = WithScratch(RowBytes(task.plan), [&](void* memory) {
    for (int64_t row = first; row < end; ++row) LoadRow(task, row, Scratch(memory), task.x + row * task.plan.padded);
  });
  if (!has_memory) task.out_of_memory.store(true, std::memory_order_relaxed);
}

// A result as it is defined, product by product: what is not finite depends on the order of factors.
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

// Adds the bias to sums [rows][stride] and stores the results of `count` columns.
void StoreSums(const QuantizedTask& task, int64_t first, int64_t count, const double* sums, int64_t stride,
               Scratch scratch) {
  const QuantizedPlan& plan = task.plan;
  auto* const bias = scratch.Take<float>(count);
  auto* const results = scratch.Take<float>(count);
  auto* const dense = scratch.Take<std::byte>(count * static_cast<int64_t>(sizeof(float)));
  std::fill_n(bias, count, -0.0F);
  if (plan.bias.exists()) LoadFloats(task, plan.bias, 0, first, 1, count, dense, bias);
  for (int64_t row = 0; row < task.rows; ++row) {
    for (int64_t i = 0; i < count; ++i)
      results[i] = static_cast<float>(sums[row * stride + i] + static_cast<double>(bias[i]));
    Convert(*plan.out.conversion, reinterpret_cast<const std::byte*>(results), dense, count);
    CopyBlock(plan.out.bytes, 1, count, {dense, 0, plan.out.bytes},
              {task.At(plan.out, task.first_row + row, first), 0, plan.out.column_stride});
  }
}

int64_t StoreBytes(int64_t count) { return 3 * Scratch::Bytes<float>(count); }

// Multiplies the rows that are blocks; whether these are all, and all sums finite.
bool MultiplyBlocks(const QuantizedTask& task, const QuantizedColumns& columns, int64_t first, int64_t count,
                    Scratch* scratch, double* sums) {
  const QuantizedPlan& plan = task.plan;
  const TileOperand scales = ContiguousScales(task, first, count, scratch);
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

void MultiplyAsRead(const QuantizedTask& task, int64_t first, int64_t count, Scratch scratch) {
  const QuantizedPlan& plan = task.plan;
  QuantizedColumns columns = LoadColumns(task, first, count, &scratch);
  auto* const sums = scratch.Take<double>(task.rows * count);
  if (plan.int4 == nullptr || !MultiplyBlocks(task, columns, first, count, &scratch, sums)) {
    LoadScales(task, first, count, &scratch, &columns);
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
  StoreSums(task, first, count, sums, count, scratch);
}

int64_t ChunkBytes(const QuantizedPlan& plan, int64_t rows) {
  if (!plan.is_dot) return PanelBytes(plan, rows);
  return ColumnBytes(plan, plan.chunk_columns) + Scratch::Bytes<double>(rows * plan.chunk_columns) +
         StoreBytes(plan.chunk_columns);
}

void RunColumns(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<QuantizedTask*>(argument);
  const QuantizedPlan& plan = task.plan;
  const bool has_memory = WithScratch(ChunkBytes(plan, task.rows), [&](void* scratch) {
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t column = chunk * plan.chunk_columns;
      const int64_t count = std::min(plan.chunk_columns, plan.n - column);
      (plan.is_dot ? MultiplyAsRead : MultiplyInPanels)(task, column, count, Scratch(scratch));
    }
  });
  if (!has_memory) task.out_of_memory.store(true, std::memory_order_relaxed);
}

int32_t RunQuantizedProduct(const exec::RunContext& context) {
  QuantizedTask task{.plan = context.Parameters<QuantizedPlan>(), .context = context};
  const QuantizedPlan& plan = task.plan;
  const int64_t most_rows = std::min(plan.m, kPanelRows);
  const int64_t blocks = plan.int4 == nullptr ? 0 : most_rows * Int4Blocks(plan.k);
  const int64_t floats = plan.is_dot ? most_rows * plan.padded : PackedRowFloats(plan, most_rows);
  const int64_t bytes = Scratch::Bytes<float>(floats) + Scratch::Bytes<Int4Block>(blocks);
  const bool has_memory = WithScratch(bytes, [&](void* memory) {
    Scratch scratch(memory);
    task.x = scratch.Take<float>(floats);
    task.blocks = scratch.Take<Int4Block>(blocks);
    for (; task.first_row < plan.m; task.first_row += most_rows) {
      task.rows = std::min(most_rows, plan.m - task.first_row);
      if (plan.is_dot) {
        LoadRows(task, 0, task.rows);
      } else {
        parallel::ForRuns(CeilDivide(task.rows, plan.panels.panel), PackRows, &task);
      }
      if (plan.is_serial || plan.chunks == 1) {
        RunColumns(&task, 0, plan.chunks);
      } else {
        parallel::ForRuns(plan.chunks, RunColumns, &task);
      }
    }
  });
  if (!has_memory || task.out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
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
  // The run's address is that of the byte in which the first element is.
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
