// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "loops/reductions/label_plan.h"

namespace portacl::loops::reductions {
namespace {

// Scores are prefetched this many labels ahead: each is in another line, often in another page.
constexpr int64_t kLabelsAhead = 16;

struct LabelSums {
  double loss = 0;
  double weight = 0;
  bool good = true;
};

float ScoreOf(const LabelPlan& plan, const Tile& tile, int64_t row, int64_t column, int64_t label) {
  return LoadFloat(plan.scores, ElementAt(tile.operand[kSelf], row, column) + label * plan.class_bytes);
}

int32_t RunLosses(const exec::RunContext& context) {
  const LabelPlan& plan = context.Parameters<LabelPlan>();
  StoreDouble(plan.total, 0, context.Address(plan.total_operand));
  return RunLabels(plan, context, [&](const Tile& tile) {
    return ForEachLabel(plan.labels, tile, [&](int64_t row, int64_t column, int64_t label) {
      float loss = 0;
      if (label >= 0) loss = -(WeightOf(plan, tile, label) * ScoreOf(plan, tile, row, column, label));
      StoreDouble(plan.out, double{loss}, ElementAt(tile.operand[kOut], row, column));
    });
  });
}

// kPlain: labels are INT64, scores and weights FLOAT. All that the loop reads is in locals.
template <bool kPlain>
void AddLabelTile(const LabelPlan& plan, const Tile& tile, LabelSums* sums) {
  const aclDataType of_labels = kPlain ? ACL_INT64 : plan.labels.dtype, of_scores = kPlain ? ACL_FLOAT : plan.scores,
                    of_weights = kPlain ? ACL_FLOAT : plan.weight;
  const int64_t class_bytes = plan.class_bytes, weight_bytes = plan.weight_bytes, ignored = plan.labels.ignored;
  const auto classes = static_cast<uint64_t>(plan.labels.classes);
  const std::byte* const weights = tile.operand[kWeight].base;
  LabelSums all = *sums;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const TileOperand target = BlockAt(tile.operand[kTarget], row, 0), self = BlockAt(tile.operand[kSelf], row, 0);
    const auto label_at = [&](int64_t column) {
      return LoadLabel(of_labels, target.base + column * target.column_stride);
    };
    const auto score_at = [&](int64_t column, int64_t label) {
      return self.base + column * self.column_stride + label * class_bytes;
    };
    const int64_t columns = tile.columns;
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t next = column + kLabelsAhead;
      if (next < columns) {
        const int64_t label = label_at(next);
        if (static_cast<uint64_t>(label) < classes) __builtin_prefetch(score_at(next, label));
      }
      const int64_t label = label_at(column);
      if (label == ignored) continue;
      if (static_cast<uint64_t>(label) >= classes) [[unlikely]] {
        all.good = false;
        continue;
      }
      const float weight = LoadFloat(of_weights, weights + label * weight_bytes);
      all.loss -= double{weight * LoadFloat(of_scores, score_at(column, label))};
      all.weight += double{weight};
    }
  }
  *sums = all;
}

int32_t RunLabelSums(const exec::RunContext& context) {
  const LabelPlan& plan = context.Parameters<LabelPlan>();
  const int64_t chunks = plan.tiles.tiling.chunks;
  auto* const partial = static_cast<LabelSums*>(__builtin_alloca(static_cast<size_t>(chunks) * sizeof(LabelSums)));
  const TileTask task(plan.tiles, context);
  const bool is_plain = plan.labels.dtype == ACL_INT64 && plan.scores == ACL_FLOAT && plan.weight == ACL_FLOAT;
  const auto add = is_plain ? AddLabelTile<true> : AddLabelTile<false>;
  ForEachChunk({.count = chunks, .differ = true}, [&](int64_t chunk, std::byte*) {
    LabelSums part;
    ForEachTile(task, chunk, chunk + 1, nullptr, [&](const Tile& tile) { add(plan, tile, &part); });
    partial[chunk] = part;
  });
  LabelSums sums;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    sums.loss += partial[chunk].loss;
    sums.weight += partial[chunk].weight;
    sums.good &= partial[chunk].good;
  }
  const double divisor = plan.reduction == LabelReduction::kMean ? sums.weight : 1;
  StoreDouble(plan.out, sums.loss / divisor, context.Address(plan.out_operand));
  StoreDouble(plan.total, sums.weight, context.Address(plan.total_operand));
  return sums.good ? 0 : plan.labels.Refuse(context);
}

}  // namespace

inline namespace v1 {

void LabelLoss(exec::PlanBuilder& plan, const LabelRows& rows, LabelReduction reduction, int out, int total) {
  const View& classes = plan.OperandView(rows.classes);
  const OperandPart to = {out, plan.OperandView(out)};
  const bool by_label = reduction == LabelReduction::kNone;
  for (const int input : {rows.classes, rows.target, rows.weight}) plan.ForbidInPlace(input);
  PlanLabels(plan, by_label ? RunLosses : RunLabelSums, rows, PlanOf(plan, rows, reduction, rows.classes, out, total),
             {rows.classes, ClassZero(classes, rows.class_axis)}, by_label ? &to : nullptr, 0);
}

}  // namespace v1
}  // namespace portacl::loops::reductions
