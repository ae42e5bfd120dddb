// SPDX-License-Identifier: Apache-2.0
#include "families/norm.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace portacl::families {

int OperandOf(const exec::PlanBuilder& plan, int argument) {
  return plan.Has(argument) ? plan.Operand(argument) : loops::kNoOperand;
}

loops::NormRows RowsOf(const exec::PlanBuilder& plan, int argument) {
  loops::NormRows rows;
  if (!plan.Has(argument)) return rows;
  rows.operand = plan.Operand(argument);
  const View& view = plan.Tensor(argument);
  std::copy_n(view.strides, view.rank, rows.strides);
  return rows;
}

loops::NormRows RepeatedRowsOf(const exec::PlanBuilder& plan, int argument, const loops::NormShape& shape) {
  loops::NormRows rows;
  if (!plan.Has(argument)) return rows;
  rows.operand = plan.Operand(argument);
  const View& view = plan.Tensor(argument);
  const int axes = std::min(shape.inner, view.rank);
  std::copy_n(view.strides + view.rank - axes, axes, rows.strides + shape.outer + shape.inner - axes);
  return rows;
}

loops::NormShape NormShapeOf(const View& view, int inner) {
  loops::NormShape shape{.outer = view.rank - inner, .inner = inner};
  std::copy_n(view.shape, view.rank, shape.sizes);
  return shape;
}

float EpsOf(double eps) {
  const auto single = static_cast<float>(eps);
  return std::isnan(single) ? std::numeric_limits<float>::quiet_NaN() : single;
}

}  // namespace portacl::families
