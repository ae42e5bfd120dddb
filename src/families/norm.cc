// SPDX-License-Identifier: Apache-2.0
#include "families/norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "tensor/array.h"

namespace portacl::families {

int OperandOf(const exec::PlanBuilder& plan, int argument) {
  return plan.Has(argument) ? plan.Operand(argument) : loops::kNoOperand;
}

loops::reductions::NormRows RowsOf(const exec::PlanBuilder& plan, int argument) {
  loops::reductions::NormRows rows;
  if (!plan.Has(argument)) return rows;
  rows.operand = plan.Operand(argument);
  const View& view = plan.Tensor(argument);
  for (int axis = 0; axis < view.rank; ++axis) rows.strides[axis] = view.step(axis);
  return rows;
}

loops::reductions::NormRows RepeatedRowsOf(const exec::PlanBuilder& plan, int argument,
                                           const loops::reductions::NormShape& shape) {
  loops::reductions::NormRows rows;
  if (!plan.Has(argument)) return rows;
  rows.operand = plan.Operand(argument);
  const View& view = plan.Tensor(argument);
  const int axes = std::min(shape.inner, view.rank);
  const int first = shape.outer + shape.inner - axes;
  for (int i = 0; i < axes; ++i) rows.strides[first + i] = view.step(view.rank - axes + i);
  return rows;
}

loops::reductions::NormShape NormShapeOf(const View& view, int inner) {
  loops::reductions::NormShape shape{.outer = view.rank - inner, .inner = inner};
  std::copy_n(view.shape, view.rank, shape.sizes);
  return shape;
}

void KeepOldParameters(exec::PlanBuilder& plan, const loops::reductions::NormOperands& operands) {
  for (int i = 0; i < operands.row_count - operands.row_outputs; ++i) {
    const loops::reductions::NormRows& rows = operands.rows[i];
    const bool repeats =
        std::any_of(rows.strides, rows.strides + operands.shape.outer, [](int64_t n) { return n == 0; });
    if (rows.operand != loops::kNoOperand && repeats) plan.ForbidInPlace(rows.operand);
  }
  for (const int operand : operands.statistics) {
    if (operands.reads_statistics && operand != loops::kNoOperand) plan.ForbidInPlace(operand);
  }
}

float EpsOf(double eps) {
  const auto single = static_cast<float>(eps);
  return std::isnan(single) ? std::numeric_limits<float>::quiet_NaN() : single;
}

namespace {

constexpr int kSelectable = 3;

int SelectableArgument(const exec::Schema& schema, int place) {
  return static_cast<int>(schema.args.size()) - kSelectable + place;
}

std::span<const bool> MaskOf(const exec::Value& mask) { return mask.As<const aclBoolArray*>()->values(); }

}  // namespace

aclnnStatus CheckOutputMask(const exec::Arguments& arguments, const exec::Step& step) {
  const int mask = arguments.schema().Find("outputMask");
  const size_t size = MaskOf(arguments.value(mask)).size();
  if (size == kSelectable) return exec::kSuccess;
  return arguments.Refuse(step, mask, "3 values", fmt::format("{}", size));
}

aclnnStatus CheckSelected(const exec::Arguments& arguments, const exec::Step& step) {
  const exec::Schema& schema = arguments.schema();
  const auto mask = MaskOf(arguments.value(schema.Find("outputMask")));
  for (int place = 0; place < kSelectable; ++place) {
    const int output = SelectableArgument(schema, place);
    if (mask[static_cast<size_t>(place)] && arguments.IsNull(output))
      return arguments.Refuse(step, output, "a tensor, as outputMask selects it", "null");
  }
  return exec::kSuccess;
}

int SelectedOperand(const exec::PlanBuilder& plan, int place) {
  const auto mask = MaskOf(plan.Argument(plan.schema().Find("outputMask")));
  if (!mask[static_cast<size_t>(place)]) return loops::kNoOperand;
  return OperandOf(plan, SelectableArgument(plan.schema(), place));
}

}  // namespace portacl::families
