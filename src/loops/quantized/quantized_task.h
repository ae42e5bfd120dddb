// SPDX-License-Identifier: Apache-2.0
//
// Definitions shared by the parts of the engine of products with quantised weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "exec/plan.h"
#include "loops/elements/conversion.h"
#include "loops/products/panel_lanes.h"
#include "loops/quantized/int4_dots.h"
#include "loops/quantized/quantized_lanes.h"
#include "loops/quantized/quantized_product.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/copy_block.h"

namespace portacl::loops::quantized {

/// Up to this many rows, weights are multiplied as they are read; for more rows, it is faster to widen them to float32
/// first.
inline constexpr int64_t kMostDotRows = 8;

// A matrix of floating elements in memory. Strides are in bytes.
struct Floats {
  int operand = -1;
  int64_t offset = 0;  // in bytes from element 0 of the operand
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  int64_t bytes = 0;                       // per element
  const Conversion* conversion = nullptr;  // to float32, or from it

  bool exists() const { return operand >= 0; }
};

// The matrix of weights. Strides and offset are in elements; the first INT4 may be the upper half of a byte.
struct Weights {
  int operand = -1;
  int64_t offset = 0;  // in elements
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  bool is_int4 = false;
  bool is_along_k = false;  // columns are contiguous and start at whole bytes: lanes read them in place

  int64_t BytesOf(int64_t elements) const { return is_int4 ? (elements + 1) / 2 : elements; }
};

struct QuantizedPlan {
  int64_t m = 0, k = 0, n = 0;
  int64_t padded = 0;  // k, rounded up to a whole step
  int64_t group = 0;
  int64_t groups = 0;  // rows of scales
  bool is_dot = false;
  bool is_serial = false;  // elements of the output share bytes
  int64_t chunk_columns = 1;
  int64_t chunks = 1;
  QuantizedLanes lanes = {};
  products::ProductLanes panels = {};  // for products with more than kMostDotRows rows
  const Int4Dots* int4 = nullptr;      // null: lanes multiply all rows
  Weights weight = {};
  Floats x = {}, scale = {}, offset = {}, bias = {}, out = {};  // scale and offset transposed: [n, groups]
};

struct QuantizedTask {
  const QuantizedPlan& plan;
  const exec::RunContext& context;
  float* x = nullptr;           // [rows][padded], or panels
  Int4Block* blocks = nullptr;  // [rows][Int4Blocks(k)], valid where has_blocks is set
  bool has_blocks[kMostDotRows] = {};
  int64_t first_row = 0;
  int64_t rows = 0;

  // Calls multiply(first, count, scratch) for the columns of each chunk.
  template <class F>
  void ForEachColumns(int64_t scratch_bytes, const F& multiply) const {
    ForEachChunk({plan.chunks, plan.is_serial, scratch_bytes}, [&](int64_t chunk, std::byte* scratch) {
      const int64_t first = chunk * plan.chunk_columns;
      multiply(first, std::min(plan.chunk_columns, plan.n - first), scratch);
    });
  }

  std::byte* At(const Floats& floats, int64_t row, int64_t column) const {
    return context.Address(floats.operand) + floats.offset + row * floats.row_stride + column * floats.column_stride;
  }
};

/// Loads rows x columns elements as float32, row by row; `dense` has room for the original elements.
void LoadFloats(const QuantizedTask& task, const Floats& floats, int64_t row, int64_t column, int64_t rows,
                int64_t columns, std::byte* dense, float* to);

/// Element i of the INT4 array at `base`.
inline int Int4At(const std::byte* base, int64_t i) {
  const auto pair = static_cast<int8_t>(base[i / 2]);
  return i % 2 == 0 ? static_cast<int8_t>(static_cast<uint8_t>(pair) << 4) >> 4 : pair >> 4;
}

/// The position in a row of x of element k of a column.
inline int64_t PlaceOf(const QuantizedPlan& plan, int64_t k) {
  constexpr int64_t kStep = kQuantizedStep;
  return plan.weight.is_int4 ? k / kStep * kStep + k % 2 * (kStep / 2) + k % kStep / 2 : k;
}

struct RowScratch {
  RowScratch(const QuantizedPlan& plan, ScratchLayout* layout);
  ScratchPart<std::byte> dense;
  ScratchPart<float> loaded;
};

/// Loads a row as float32, in the order in which lanes read weights, padded with zeros.
void LoadRow(QuantizedTask& task, int64_t row, const RowScratch& places, std::byte* scratch, float* to);

struct ColumnScratch {
  ColumnScratch(const QuantizedPlan& plan, ScratchLayout* layout);
  ScratchPart<std::byte> weights, dense;
  ScratchPart<float> scales, offsets;
};

/// Loads the columns of a chunk without scales and offsets, and then the scales and offsets.
QuantizedColumns LoadColumns(const QuantizedTask& task, int64_t first, int64_t count, const ColumnScratch& places,
                             std::byte* scratch);
void LoadScales(const QuantizedTask& task, int64_t first, int64_t count, const ColumnScratch& places,
                std::byte* scratch, QuantizedColumns* columns);

/// The original scales, contiguous within each column: in place, or copied to scratch.
TileOperand ContiguousScales(const QuantizedTask& task, int64_t first, int64_t count, const ColumnScratch& places,
                             std::byte* scratch);

/// For many rows: packs them into panels of PackedRowFloats() floats in total, and multiplies all columns with them.
void PackRows(QuantizedTask& task);
int64_t PackedRowFloats(const QuantizedPlan& plan, int64_t rows);
void MultiplyInPanels(const QuantizedTask& task);

}  // namespace portacl::loops::quantized
