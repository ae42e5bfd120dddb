// SPDX-License-Identifier: Apache-2.0
//
// Rows of records are sorted, see records.h.
#include "loops/reductions/sort.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"
#include "base/target.h"
#include "base/tuning.h"
#include "loops/elements/conversion.h"
#include "loops/reductions/order_lanes.h"
#include "loops/reductions/records.h"
#include "loops/tiles/rows.h"

namespace portacl::loops::reductions {
namespace {

struct SortParameters {
  decltype(OrderFunctions::make) make;
  const Conversion* store;  // for values; null: there are no values
  int64_t element_bytes;
  bool descending;
};

template <class Record>
void StoreValues(const SortParameters& parameters, const Record* sorted, const std::byte* elements, int64_t n,
                 const TileOperand& values) {
  constexpr int64_t kSortedBlock = 512;
  alignas(64) std::byte block[8 * kSortedBlock];
  const int64_t bytes = parameters.element_bytes;
  for (int64_t first = 0; first < n; first += kSortedBlock) {
    const int64_t count = std::min(kSortedBlock, n - first);
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(block + i * bytes, elements + sorted[first + i].place() * bytes, static_cast<size_t>(bytes));
    Convert(*parameters.store, block, values.base + first * values.column_stride, count);
  }
}

// Operands of the tile: self, values if there are any, indices.
template <size_t kBytes, class Record>
void SortRows(const Tile& tile) {
  const auto& parameters = *static_cast<const SortParameters*>(tile.parameters);
  const int64_t n = tile.columns;
  auto* const records = static_cast<Record*>(tile.scratch);
  auto* const copy = reinterpret_cast<std::byte*>(records + 2 * n);  // values may overwrite self
  for (int64_t row = 0; row < tile.rows; ++row) {
    const std::byte* const self = tile.Row<const std::byte>(0, row);
    parameters.make({self, n, parameters.descending}, n, records);
    if (parameters.store != nullptr) std::memcpy(copy, self, static_cast<size_t>(n) * kBytes);
    const Record* const sorted = SortRecords<kBytes>(records, records + n, n);
    if (parameters.store != nullptr) {
      TileOperand values = tile.operand[1];
      values.base += row * values.row_stride;
      StoreValues(parameters, sorted, copy, n, values);
    }
    auto* const indices = tile.Row<int64_t>(parameters.store != nullptr ? 2 : 1, row);
    for (int64_t i = 0; i < n; ++i) indices[i] = sorted[i].place();
  }
}

LaneFunction SortFunction(int64_t bytes) {
  switch (bytes) {
    case 1:
      return SortRows<1, ShortRecord>;
    case 2:
      return SortRows<2, ShortRecord>;
    case 4:
      return SortRows<4, ShortRecord>;
    default:
      return SortRows<8, LongRecord>;
  }
}

}  // namespace

inline namespace v1 {

void Sort(exec::PlanBuilder& plan, int self, int axis, bool descending, int values, int indices) {
  const View& from = plan.OperandView(self);
  const auto bytes = static_cast<int64_t>(ElementBytes(from.dtype));
  const bool has_values = values != kNoValues;
  const auto record_bytes = static_cast<int64_t>(bytes > 4 ? sizeof(LongRecord) : sizeof(ShortRecord));
  const int64_t columns = from.rank == 0 ? 1 : from.shape[axis];
  const RowKernel kernel{.run = SortFunction(bytes),
                         .ns_per_element = CurrentTuning().sort_ns,
                         .outputs = has_values ? 2 : 1,
                         .scratch_bytes = columns * (2 * record_bytes + (has_values ? bytes : 0))};
  const auto rows = [&](int operand) { return OperandPart(operand, RowsAlong(plan.OperandView(operand), axis)); };
  SortParameters parameters{OrderFunctionsOf(from.dtype, ActiveTarget()).make, nullptr, bytes, descending};
  if (!has_values) return Rows(plan, {rows(self), rows(indices)}, kernel, parameters);
  parameters.store = &ConversionOf(from.dtype, plan.OperandView(values).dtype);
  Rows(plan, {rows(self), rows(values), rows(indices)}, kernel, parameters);
}

}  // namespace v1
}  // namespace portacl::loops::reductions
