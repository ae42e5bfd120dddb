// SPDX-License-Identifier: Apache-2.0
#include "loops/quantized_product.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "base/dtype.h"
#include "base/target.h"
#include "loops/conversion.h"
#include "loops/cut.h"
#include "loops/pack.h"
#include "loops/quantized_lanes.h"
#include "loops/scratch.h"
#include "runtime/parallel/parallel.h"
#include "tensor/view.h"

namespace portacl::loops {
namespace {

// Bytes of weights that a thread takes at a time where they are multiplied as they are read.
constexpr int64_t kDotChunkBytes = 128 << 10;
constexpr int64_t kMostDotColumns = 64;

// Otherwise so many columns become float32 at a time, kQuantizedBlock elements of each, and are multiplied with so many
// rows. Multiples of the sums that QuantizedLanes::multiply makes.
constexpr int64_t kPanelColumns = 48;
constexpr int64_t kPanelRows = 512;
constexpr int64_t kRowsTogether = 4;
constexpr int64_t kColumnsTogether = 3;

// More elements of a row no machine has as float32.
constexpr int64_t kMostDepth = int64_t{1} << 40;

// Measured on one core: a product of float32, and the reading of a weight.
constexpr double kNsPerProduct = 0.02;
constexpr double kNsPerWeight = 0.06;

// A matrix of floats in memory. Strides are in bytes.
struct Floats {
  int operand = -1;
  int64_t offset = 0;  // from the operand's element 0
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  int64_t bytes = 0;                       // of an element
  const Conversion* conversion = nullptr;  // to float32, or from it

  bool exists() const { return operand >= 0; }
};

// Those of the right-hand side. Strides are in elements, the first of which may be the upper half of a byte.
struct Weights {
  int operand = -1;
  int64_t offset = 0;  // elements
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  bool is_int4 = false;
  bool is_along_k = false;  // lanes read them: a column is contiguous, and begins with a byte
};

struct QuantizedPlan {
  int64_t m = 0, k = 0, n = 0;
  int64_t padded = 0;  // k up to a whole step
  int64_t group = 0;
  int64_t groups = 0;  // rows of scales
  bool is_dot = false;
  bool is_serial = false;  // elements of the output share bytes
  int64_t chunk_columns = 1;
  int64_t chunks = 1;
  QuantizedLanes lanes = {};
  Weights weight = {};
  Floats x = {}, scale = {}, offset = {}, bias = {}, out = {};  // scale and offset transposed: [n, groups]
};

struct QuantizedTask {
  const QuantizedPlan& plan;
  const exec::RunContext& context;
  float* x = nullptr;  // [rows][padded]
  int64_t first_row = 0;
  int64_t rows = 0;
  std::atomic<bool> out_of_memory{false};

  std::byte* At(const Floats& floats, int64_t row, int64_t column) const {
    return context.Address(floats.operand) + floats.offset + row * floats.row_stride + column * floats.column_stride;
  }
};

// Rows x columns elements as float32, one row after the other; `dense` has room for them as they are.
void LoadFloats(const QuantizedTask& task, const Floats& floats, int64_t row, int64_t column, int64_t rows,
                int64_t columns, std::byte* dense, float* to) {
  const TileOperand from = {task.At(floats, row, column), floats.row_stride, floats.column_stride};
  const bool is_dense =
      floats.column_stride == floats.bytes && (rows == 1 || floats.row_stride == columns * floats.bytes);
  if (!is_dense) CopyBlock(floats.bytes, rows, columns, from, {dense, columns * floats.bytes, floats.bytes});
  Convert(*floats.conversion, is_dense ? from.base : dense, reinterpret_cast<std::byte*>(to), rows * columns);
}

// Parts of a thread's scratch, one after the other.
class ScratchParts {
 public:
  explicit ScratchParts(void* memory) : next_(static_cast<std::byte*>(memory)) {}
  template <class T>
  T* Take(int64_t count) {
    auto* const taken = reinterpret_cast<T*>(next_);
    next_ += Bytes<T>(count);
    return taken;
  }
  template <class T>
  static int64_t Bytes(int64_t count) {
    return CeilDivide(count * static_cast<int64_t>(sizeof(T)), kLineBytes) * kLineBytes;
  }

 private:
  std::byte* next_;
};

// Where an element of a column stands in a row of x.
int64_t PlaceOf(const QuantizedPlan& plan, int64_t k) {
  if (!plan.weight.is_int4 || !plan.weight.is_along_k) return k;
  return k / kQuantizedStep * kQuantizedStep + k % 2 * (kQuantizedStep / 2) + k % kQuantizedStep / 2;
}

// Rows [first, end) of x as float32, in the order in which lanes take them.
void LoadRows(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<QuantizedTask*>(argument);
  const QuantizedPlan& plan = task.plan;
  const bool is_ordered = PlaceOf(plan, 1) == 1;
  const int64_t dense_bytes = ScratchParts::Bytes<float>(plan.k);
  const bool has_memory = WithScratch(dense_bytes + ScratchParts::Bytes<float>(plan.padded), [&](void* memory) {
    ScratchParts scratch(memory);
    auto* const dense = scratch.Take<std::byte>(dense_bytes);
    auto* const natural = scratch.Take<float>(plan.padded);
    for (int64_t row = first; row < end; ++row) {
      float* const to = task.x + row * plan.padded;
      float* const loaded = is_ordered ? to : natural;
      if (plan.k != 0) LoadFloats(task, plan.x, task.first_row + row, 0, 1, plan.k, dense, loaded);
      std::fill(loaded + plan.k, loaded + plan.padded, 0.0F);
      if (is_ordered) continue;
      constexpr int64_t kHalf = kQuantizedStep / 2;
      for (int64_t step = 0; step < plan.padded; step += kQuantizedStep) {
        for (int64_t i = 0; i < kHalf; ++i) {
          to[step + i] = natural[step + 2 * i];
          to[step + kHalf + i] = natural[step + 2 * i + 1];
        }
      }
    }
  });
  if (!has_memory) task.out_of_memory.store(true, std::memory_order_relaxed);
}

int64_t WeightAt(const QuantizedTask& task, int64_t k, int64_t column) {
  const Weights& weight = task.plan.weight;
  const std::byte* const base = task.context.Address(weight.operand);
  const int64_t element = weight.offset + k * weight.row_stride + column * weight.column_stride;
  if (!weight.is_int4) return static_cast<int8_t>(base[element]);
  const auto pair = static_cast<int8_t>(base[element / 2]);
  return element % 2 == 0 ? static_cast<int8_t>(static_cast<uint8_t>(pair) << 4) >> 4 : pair >> 4;
}

// A result as it is defined, product by product: what is not finite depends on the order of factors.
double ProductByProduct(const QuantizedTask& task, const QuantizedColumns& columns, int64_t row, int64_t first_column,
                        int64_t column) {
  const QuantizedPlan& plan = task.plan;
  const float* const x = task.x + row * plan.padded;
  double sum = 0;
  for (int64_t k = 0; k < plan.k; ++k) {
    const int64_t scale = column * plan.groups + k / plan.group;
    auto weight = static_cast<float>(WeightAt(task, k, first_column + column));
    if (columns.offsets != nullptr) weight += columns.offsets[scale];
    sum += static_cast<double>(x[PlaceOf(plan, k)]) * (static_cast<double>(weight) * columns.scales[scale]);
  }
  return sum;
}

// The columns of a chunk, with scales in scratch.
QuantizedColumns LoadScales(const QuantizedTask& task, int64_t first, int64_t count, ScratchParts* scratch) {
  const QuantizedPlan& plan = task.plan;
  const Weights& weight = plan.weight;
  const int64_t scales = count * plan.groups;
  const int64_t elements = weight.offset + first * weight.column_stride;
  QuantizedColumns columns{.weights = task.context.Address(weight.operand) + (weight.is_int4 ? elements / 2 : elements),
                           .stride = weight.is_int4 ? weight.column_stride / 2 : weight.column_stride,
                           .scales = nullptr,
                           .offsets = nullptr,
                           .groups = plan.groups,
                           .group = plan.group,
                           .depth = plan.k};
  auto* const dense = scratch->Take<std::byte>(scales * plan.scale.bytes);
  const auto load = [&](const Floats& floats) {
    auto* const to = scratch->Take<float>(scales);
    if (scales != 0) LoadFloats(task, floats, first, 0, count, plan.groups, dense, to);
    return to;
  };
  columns.scales = load(plan.scale);
  if (plan.offset.exists()) columns.offsets = load(plan.offset);
  return columns;
}

int64_t ScaleBytes(const QuantizedPlan& plan, int64_t columns) {
  const int64_t scales = columns * plan.groups;
  return ScratchParts::Bytes<std::byte>(scales * plan.scale.bytes) +
         (plan.offset.exists() ? 2 : 1) * ScratchParts::Bytes<float>(scales);
}

// Adds the bias to sums [rows][stride] and stores the results of `count` columns.
void StoreSums(const QuantizedTask& task, int64_t first, int64_t count, const double* sums, int64_t stride,
               ScratchParts scratch) {
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

int64_t StoreBytes(int64_t count) { return 3 * ScratchParts::Bytes<float>(count); }

void MultiplyAsRead(const QuantizedTask& task, int64_t first, int64_t count, ScratchParts scratch) {
  const QuantizedPlan& plan = task.plan;
  const QuantizedColumns columns = LoadScales(task, first, count, &scratch);
  auto* const sums = scratch.Take<double>(task.rows * count);
  plan.lanes.dot[task.rows - 1](
      {.columns = columns, .count = count, .x = task.x, .x_stride = plan.padded, .out = sums});
  for (int64_t i = 0; i < task.rows * count; ++i) {
    if (!std::isfinite(sums[i])) sums[i] = ProductByProduct(task, columns, i / count, first, i % count);
  }
  StoreSums(task, first, count, sums, count, scratch);
}

// Elements [k, k + depth) of the columns as float32, [columns][kQuantizedBlock].
void WidenColumns(const QuantizedTask& task, const QuantizedColumns& columns, int64_t first, int64_t count, int64_t k,
                  int64_t depth, float* panel) {
  const QuantizedPlan& plan = task.plan;
  for (int64_t column = 0; column < count; ++column) {
    float* const to = panel + column * kQuantizedBlock;
    if (plan.weight.is_along_k) {
      plan.lanes.widen(columns, column, k, depth, to);
      continue;
    }
    const int64_t end = std::min(plan.k, k + depth);
    for (int64_t at = k; at < end; ++at) {
      const int64_t scale = column * plan.groups + at / plan.group;
      auto weight = static_cast<float>(WeightAt(task, at, first + column));
      if (columns.offsets != nullptr) weight += columns.offsets[scale];
      to[at - k] = weight * columns.scales[scale];
    }
    std::fill(to + (end - k), to + depth, 0.0F);
  }
}

// Where fewer rows or columns are left than are multiplied together, the last ones are taken more than once.
void MultiplyPanel(const QuantizedTask& task, const float* panel, int64_t count, int64_t k, int64_t depth,
                   double* sums) {
  const QuantizedPlan& plan = task.plan;
  for (int64_t row = 0; row < task.rows; row += kRowsTogether) {
    const float* rows[kRowsTogether];
    for (int64_t i = 0; i < kRowsTogether; ++i) rows[i] = task.x + std::min(row + i, task.rows - 1) * plan.padded + k;
    for (int64_t column = 0; column < count; column += kColumnsTogether) {
      const float* columns[kColumnsTogether];
      for (int64_t i = 0; i < kColumnsTogether; ++i)
        columns[i] = panel + std::min(column + i, count - 1) * kQuantizedBlock;
      float products[kRowsTogether * kColumnsTogether];
      plan.lanes.multiply(rows, columns, depth, products);
      for (int64_t i = 0; i < std::min(kRowsTogether, task.rows - row); ++i) {
        for (int64_t j = 0; j < std::min(kColumnsTogether, count - column); ++j)
          sums[(row + i) * kPanelColumns + column + j] += static_cast<double>(products[i * kColumnsTogether + j]);
      }
    }
  }
}

void MultiplyInPanels(const QuantizedTask& task, int64_t first, int64_t count, ScratchParts scratch) {
  const QuantizedPlan& plan = task.plan;
  const QuantizedColumns columns = LoadScales(task, first, count, &scratch);
  auto* const panel = scratch.Take<float>(kPanelColumns * kQuantizedBlock);
  auto* const sums = scratch.Take<double>(task.rows * kPanelColumns);
  std::fill_n(sums, task.rows * kPanelColumns, 0.0);
  for (int64_t k = 0; k < plan.padded; k += kQuantizedBlock) {
    const int64_t depth = std::min(kQuantizedBlock, plan.padded - k);
    WidenColumns(task, columns, first, count, k, depth, panel);
    MultiplyPanel(task, panel, count, k, depth, sums);
  }
  StoreSums(task, first, count, sums, kPanelColumns, scratch);
}

int64_t ChunkBytes(const QuantizedPlan& plan, int64_t rows) {
  const int64_t columns = plan.chunk_columns;
  const int64_t sums = ScratchParts::Bytes<double>(rows * columns);
  const int64_t panel = plan.is_dot ? 0 : ScratchParts::Bytes<float>(columns * kQuantizedBlock);
  return ScaleBytes(plan, columns) + panel + sums + StoreBytes(columns);
}

void RunColumns(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<QuantizedTask*>(argument);
  const QuantizedPlan& plan = task.plan;
  const bool has_memory = WithScratch(ChunkBytes(plan, task.rows), [&](void* scratch) {
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t column = chunk * plan.chunk_columns;
      const int64_t count = std::min(plan.chunk_columns, plan.n - column);
      (plan.is_dot ? MultiplyAsRead : MultiplyInPanels)(task, column, count, ScratchParts(scratch));
    }
  });
  if (!has_memory) task.out_of_memory.store(true, std::memory_order_relaxed);
}

int32_t RunQuantizedProduct(const exec::RunContext& context) {
  QuantizedTask task{.plan = context.Parameters<QuantizedPlan>(), .context = context};
  const QuantizedPlan& plan = task.plan;
  const int64_t most_rows = std::min(plan.m, kPanelRows);
  const bool has_memory = WithScratch(ScratchParts::Bytes<float>(most_rows * plan.padded), [&](void* x) {
    task.x = static_cast<float*>(x);
    for (; task.first_row < plan.m; task.first_row += most_rows) {
      task.rows = std::min(most_rows, plan.m - task.first_row);
      if (plan.is_dot) {
        LoadRows(&task, 0, task.rows);
      } else {
        parallel::ForRuns(task.rows, LoadRows, &task);
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
  plan.is_dot = plan.m <= kMostQuantizedRows && plan.weight.is_along_k && plan.k != 0;
  plan.is_serial = MayOverlapItself(builder.OperandView(factors.out.operand));
  const int64_t column_bytes = plan.weight.is_int4 ? (plan.k + 1) / 2 : plan.k;
  plan.chunk_columns =
      plan.is_dot ? std::clamp<int64_t>(kDotChunkBytes / column_bytes, 1, kMostDotColumns) : kPanelColumns;
  plan.chunks = CeilDivide(plan.n, plan.chunk_columns);
  for (const OperandPart* const part : {&factors.x, &factors.weight, &factors.scale}) builder.ReadsLate(part->operand);
  if (factors.offset) builder.ReadsLate(factors.offset->operand);
  if (factors.bias) builder.ReadsLate(factors.bias->operand);
  const double weights = static_cast<double>(plan.k) * static_cast<double>(plan.n);
  const double ns = weights * (kNsPerWeight + kNsPerProduct * static_cast<double>(plan.m));
  builder.Run(RunQuantizedProduct, plan, static_cast<int64_t>(std::min(1e18, ns)));
}

}  // namespace v1
}  // namespace portacl::loops
