// SPDX-License-Identifier: Apache-2.0
//
// What losses with labels and their gradients share. The loops visit the labels: of the operand with classes they have
// the elements of class 0, from which those of the other classes are a multiple of a stride away.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

#include "acl/error_codes/rt_error_codes.h"
#include "base/bfloat16.h"
#include "base/dtype.h"
#include "base/float16.h"
#include "base/status.h"
#include "loops/moves/indices.h"
#include "loops/reductions/label_rows.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::reductions {

inline float LoadFloat(aclDataType dtype, const std::byte* element) {
  if (dtype == ACL_FLOAT) {
    float value;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, element, sizeof(bits));
  return dtype == ACL_FLOAT16 ? Float16ToFloat(bits) : Bfloat16ToFloat(bits);
}

/// Rounds once.
inline void StoreDouble(aclDataType dtype, double value, std::byte* element) {
  if (dtype == ACL_FLOAT) {
    const auto single = static_cast<float>(value);
    std::memcpy(element, &single, sizeof(single));
    return;
  }
  const uint16_t bits = dtype == ACL_FLOAT16 ? DoubleToFloat16(value) : DoubleToBfloat16(value);
  std::memcpy(element, &bits, sizeof(bits));
}

inline int64_t LoadLabel(aclDataType dtype, const std::byte* element) {
  if (dtype == ACL_UINT8) return std::to_integer<int64_t>(*element);
  return moves::ReadIndex(element, dtype == ACL_INT64);
}

/// Labels as a run reads them.
struct Labels {
  const char* api;
  int64_t classes;
  int64_t ignored;
  int operand;
  aclDataType dtype;
  moves::Places places;

  Labels(const exec::PlanBuilder& plan, const LabelRows& rows)
      : api(plan.schema().api),
        classes(plan.OperandView(rows.classes).shape[rows.class_axis]),
        ignored(rows.ignored),
        operand(rows.target),
        dtype(plan.OperandView(operand).dtype),
        places(plan.OperandView(operand), 0, plan.OperandView(operand).rank) {}

  bool Hold(int64_t label) const { return label >= 0 && label < classes; }

  /// Reports the first label that is neither a class nor ignored.
  int32_t Refuse(const exec::RunContext& context) const {
    const std::byte* const first = context.Address(operand);
    int64_t position = 0, label = 0;
    for (; position < places.Count(); ++position) {
      label = LoadLabel(dtype, first + places.Of(position));
      if (label != ignored && !Hold(label)) break;
    }
    return Failf(ACL_ERROR_RT_AICORE_EXCEPTION,
                 "{}: argument 'target': expected elements from 0 to {}, or {} (ignoreIndex), got {} at {}", api,
                 classes - 1, ignored, label, position);
  }
};

/// Operands of the tiles. Of weight it is class 0, the same in every tile.
enum : int { kWeight, kGradOutput, kTarget, kOut, kSelf = kGradOutput };

struct LabelPlan {
  Labels labels;
  LabelReduction reduction;
  int64_t class_bytes;                     // from one class of self, or of its gradient, to the next
  int64_t weight_bytes;                    // the same for weight
  aclDataType weight, scores, out, total;  // scores: of self or gradOutput; total: of the total weight
  int out_operand, total_operand;
  TilePlan tiles;
};

inline std::byte* ElementAt(const TileOperand& operand, int64_t row, int64_t column) {
  return operand.base + row * operand.row_stride + column * operand.column_stride;
}
inline float WeightOf(const LabelPlan& plan, const Tile& tile, int64_t label) {
  return LoadFloat(plan.weight, tile.operand[kWeight].base + label * plan.weight_bytes);
}

/// Calls f(row, column, label), the label of an element without a loss being -1. Returns false if one is refused. All
/// that the loop reads is in locals: a byte that f writes could be any of it.
template <class F>
bool ForEachLabel(const Labels& labels, const Tile& tile, const F& f) {
  const int64_t ignored = labels.ignored, columns = tile.columns;
  const auto classes = static_cast<uint64_t>(labels.classes);
  const aclDataType dtype = labels.dtype;
  bool good = true;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const TileOperand target = BlockAt(tile.operand[kTarget], row, 0);
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t label = LoadLabel(dtype, target.base + column * target.column_stride);
      const bool is_ignored = label == ignored, is_class = static_cast<uint64_t>(label) < classes;
      good &= is_ignored | is_class;
      f(row, column, is_class && !is_ignored ? label : -1);
    }
  }
  return good;
}

/// Calls f(tile), which returns false where a label is refused, for all tiles.
template <class F>
int32_t RunLabels(const LabelPlan& plan, const exec::RunContext& context, const F& f) {
  std::atomic<bool> failed{false};
  RunTiles(TileTask(plan.tiles, context), 0, [&](const Tile& tile) {
    if (!f(tile)) failed.store(true, std::memory_order_relaxed);
  });
  return failed.load(std::memory_order_relaxed) ? plan.labels.Refuse(context) : 0;
}

/// The elements of class 0.
View ClassZero(const View& view, int class_axis);

/// The first element.
View FirstOf(View view);

/// A plan without tiles.
LabelPlan PlanOf(const exec::PlanBuilder& plan, const LabelRows& rows, LabelReduction reduction, int scores, int out,
                 int total);

/// Completes a plan of `run` over the operands weight, `scores`, target and, if it is written label by label, `out`.
/// `cleared_bytes`: per label.
void PlanLabels(exec::PlanBuilder& plan, exec::RunFunction run, const LabelRows& rows, LabelPlan labels,
                const OperandPart& scores, const OperandPart* out, int64_t cleared_bytes);

}  // namespace portacl::loops::reductions
