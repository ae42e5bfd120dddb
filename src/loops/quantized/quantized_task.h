// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the engine of products with quantised weights share.
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

/// At most this many rows are multiplied with weights as they are read: with more it is faster to make these float32 first.
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

/// Rows x columns elements as float32, one row after the other; `dense` has room for them as they are.
void LoadFloats(const QuantizedTask& task, const Floats& floats, int64_t row, int64_t column, int64_t rows,
                int64_t columns, std::byte* dense, float* to);

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

struct RowScratch {
  RowScratch(const QuantizedPlan& plan, ScratchLayout* layout);
  ScratchPart<std::byte> dense;
  ScratchPart<float> loaded;
};

/// A row as float32, in the order in which lanes take weights, followed by zeros.
void LoadRow(QuantizedTask& task, int64_t row, const RowScratch& places, std::byte* scratch, float* to);

struct ColumnScratch {
  ColumnScratch(const QuantizedPlan& plan, ScratchLayout* layout);
  ScratchPart<std::byte> weights, dense;
  ScratchPart<float> scales, offsets;
};

/// The columns of a chunk, without scales and offsets, and these.
QuantizedColumns LoadColumns(const QuantizedTask& task, int64_t first, int64_t count, const ColumnScratch& places,
                             std::byte* scratch);
void LoadScales(const QuantizedTask& task, int64_t first, int64_t count, const ColumnScratch& places,
                std::byte* scratch, QuantizedColumns* columns);

/// Scales as they are, those of a column contiguous: as they lie, or copied to scratch.
TileOperand ContiguousScales(const QuantizedTask& task, int64_t first, int64_t count, const ColumnScratch& places,
                             std::byte* scratch);

/// Where many rows are multiplied: packs them to panels, PackedRowFloats() for all, and multiplies them with all columns.
void PackRows(QuantizedTask& task);
int64_t PackedRowFloats(const QuantizedPlan& plan, int64_t rows);
void MultiplyInPanels(const QuantizedTask& task);

}  // namespace portacl::loops::quantized
