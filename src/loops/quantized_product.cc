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
// rows. Multiples of the columns that QuantizedLanes::multiply takes.
constexpr int64_t kPanelColumns = 48;
constexpr int64_t kPanelRows = 512;

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
  bool is_along_k = false;  // a column is contiguous, and begins with a byte: lanes read it where it lies

  int64_t BytesOf(int64_t elements) const { return is_int4 ? (elements + 1) / 2 : elements; }
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
class Scratch {
 public:
  explicit Scratch(void* memory) : next_(static_cast<std::byte*>(memory)) {}
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
  constexpr int64_t kStep = kQuantizedStep;
  return plan.weight.is_int4 ? k / kStep * kStep + k % 2 * (kStep / 2) + k % kStep / 2 : k;
}

// Rows [first, end) of x as float32, in the order in which lanes take them.
void LoadRows(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<QuantizedTask*>(argument);
  const QuantizedPlan& plan = task.plan;
  const bool is_ordered = !plan.weight.is_int4;
  const int64_t dense_bytes = Scratch::Bytes<float>(plan.k);
  const bool has_memory = WithScratch(dense_bytes + Scratch::Bytes<float>(plan.padded), [&](void* memory) {
    Scratch scratch(memory);
    auto* const dense = scratch.Take<std::byte>(dense_bytes);
    auto* const natural = scratch.Take<float>(plan.padded);
    for (int64_t row = first; row < end; ++row) {
      float* const to = task.x + row * plan.padded;
      float* const loaded = is_ordered ? to : natural;
      if (plan.k != 0) LoadFloats(task, plan.x, task.first_row + row, 0, 1, plan.k, dense, loaded);
      std::fill(loaded + plan.k, loaded + plan.padded, 0.0F);
      for (int64_t k = 0; !is_ordered && k < plan.padded; ++k) to[PlaceOf(plan, k)] = natural[k];
    }
  });
  if (!has_memory) task.out_of_memory.store(true, std::memory_order_relaxed);
}

// Element i of those that begin at `base`, and that element of zeros set.
int Int4At(const std::byte* base, int64_t i) {
  const auto pair = static_cast<int8_t>(base[i / 2]);
  return i % 2 == 0 ? static_cast<int8_t>(static_cast<uint8_t>(pair) << 4) >> 4 : pair >> 4;
}
void PutInt4(std::byte* base, int64_t i, int value) {
  base[i / 2] |= static_cast<std::byte>(i % 2 == 0 ? value & 15 : value << 4);
}

// Columns that are not contiguous, one after the other in scratch: results are those of columns that are, bit by bit.
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

// The columns of a chunk, with scales in scratch.
QuantizedColumns LoadColumns(const QuantizedTask& task, int64_t first, int64_t count, Scratch* scratch) {
  const QuantizedPlan& plan = task.plan;
  const Weights& weight = plan.weight;
  const int64_t scales = count * plan.groups;
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
    columns.weights = GatherColumns(task, first, count, scratch->Take<std::byte>(plan.chunk_columns * columns.stride));
  }
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

int64_t ColumnBytes(const QuantizedPlan& plan, int64_t columns) {
  const int64_t scales = columns * plan.groups;
  const int64_t gathered =
      plan.weight.is_along_k ? 0 : Scratch::Bytes<std::byte>(columns * plan.weight.BytesOf(plan.k));
  return gathered + Scratch::Bytes<std::byte>(scales * plan.scale.bytes) +
         (plan.offset.exists() ? 2 : 1) * Scratch::Bytes<float>(scales);
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

void MultiplyAsRead(const QuantizedTask& task, int64_t first, int64_t count, Scratch scratch) {
  const QuantizedPlan& plan = task.plan;
  const QuantizedColumns columns = LoadColumns(task, first, count, &scratch);
  auto* const sums = scratch.Take<double>(task.rows * count);
  plan.lanes.dot[task.rows - 1](
      {.columns = columns, .count = count, .x = task.x, .x_stride = plan.padded, .out = sums});
  for (int64_t i = 0; i < task.rows * count; ++i) {
    if (!std::isfinite(sums[i])) sums[i] = ProductByProduct(task, columns, i / count, i % count);
  }
  StoreSums(task, first, count, sums, count, scratch);
}

// Where fewer rows or columns are left than are multiplied together, the last ones are taken more than once.
void MultiplyPanel(const QuantizedTask& task, const float* panel, int64_t count, int64_t k, int64_t depth,
                   double* sums) {
  const QuantizedPlan& plan = task.plan;
  const int64_t tile_rows = plan.lanes.rows, tile_columns = plan.lanes.columns;
  for (int64_t row = 0; row < task.rows; row += tile_rows) {
    const float* rows[kMostTileRows];
    for (int64_t i = 0; i < tile_rows; ++i) rows[i] = task.x + std::min(row + i, task.rows - 1) * plan.padded + k;
    for (int64_t column = 0; column < count; column += tile_columns) {
      const float* columns[kMostTileColumns];
      for (int64_t i = 0; i < tile_columns; ++i) columns[i] = panel + std::min(column + i, count - 1) * kQuantizedBlock;
      float products[kMostTileRows * kMostTileColumns];
      plan.lanes.multiply(rows, columns, depth, products);
      for (int64_t i = 0; i < std::min(tile_rows, task.rows - row); ++i) {
        for (int64_t j = 0; j < std::min(tile_columns, count - column); ++j)
          sums[(row + i) * kPanelColumns + column + j] += static_cast<double>(products[i * tile_columns + j]);
      }
    }
  }
}

void MultiplyInPanels(const QuantizedTask& task, int64_t first, int64_t count, Scratch scratch) {
  const QuantizedPlan& plan = task.plan;
  const QuantizedColumns columns = LoadColumns(task, first, count, &scratch);
  auto* const panel = scratch.Take<float>(kPanelColumns * kQuantizedBlock);
  auto* const sums = scratch.Take<double>(task.rows * kPanelColumns);
  std::fill_n(sums, task.rows * kPanelColumns, 0.0);
  for (int64_t k = 0; k < plan.padded; k += kQuantizedBlock) {
    const int64_t depth = std::min(kQuantizedBlock, plan.padded - k);
    for (int64_t column = 0; column < count; ++column)
      plan.lanes.widen(columns, column, k, depth, panel + column * kQuantizedBlock);
    MultiplyPanel(task, panel, count, k, depth, sums);
  }
  StoreSums(task, first, count, sums, kPanelColumns, scratch);
}

int64_t ChunkBytes(const QuantizedPlan& plan, int64_t rows) {
  const int64_t columns = plan.chunk_columns;
  const int64_t panel = plan.is_dot ? 0 : Scratch::Bytes<float>(columns * kQuantizedBlock);
  return ColumnBytes(plan, columns) + panel + Scratch::Bytes<double>(rows * columns) + StoreBytes(columns);
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
  const bool has_memory = WithScratch(Scratch::Bytes<float>(most_rows * plan.padded), [&](void* x) {
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
  plan.is_dot = plan.m <= kMostQuantizedRows && plan.k != 0;
  plan.is_serial = MayOverlapItself(builder.OperandView(factors.out.operand));
  plan.chunk_columns = plan.is_dot
                           ? std::clamp<int64_t>(kDotChunkBytes / plan.weight.BytesOf(plan.k), 1, kMostDotColumns)
                           : kPanelColumns;
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
