// SPDX-License-Identifier: Apache-2.0
#include "loops/reductions/select.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/dtype.h"
#include "base/target.h"
#include "loops/moves/indices.h"
#include "loops/reductions/find_first.h"
#include "loops/reductions/order_lanes.h"
#include "loops/reductions/records.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/loop_nest.h"
#include "loops/tiles/rows.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::reductions {
namespace {

// The axes of a row, outermost first, merged where their elements follow each other.
struct RowAxes {
  int rank = 0;
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank];  // in bytes

  bool IsContiguous(int64_t bytes) const { return rank == 1 && (strides[0] == bytes || shape[0] == 1); }
};

enum Operand { kValues, kIndices, kSelectedFrom };  // of the nest

struct SelectPlan {
  OrderFunctions order = {};
  Selection selection = {};
  int self = 0;
  int values = 0;
  int indices = 0;
  int64_t bytes = 0;         // of an element
  int64_t n = 0;             // elements of a row
  int64_t capacity = 0;      // records of the buffer
  int64_t value_stride = 0;  // between the results of a row, in bytes
  int64_t index_stride = 0;
  int64_t block = 0;  // rows, along the innermost kept axis
  int64_t blocks_of_axis = 0;
  int64_t blocks = 0;
  bool serial = false;
  ScratchPart<std::byte> records = {};
  ScratchPart<std::byte> gathered = {};  // the rows of a block, if they are not contiguous
  int64_t scratch_bytes = 0;
  RowAxes row = {};
  LoopNest kept = {};  // the other axes
};

// The place of the median in ascending order.
template <class Record>
int64_t MedianPlace(const SelectPlan& plan, std::span<const Record> records) {
  const auto n = std::ssize(records);
  int64_t numbers = n;
  if (plan.order.nan_rank != 0) {
    const auto is_nan = [&](const Record& record) { return record.rank() == plan.order.nan_rank; };
    numbers -= std::count_if(records.begin(), records.end(), is_nan);
  }
  if (plan.selection.pick == Pick::kMedian) return numbers < n ? numbers : (n - 1) / 2;
  return std::max<int64_t>(numbers - 1, 0) / 2;
}

// The records of the results of a row.
template <size_t kBytes, class Record>
std::span<const Record> Choose(const SelectPlan& plan, const Ordered& row, Record* records) {
  const int64_t k = plan.selection.k;
  if (plan.selection.pick == Pick::kFirst && k == row.n) {
    plan.order.make(row, k, records);
    return {SortRecords<kBytes>(records, records + k, k), static_cast<size_t>(k)};
  }
  if (plan.selection.pick == Pick::kFirst) {
    FindFirst(plan.order, row, k, plan.capacity, records);
    std::sort(records, records + k - 1);
    return {records, static_cast<size_t>(k)};
  }
  if (plan.selection.pick == Pick::kKth) {
    FindFirst(plan.order, row, k, plan.capacity, records);
    return {records + k - 1, 1};
  }
  plan.order.make(row, row.n, records);
  const int64_t place = MedianPlace<Record>(plan, {records, static_cast<size_t>(row.n)});
  std::nth_element(records, records + place, records + row.n);
  return {records + place, 1};
}

// Copies the rows of a block to contiguous memory.
void GatherRows(const SelectPlan& plan, const std::byte* from, int64_t rows, std::byte* to) {
  const RowAxes& axes = plan.row;
  const int last = axes.rank - 1;
  const int64_t columns = axes.shape[last];
  const int64_t row_bytes = plan.n * plan.bytes;
  int64_t at[kMaxRank] = {};
  for (int64_t done = 0; done < plan.n; done += columns) {
    const TileOperand source = {const_cast<std::byte*>(from), plan.kept.strides[kSelectedFrom][0], axes.strides[last]};
    CopyBlock(plan.bytes, rows, columns, source, {to + done * plan.bytes, row_bytes, plan.bytes});
    for (int axis = last; axis-- > 0;) {
      from += axes.strides[axis];
      if (++at[axis] < axes.shape[axis]) break;
      from -= axes.shape[axis] * axes.strides[axis];
      at[axis] = 0;
    }
  }
}

template <class Record>
void StoreResults(const SelectPlan& plan, std::span<const Record> results, const std::byte* row, std::byte* values,
                  std::byte* indices) {
  for (const Record& result : results) {
    std::memcpy(values, row + result.place() * plan.bytes, static_cast<size_t>(plan.bytes));
    values += plan.value_stride;
    if (plan.indices == kNoIndices) continue;
    const int64_t place = result.place();
    std::memcpy(indices, &place, sizeof(place));
    indices += plan.index_stride;
  }
}

template <size_t kBytes, class Record>
void SelectBlock(const SelectPlan& plan, std::byte* const* addresses, int64_t number, std::byte* scratch) {
  const LoopNest& kept = plan.kept;
  const int64_t first = number % plan.blocks_of_axis * plan.block;
  const int64_t rows = std::min(plan.block, kept.shape[0] - first);
  number /= plan.blocks_of_axis;
  std::byte* at[3];
  for (const int operand : {kValues, kIndices, kSelectedFrom})
    at[operand] = addresses[operand] + first * kept.strides[operand][0];
  for (int axis = 1; axis < kept.rank; ++axis) {
    for (const int operand : {kValues, kIndices, kSelectedFrom})
      at[operand] += number % kept.shape[axis] * kept.strides[operand][axis];
    number /= kept.shape[axis];
  }
  const std::byte* in = at[kSelectedFrom];
  int64_t stride = kept.strides[kSelectedFrom][0];
  if (!plan.row.IsContiguous(plan.bytes)) {
    GatherRows(plan, in, rows, plan.gathered.In(scratch));
    in = plan.gathered.In(scratch);
    stride = plan.n * plan.bytes;
  }
  auto* const records = reinterpret_cast<Record*>(plan.records.In(scratch));
  for (int64_t row = 0; row < rows; ++row) {
    const auto results = Choose<kBytes>(plan, {in, plan.n, plan.selection.descending}, records);
    StoreResults(plan, results, in, at[kValues], at[kIndices]);
    in += stride;
    at[kValues] += kept.strides[kValues][0];
    at[kIndices] += kept.strides[kIndices][0];
  }
}

template <size_t kBytes, class Record>
int32_t RunSelect(const exec::RunContext& context) {
  const SelectPlan& plan = context.Parameters<SelectPlan>();
  std::byte* addresses[3];
  addresses[kValues] = context.Address(plan.values);
  addresses[kIndices] = plan.indices == kNoIndices ? addresses[kValues] : context.Address(plan.indices);
  addresses[kSelectedFrom] = context.Address(plan.self);
  ForEachChunk(
      {.count = plan.blocks, .is_serial = plan.serial, .scratch_bytes = plan.scratch_bytes},
      [&](int64_t block, std::byte* scratch) { SelectBlock<kBytes, Record>(plan, addresses, block, scratch); });
  return 0;
}

exec::RunFunction RunOf(int64_t bytes) {
  switch (bytes) {
    case 1:
      return RunSelect<1, ShortRecord>;
    case 2:
      return RunSelect<2, ShortRecord>;
    case 4:
      return RunSelect<4, ShortRecord>;
    default:
      return RunSelect<8, LongRecord>;
  }
}

RowAxes RowAxesOf(const View& view, int first, int64_t bytes) {
  RowAxes axes;
  for (int axis = first; axis < view.rank; ++axis) {
    if (view.shape[axis] == 1) continue;
    const int64_t stride = view.step(axis) * bytes;
    const int last = axes.rank - 1;
    if (axes.rank > 0 && axes.strides[last] == moves::Product(stride, view.shape[axis])) {
      axes.shape[last] *= view.shape[axis];
      axes.strides[last] = stride;
      continue;
    }
    axes.shape[axes.rank] = view.shape[axis];
    axes.strides[axes.rank++] = stride;
  }
  if (axes.rank == 0) axes.shape[0] = 1, axes.strides[0] = bytes, axes.rank = 1;
  return axes;
}

// `output` with the axis of the row at its end, as long as a row has results.
View ResultsAlong(const View& output, int axis, int self_rank) {
  if (output.rank == std::max(self_rank, 1)) return RowsAlong(output, axis);
  View result = output;
  result.shape[result.rank] = result.strides[result.rank] = 1;
  ++result.rank;
  return result;
}

}  // namespace

inline namespace v1 {

void Select(exec::PlanBuilder& builder, int self, int axis, const Selection& selection, int values, int indices) {
  const View& from = builder.OperandView(self);
  SelectPlan plan;
  plan.order = OrderFunctionsOf(from.dtype, ActiveTarget());
  plan.selection = selection;
  plan.self = self;
  plan.values = values;
  plan.indices = indices;
  plan.bytes = static_cast<int64_t>(ElementBytes(from.dtype));
  const bool is_whole = axis == kAllAxes;
  const View rows = RowsAlong(from, is_whole ? std::max(from.rank, 1) - 1 : axis);
  View outer = rows;  // the kept axes
  outer.rank = is_whole ? 0 : rows.rank - 1;
  plan.row = RowAxesOf(is_whole ? from : rows, outer.rank, plan.bytes);
  plan.n = 1;
  for (int i = 0; i < plan.row.rank; ++i) plan.n *= plan.row.shape[i];
  View views[2];
  for (const int output : {values, indices}) {
    if (output == kNoIndices) continue;
    View& view = views[output == values ? kValues : kIndices];
    const View& out = builder.OperandView(output);
    view = is_whole ? out : ResultsAlong(out, axis, from.rank);
    (output == values ? plan.value_stride : plan.index_stride) =
        is_whole ? 0 : view.step(view.rank - 1) * static_cast<int64_t>(ElementBytes(out.dtype));
    view.rank = outer.rank;
    plan.serial |= MustBeSerial(builder, output);
  }
  if (indices == kNoIndices) views[kIndices] = views[kValues];
  plan.kept = MakeLoopNest(outer.dims(), std::initializer_list<const View*>{&views[kValues], &views[kIndices], &outer});

  const bool takes_some = selection.pick == Pick::kFirst || selection.pick == Pick::kKth;
  plan.capacity = takes_some ? FirstCapacity(plan.n, selection.k) : plan.n;
  const bool gathers = !plan.row.IsContiguous(plan.bytes);
  constexpr int64_t kBlockElements = 1 << 14;
  constexpr int64_t kGatheredRows = 16;  // a cache line of FLOAT
  plan.block = std::max<int64_t>(kBlockElements / plan.n, gathers ? kGatheredRows : 1);
  plan.block = std::min(plan.block, plan.kept.shape[0]);
  plan.blocks_of_axis = CeilDivide(plan.kept.shape[0], plan.block);
  plan.blocks = plan.blocks_of_axis;
  for (int i = 1; i < plan.kept.rank; ++i) plan.blocks *= plan.kept.shape[i];
  ScratchLayout layout;
  const int64_t record_bytes = static_cast<int64_t>(plan.bytes > 4 ? sizeof(LongRecord) : sizeof(ShortRecord));
  const bool sorts = selection.pick == Pick::kFirst && selection.k == plan.n;  // with a second array
  plan.records = layout.Add<std::byte>((sorts ? 2 * plan.n : plan.capacity) * record_bytes);
  plan.gathered = layout.Add<std::byte>(gathers ? plan.block * plan.n * plan.bytes : 0);
  plan.scratch_bytes = layout.bytes();
  builder.ForbidInPlace(self);  // values are read after some of them were written
  // Measured on a Xeon with AVX-512: what a record takes, and an element that becomes none.
  const double row_ns = 4.0 * static_cast<double>(plan.capacity) + 0.15 * static_cast<double>(plan.n);
  const int64_t elements = plan.kept.Elements() * plan.n;
  builder.Run(RunOf(plan.bytes), plan, CostNs(elements, plan.bytes, row_ns / static_cast<double>(plan.n)));
}

}  // namespace v1
}  // namespace portacl::loops::reductions
