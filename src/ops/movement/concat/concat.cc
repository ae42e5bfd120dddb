// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and the boxes that they copy.
#include <algorithm>
#include <vector>

#include "loops/moves/copy.h"
#include "ops/movement/concat/concat_spec.h"

namespace portacl::ops::concat {

namespace {

int64_t AxisOfOut(const exec::PlanBuilder& plan) {
  const auto dim = plan.Attribute<int64_t>("dim");
  return dim < 0 ? dim + plan.Tensor("out").rank : dim;
}

void PlanCat(exec::PlanBuilder& plan) {
  constexpr int kTensors = kCat.Index("tensors");
  const int out = plan.Output("out");
  const int64_t axis = AxisOfOut(plan);
  View place = loops::moves::PlainView(plan, out);
  std::vector<loops::moves::Box> boxes;
  for (int i = 0; i < plan.Count(kTensors); ++i) {
    const View& tensor = plan.Tensor(kTensors, i);
    if (tensor.rank != place.rank) continue;  // tensors of shape [0]
    place.shape[axis] = tensor.shape[axis];
    loops::moves::Box box = loops::moves::BoxOf(plan, plan.Operand(kTensors, i), {out, place});
    boxes.push_back(box);
    place.offset += tensor.shape[axis] * place.strides[axis];
  }
  loops::moves::Copy(plan, boxes);
}

void PlanStack(exec::PlanBuilder& plan) {
  constexpr int kTensors = kStack.Index("tensors");
  const int out = plan.Output("out");
  const int64_t axis = AxisOfOut(plan);
  const View whole = loops::moves::PlainView(plan, out);
  View place = whole;
  std::copy(whole.shape + axis + 1, whole.shape + whole.rank, place.shape + axis);
  std::copy(whole.strides + axis + 1, whole.strides + whole.rank, place.strides + axis);
  --place.rank;
  std::vector<loops::moves::Box> boxes;
  for (int i = 0; i < plan.Count(kTensors); ++i) {
    boxes.push_back(loops::moves::BoxOf(plan, plan.Operand(kTensors, i), {out, place}));
    place.offset += whole.strides[axis];
  }
  loops::moves::Copy(plan, boxes);
}

}  // namespace

}  // namespace portacl::ops::concat

#include "ops/movement/concat/concat_functions.inc"
