// SPDX-License-Identifier: Apache-2.0
#include "loops/reductions/label_plan.h"

#include <span>

#include "loops/elements/non_temporal.h"

namespace portacl::loops::reductions {
namespace {

constexpr double kNsPerLabel = 5;
constexpr double kNsPerByte = 0.05;  // of a row that is cleared

constexpr int64_t kMostLabelChunks = 1024;

// In shorter rows, a label's element is in a line that has just been cleared, or near one.
constexpr int64_t kStreamedBytes = 1024;

int64_t BytesAlong(const View& view, int axis) {
  return view.step(axis) * static_cast<int64_t>(ElementBytes(view.dtype));
}

}  // namespace

View ClassZero(const View& view, int class_axis) {
  View zero = view;
  zero.rank = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (axis == class_axis) continue;
    zero.shape[zero.rank] = view.shape[axis];
    zero.strides[zero.rank++] = view.strides[axis];
  }
  return zero;
}

View FirstOf(View view) {
  view.rank = 0;
  return view;
}

void PlanLabels(exec::PlanBuilder& plan, exec::RunFunction run, const LabelRows& rows, LabelPlan labels,
                const OperandPart& scores, const OperandPart* out, int64_t cleared_bytes) {
  const double ns_per_label = kNsPerLabel + kNsPerByte * static_cast<double>(cleared_bytes);
  const OperandPart parts[] = {{rows.weight, FirstOf(plan.OperandView(rows.weight))},
                               scores,
                               {rows.target, plan.OperandView(rows.target)},
                               out == nullptr ? OperandPart() : *out};
  const std::span operands(parts, out == nullptr ? 3 : 4);
  TilePlan& tiles = labels.tiles;
  const OperandViews views(plan, operands);
  tiles.nest = MakeLoopNest(plan.OperandView(rows.target).dims(), views.span());
  if (tiles.nest.Elements() != 0) {
    tiles.tiling = MakeTiling(tiles.nest, ns_per_label);
    tiles.tiling.tiles_per_chunk *= CeilDivide(tiles.tiling.chunks, kMostLabelChunks);
    tiles.tiling.chunks = CeilDivide(tiles.tiling.tiles, tiles.tiling.tiles_per_chunk);
  }
  SetOperands(plan, operands, {}, &tiles);
  tiles.non_temporal = cleared_bytes >= kStreamedBytes &&
                       cleared_bytes > NonTemporalBytes() / std::max<int64_t>(tiles.nest.Elements(), 1);
  PlanTiles(plan, run, labels, ns_per_label);
}

LabelPlan PlanOf(const exec::PlanBuilder& plan, const LabelRows& rows, LabelReduction reduction, int scores, int out,
                 int total) {
  const View& classes = plan.OperandView(rows.classes);
  const View& weight = plan.OperandView(rows.weight);
  LabelPlan labels{.labels = Labels(plan, rows),
                   .reduction = reduction,
                   .class_bytes = BytesAlong(classes, rows.class_axis),
                   .weight_bytes = BytesAlong(weight, 0),
                   .weight = weight.dtype,
                   .scores = plan.OperandView(scores).dtype,
                   .out = plan.OperandView(out).dtype,
                   .total = plan.OperandView(total).dtype,
                   .out_operand = out,
                   .total_operand = total,
                   .tiles = {}};
  labels.tiles.code.inputs = 3;
  labels.tiles.code.any_strides = true;
  return labels;
}

}  // namespace portacl::loops::reductions
