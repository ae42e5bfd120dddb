// SPDX-License-Identifier: Apache-2.0
#include "loops/reductions/normalize.h"

#include <algorithm>
#include <span>

#include "base/dtype.h"
#include "loops/elements/non_temporal.h"
#include "loops/reductions/norm_plan.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"
#include "tensor/view.h"

namespace portacl::loops::reductions {
namespace {

// Bytes of gathered rows that stay in the second-level cache, as in the row engine.
constexpr int64_t kGatheredBytes = 128 << 10;

// As in tiling.cc: the work that is worth splitting, and the number of chunks then.
constexpr double kNormSplitBytes = 256 << 10;
constexpr double kNormSplitNs = 5'000;
constexpr double kNormChunksOfSplit = 4;
constexpr double kNormBytesPerNs = 25;

// The most chunks with sums of their own, and the elements of rows that pay for each sum that is kept.
constexpr int64_t kMostPartials = 64;
constexpr int64_t kRowsOfPartial = 16;

// Appends an axis to `shape`, joined to the last one where all strides allow it.
struct AxisMerger {
  int64_t* shape;
  int* rank;
  int first_merged;  // axes before this one are not joined

  void Add(int64_t size, std::span<const int64_t> strides, std::span<int64_t* const> to) const {
    const int last = *rank - 1;
    bool joins = last >= first_merged;
    for (size_t i = 0; joins && i < strides.size(); ++i) joins = to[i][last] == strides[i] * size;
    if (!joins) ++*rank;
    const int at = *rank - 1;
    shape[at] = joins ? shape[at] * size : size;
    for (size_t i = 0; i < strides.size(); ++i) to[i][at] = strides[i];
  }
};

constexpr int64_t RoundedToLine(int64_t bytes) { return CeilDivide(bytes, kLineBytes) * kLineBytes; }

Numbered NumberedOf(const exec::PlanBuilder& builder, int operand) {
  Numbered result;
  result.operand = operand;
  if (operand == kNoOperand) return result;
  const View& view = builder.OperandView(operand);
  result.dtype = view.dtype;
  result.bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  int64_t* const to[] = {result.strides};
  const AxisMerger merger{result.shape, &result.rank, 0};
  for (int axis = 0; axis < view.rank; ++axis) {
    const int64_t stride[] = {view.step(axis) * result.bytes};
    if (view.shape[axis] != 1) merger.Add(view.shape[axis], stride, to);
  }
  return result;
}

void SetRows(const exec::PlanBuilder& builder, const NormOperands& operands, NormPlan* plan) {
  plan->row_count = operands.row_count;
  for (int i = 0; i < operands.row_count; ++i) {
    PlannedRows& rows = plan->operand[i];
    rows.operand = operands.rows[i].operand;
    rows.is_written = i >= operands.row_count - operands.row_outputs;
    rows.by_segment = operands.rows[i].by_segment;
    if (rows.operand != kNoOperand)
      rows.bytes = static_cast<int64_t>(ElementBytes(builder.OperandView(rows.operand).dtype));
  }
}

// Sets the axes outside and inside of a row, each joined as far as the strides of all operands allow.
void SetAxes(const NormOperands& operands, NormPlan* plan) {
  const NormShape& shape = operands.shape;
  int64_t* outer[kMostNormRows + kMostNormSums];
  int64_t* inner[kMostNormRows + kMostNormSums];
  int64_t unused[kMostNormAxes];
  for (int i = 0; i < kMostNormRows; ++i) outer[i] = plan->operand[i].outer, inner[i] = plan->operand[i].inner;
  for (int i = 0; i < kMostNormSums; ++i)
    outer[kMostNormRows + i] = plan->sums[i].outer, inner[kMostNormRows + i] = unused;
  const bool has_segments = operands.has_segments;
  const AxisMerger merge_outer{plan->outer_shape, &plan->outer_rank, 0};
  const AxisMerger merge_inner{plan->inner_shape, &plan->inner_rank, has_segments ? 1 : 0};
  for (int axis = 0; axis < shape.outer + shape.inner; ++axis) {
    const bool is_outer = axis < shape.outer;
    (is_outer ? plan->rows : plan->columns) *= shape.sizes[axis];
    const bool is_segment = has_segments && axis == shape.outer;
    if (is_segment) plan->segments = shape.sizes[axis];
    if (shape.sizes[axis] == 1 && !is_segment) continue;
    int64_t strides[kMostNormRows + kMostNormSums] = {};
    for (int i = 0; i < operands.row_count; ++i) strides[i] = operands.rows[i].strides[axis] * plan->operand[i].bytes;
    for (int i = 0; is_outer && i < kMostNormSums; ++i)
      strides[kMostNormRows + i] = operands.sums[i].strides[axis] * static_cast<int64_t>(sizeof(double));
    (is_outer ? merge_outer : merge_inner).Add(shape.sizes[axis], strides, is_outer ? outer : inner);
  }
}

bool IsDense(const NormPlan& plan, const PlannedRows& rows) {
  int64_t step = rows.bytes;
  if (rows.by_segment) return plan.segments == 1 || rows.inner[0] == step;
  for (int axis = plan.inner_rank - 1; axis >= 0; --axis) {
    if (plan.inner_shape[axis] != 1 && rows.inner[axis] != step) return false;
    step *= plan.inner_shape[axis];
  }
  return true;
}

// Decides which operands are gathered, and their positions in scratch.
void SetScratch(NormPlan* plan) {
  int64_t row_bytes = 0;
  for (int i = 0; i < plan->row_count; ++i) {
    PlannedRows& rows = plan->operand[i];
    rows.is_dense = rows.operand == kNoOperand || plan->columns == 0 || IsDense(*plan, rows);
    if (rows.is_dense) continue;
    rows.row_bytes = RoundedToLine((rows.by_segment ? plan->segments : plan->columns) * rows.bytes);
    row_bytes += rows.row_bytes;
  }
  if (row_bytes != 0) plan->tile_rows = std::clamp<int64_t>(kGatheredBytes / row_bytes, 1, kNormTileRows);
  plan->scratch_bytes = plan->kernel_scratch;
  for (int i = 0; i < plan->row_count; ++i) {
    PlannedRows& rows = plan->operand[i];
    rows.scratch = plan->scratch_bytes;
    if (!rows.is_dense) plan->scratch_bytes += plan->tile_rows * rows.row_bytes;
  }
}

void SetSums(const exec::PlanBuilder& builder, const NormOperands& operands, NormPlan* plan) {
  for (int i = 0; i < kMostNormSums; ++i) {
    PlannedSums& sums = plan->sums[i];
    sums.to = NumberedOf(builder, operands.sums[i].operand);
    if (sums.to.operand == kNoOperand) continue;
    CountElements(builder.OperandView(sums.to.operand).dims(), &sums.count);
    sums.first = plan->sum_count;
    plan->sum_count += sums.count;
  }
}

// The bytes of memory traffic per row.
int64_t RowBytes(const NormPlan& plan) {
  int64_t bytes = 0;
  for (int i = 0; i < plan.row_count; ++i) {
    const PlannedRows& rows = plan.operand[i];
    const auto moves = [](int64_t stride) { return stride != 0; };
    if (!rows.by_segment && (plan.rows == 1 || std::any_of(rows.outer, rows.outer + plan.outer_rank, moves)))
      bytes += rows.bytes * plan.columns;
  }
  return std::max<int64_t>(bytes, 1);
}

// Cuts the rows into chunks; returns the time of all rows in ns.
double CutNormRows(double ns_per_element, int64_t row_bytes, NormPlan* plan) {
  const auto rows = static_cast<double>(plan->rows);
  const auto bytes = static_cast<double>(row_bytes);
  const double row_ns = ns_per_element * static_cast<double>(std::max<int64_t>(plan->columns, 1));
  double chunk_rows = std::min(kNormSplitBytes / bytes, kNormSplitNs / row_ns);
  if (rows > chunk_rows) chunk_rows /= kNormChunksOfSplit;
  plan->chunk_rows = std::max<int64_t>(1, static_cast<int64_t>(std::min(chunk_rows, rows)));
  if (plan->sum_count != 0) {
    const int64_t partials = plan->rows / kRowsOfPartial * plan->columns / plan->sum_count;
    plan->chunk_rows =
        std::max(plan->chunk_rows, CeilDivide(plan->rows, std::clamp<int64_t>(partials, 1, kMostPartials)));
  }
  plan->chunks = CeilDivide(plan->rows, plan->chunk_rows);
  return rows * std::max(row_ns, bytes / kNormBytesPerNs);
}

}  // namespace

inline namespace v1 {

void Normalize(exec::PlanBuilder& builder, const NormOperands& operands, const NormKernel& kernel,
               const Parameters& parameters) {
  NormPlan plan;
  plan.run = kernel.run;
  plan.kernel_scratch = RoundedToLine(kernel.scratch_bytes);
  plan.reads_statistics = operands.reads_statistics;
  SetRows(builder, operands, &plan);
  SetSums(builder, operands, &plan);
  SetAxes(operands, &plan);
  if (plan.rows == 0 && plan.sum_count == 0) return;
  for (int i = 0; i < kMostStatistics; ++i) plan.statistics[i] = NumberedOf(builder, operands.statistics[i]);
  SetScratch(&plan);
  const int64_t row_bytes = RowBytes(plan);
  const double cost = CutNormRows(kernel.ns_per_element, row_bytes, &plan);
  plan.non_temporal = plan.rows > NonTemporalBytes() / row_bytes;
  for (int i = 0; i < plan.row_count; ++i) {
    const PlannedRows& rows = plan.operand[i];
    if (!rows.is_written || rows.operand == kNoOperand) continue;
    plan.non_temporal &= rows.is_dense;
    plan.is_serial |= MayOverlapItself(builder.OperandView(rows.operand));
  }
  for (const Numbered& statistic : plan.statistics) {
    if (statistic.operand != kNoOperand && !plan.reads_statistics)
      plan.is_serial |= MayOverlapItself(builder.OperandView(statistic.operand));
  }
  parameters.CopyTo(plan.parameters);
  builder.Run(RunNormalize, plan, static_cast<int64_t>(std::min(cost, 9e18)));
}

}  // namespace v1
}  // namespace portacl::loops::reductions
