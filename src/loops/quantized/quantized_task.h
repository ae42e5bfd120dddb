// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the engine of products with quantised weights share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "exec/plan.h"
#include "loops/elements/conversion.h"
#include "loops/products/panel_lanes.h"
#include "loops/quantized/int4_dots.h"
#include "loops/quantized/quantized_lanes.h"
#include "loops/quantized/quantized_product.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::quantized {

/// So few rows are multiplied with weights as they are read: with more it takes less time to make these float32 first.
inline constexpr int64_t kMostDotRows = 8;

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
  products::ProductLanes panels = {};  // for more than kMostDotRows rows
  const Int4Dots* int4 = nullptr;      // null: lanes multiply all rows
  Weights weight = {};
  Floats x = {}, scale = {}, offset = {}, bias = {}, out = {};  // scale and offset transposed: [n, groups]
};

struct QuantizedTask {
  const QuantizedPlan& plan;
  const exec::RunContext& context;
  float* x = nullptr;           // [rows][padded], or panels
  Int4Block* blocks = nullptr;  // [rows][Int4Blocks(k)] of those that has_blocks
  bool has_blocks[kMostDotRows] = {};
  int64_t first_row = 0;
  int64_t rows = 0;
  std::atomic<bool> out_of_memory{false};

  std::byte* At(const Floats& floats, int64_t row, int64_t column) const {
    return context.Address(floats.operand) + floats.offset + row * floats.row_stride + column * floats.column_stride;
  }
};

/// Rows x columns elements as float32, one row after the other; `dense` has room for them as they are.
void LoadFloats(const QuantizedTask& task, const Floats& floats, int64_t row, int64_t column, int64_t rows,
                int64_t columns, std::byte* dense, float* to);

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

/// Element i of the INT4 that begin at `base`.
inline int Int4At(const std::byte* base, int64_t i) {
  const auto pair = static_cast<int8_t>(base[i / 2]);
  return i % 2 == 0 ? static_cast<int8_t>(static_cast<uint8_t>(pair) << 4) >> 4 : pair >> 4;
}

/// Where an element of a column stands in a row of x.
inline int64_t PlaceOf(const QuantizedPlan& plan, int64_t k) {
  constexpr int64_t kStep = kQuantizedStep;
  return plan.weight.is_int4 ? k / kStep * kStep + k % 2 * (kStep / 2) + k % kStep / 2 : k;
}

/// A row as float32, in the order in which lanes take weights, with zeros behind it. RowBytes of scratch.
void LoadRow(QuantizedTask& task, int64_t row, Scratch scratch, float* to);
int64_t RowBytes(const QuantizedPlan& plan);

/// The columns of a chunk, without scales and offsets, and these. ColumnBytes of scratch are enough for all three.
QuantizedColumns LoadColumns(const QuantizedTask& task, int64_t first, int64_t count, Scratch* scratch);
void LoadScales(const QuantizedTask& task, int64_t first, int64_t count, Scratch* scratch, QuantizedColumns* columns);

/// Scales as they are, those of a column contiguous: as they lie, or copied to scratch.
TileOperand ContiguousScales(const QuantizedTask& task, int64_t first, int64_t count, Scratch* scratch);
int64_t ColumnBytes(const QuantizedPlan& plan, int64_t columns);

/// Where many rows are multiplied: panels [first, end) of rows, PackedRowFloats() for all, and the products with the
/// columns of a chunk, which takes PanelBytes() of scratch.
void PackRows(void* argument, int64_t first, int64_t end);
int64_t PackedRowFloats(const QuantizedPlan& plan, int64_t rows);
void MultiplyInPanels(const QuantizedTask& task, int64_t first, int64_t count, Scratch scratch);
int64_t PanelBytes(const QuantizedPlan& plan, int64_t rows);

}  // namespace portacl::loops::quantized
