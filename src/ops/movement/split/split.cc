// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned: a box for each piece.
#include <vector>

#include "exec/shape_rule.h"
#include "loops/moves/copy.h"
#include "ops/movement/split/split_spec.h"

namespace portacl::ops::split {
namespace {

void PlanSplit(exec::PlanBuilder& plan) {
  const int out = plan.schema().Find("out");
  const int self = plan.Input("self");
  View piece = loops::moves::PlainView(plan, self);
  const int axis = exec::AxisOf(plan.Attribute<int64_t>("dim"), piece.rank);
  const int64_t step = piece.step(axis);
  std::vector<loops::moves::Box> boxes;
  for (int i = 0; i < plan.Count(out); ++i) {
    piece.shape[axis] = plan.Tensor(out, i).shape[axis];
    boxes.push_back(loops::moves::BoxOf(plan, {self, piece}, plan.Operand(out, i)));
    piece.offset += piece.shape[axis] * step;
  }
  loops::moves::Copy(plan, boxes);
}

constexpr exec::PlanFunction PlanSplitWithSize = PlanSplit;
constexpr exec::PlanFunction PlanSplitTensor = PlanSplit;

}  // namespace

}  // namespace portacl::ops::split

#include "ops/movement/split/split_functions.inc"
