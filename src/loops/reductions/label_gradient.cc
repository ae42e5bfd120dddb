// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hwy/cache_control.h"
#include "loops/elements/non_temporal.h"
#include "loops/reductions/label_plan.h"

namespace portacl::loops::reductions {
namespace {

// Sets `bytes` bytes to 0, with stores that pass the cache where the gradient exceeds it.
void ClearBytes(std::byte* to, int64_t bytes, bool non_temporal) {
  constexpr int64_t kZeros = 4096;
  alignas(64) static constexpr std::byte kZero[kZeros] = {};
  if (!non_temporal) return static_cast<void>(std::memset(to, 0, static_cast<size_t>(bytes)));
  for (int64_t at = 0; at < bytes; at += kZeros) StoreAround(kZero, to + at, std::min(kZeros, bytes - at));
}

// Clears the elements of all classes, by runs of neighbours.
void ClearTile(const LabelPlan& plan, const Tile& tile) {
  const TileOperand& out = tile.operand[kOut];
  const auto bytes = static_cast<int64_t>(ElementBytes(plan.out));
  const int64_t classes = plan.labels.classes;
  for (int64_t row = 0; row < tile.rows; ++row) {
    if (out.column_stride == bytes && tile.columns > 1) {
      for (int64_t i = 0; i < classes; ++i)
        ClearBytes(ElementAt(out, row, 0) + i * plan.class_bytes, tile.columns * bytes, tile.non_temporal);
      continue;
    }
    const bool is_run = plan.class_bytes == bytes;
    for (int64_t column = 0; column < tile.columns; ++column) {
      for (int64_t i = 0; i < (is_run ? 1 : classes); ++i)
        ClearBytes(ElementAt(out, row, column) + i * plan.class_bytes, is_run ? classes * bytes : bytes,
                   is_run && tile.non_temporal);
    }
  }
  if (tile.non_temporal) hwy::FlushStream();
}

// The gradients of classes. With one gradOutput for all labels, those of a class are the same.
class ClassGradients {
 public:
  ClassGradients(const LabelPlan& plan, const TileTask& task, double divisor) {
    has_all_ = plan.reduction != LabelReduction::kNone && plan.labels.classes <= kMostClasses;
    if (!has_all_) return;
    const double grad = double{LoadFloat(plan.scores, task.addresses[kGradOutput])};
    for (int64_t i = 0; i < plan.labels.classes; ++i) {
      const float weight = LoadFloat(plan.weight, task.addresses[kWeight] + i * plan.weight_bytes);
      StoreDouble(plan.out, -(grad * double{weight}) / divisor, bytes_ + i * kStep);
    }
  }

  bool has_all() const { return has_all_; }
  void Store(aclDataType dtype, int64_t label, std::byte* element) const {
    const std::byte* const from = bytes_ + label * kStep;
    dtype == ACL_FLOAT ? std::memcpy(element, from, 4) : std::memcpy(element, from, 2);
  }

 private:
  static constexpr int64_t kMostClasses = 1024;
  static constexpr int64_t kStep = 4;  // bytes
  bool has_all_;
  std::byte bytes_[kMostClasses * kStep];
};

int32_t RunGradient(const exec::RunContext& context) {
  const LabelPlan& plan = context.Parameters<LabelPlan>();
  if (plan.tiles.tiling.tiles == 0) return 0;
  double divisor = 1;
  if (plan.reduction == LabelReduction::kMean)
    divisor = double{LoadFloat(plan.total, context.Address(plan.total_operand))};
  const ClassGradients of_classes(plan, TileTask(plan.tiles, context), divisor);
  return RunLabels(plan, context, [&](const Tile& tile) {
    ClearTile(plan, tile);
    const TileOperand out = tile.operand[kOut];
    const int64_t class_bytes = plan.class_bytes;
    if (of_classes.has_all()) {
      return ForEachLabel(plan.labels, tile,
                          [=, &of_classes, dtype = plan.out](int64_t row, int64_t column, int64_t label) {
                            if (label >= 0)
                              of_classes.Store(dtype, label, ElementAt(out, row, column) + label * class_bytes);
                          });
    }
    return ForEachLabel(plan.labels, tile, [&](int64_t row, int64_t column, int64_t label) {
      if (label < 0) return;
      std::byte* const element = ElementAt(out, row, column) + label * class_bytes;
      const double grad = double{LoadFloat(plan.scores, ElementAt(tile.operand[kGradOutput], row, column))};
      StoreDouble(plan.out, -(grad * double{WeightOf(plan, tile, label)}) / divisor, element);
    });
  });
}

}  // namespace

inline namespace v1 {

void LabelGradient(exec::PlanBuilder& plan, const LabelRows& rows, LabelReduction reduction, int grad, int total) {
  const View& classes = plan.OperandView(rows.classes);
  const View& of_grad = plan.OperandView(grad);
  const OperandPart to = {rows.classes, ClassZero(classes, rows.class_axis)};
  for (const int input : {grad, rows.target, rows.weight, total}) plan.ForbidInPlace(input);
  PlanLabels(plan, RunGradient, rows, PlanOf(plan, rows, reduction, grad, rows.classes, total),
             {grad, reduction == LabelReduction::kNone ? of_grad : FirstOf(of_grad)}, &to,
             moves::Product(classes.shape[rows.class_axis], static_cast<int64_t>(ElementBytes(classes.dtype))));
}

}  // namespace v1
}  // namespace portacl::loops::reductions
