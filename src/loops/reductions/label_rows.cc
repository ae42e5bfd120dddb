// SPDX-License-Identifier: Apache-2.0
//
// The loops visit the labels: of the operand with classes they have the elements of class 0, from which those of the
// other classes are a multiple of a stride away.
#include "loops/reductions/label_rows.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>

#include "acl/error_codes/rt_error_codes.h"
#include "base/bfloat16.h"
#include "base/dtype.h"
#include "base/float16.h"
#include "base/status.h"
#include "hwy/cache_control.h"
#include "loops/elements/non_temporal.h"
#include "loops/moves/indices.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::reductions {
namespace {

constexpr double kNsPerLabel = 5;
constexpr double kNsPerByte = 0.05;  // of a row that is cleared

// Scores are prefetched this many labels ahead: each is in another line, often in another page.
constexpr int64_t kLabelsAhead = 16;

constexpr int64_t kMostLabelChunks = 1024;

// In shorter rows, a label's element is in a line that has just been cleared, or near one.
constexpr int64_t kStreamedBytes = 1024;

float LoadFloat(aclDataType dtype, const std::byte* element) {
  if (dtype == ACL_FLOAT) {
    float value;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, element, sizeof(bits));
  return dtype == ACL_FLOAT16 ? Float16ToFloat(bits) : Bfloat16ToFloat(bits);
}

// Rounds once.
void StoreDouble(aclDataType dtype, double value, std::byte* element) {
  if (dtype == ACL_FLOAT) {
    const auto single = static_cast<float>(value);
    std::memcpy(element, &single, sizeof(single));
    return;
  }
  const uint16_t bits = dtype == ACL_FLOAT16 ? DoubleToFloat16(value) : DoubleToBfloat16(value);
  std::memcpy(element, &bits, sizeof(bits));
}

int64_t LoadLabel(aclDataType dtype, const std::byte* element) {
  if (dtype == ACL_UINT8) return std::to_integer<int64_t>(*element);
  return moves::ReadIndex(element, dtype == ACL_INT64);
}

// Labels as a run reads them.
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

  // Reports the first label that is neither a class nor ignored.
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

// Operands of the tiles. Of weight it is class 0, the same in every tile.
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

struct LabelSums {
  double loss = 0;
  double weight = 0;
  bool good = true;
};

std::byte* ElementAt(const TileOperand& operand, int64_t row, int64_t column) {
  return operand.base + row * operand.row_stride + column * operand.column_stride;
}
float WeightOf(const LabelPlan& plan, const Tile& tile, int64_t label) {
  return LoadFloat(plan.weight, tile.operand[kWeight].base + label * plan.weight_bytes);
}
float ScoreOf(const LabelPlan& plan, const Tile& tile, int64_t row, int64_t column, int64_t label) {
  return LoadFloat(plan.scores, ElementAt(tile.operand[kSelf], row, column) + label * plan.class_bytes);
}

// Calls f(row, column, label), the label of an element without a loss being -1. Returns false if one is refused. All
// that the loop reads is in locals: a byte that f writes could be any of it.
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

// Calls f(tile), which returns false where a label is refused, for all tiles.
template <class F>
int32_t RunLabels(const LabelPlan& plan, const exec::RunContext& context, const F& f) {
  std::atomic<bool> failed{false};
  RunTiles(TileTask(plan.tiles, context), 0, [&](const Tile& tile) {
    if (!f(tile)) failed.store(true, std::memory_order_relaxed);
  });
  return failed.load(std::memory_order_relaxed) ? plan.labels.Refuse(context) : 0;
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

// The elements of class 0.
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

int64_t BytesAlong(const View& view, int axis) {
  return view.step(axis) * static_cast<int64_t>(ElementBytes(view.dtype));
}

// Completes a plan of `run` over the operands weight, `scores`, target and, if it is written label by label, `out`.
// `cleared_bytes`: per label.
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
