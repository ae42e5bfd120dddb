// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and the views that they copy.
#include <algorithm>
#include <span>
#include <vector>

#include "exec/shape_rule.h"
#include "loops/moves/copy.h"
#include "ops/movement/rearrange/rearrange_spec.h"

namespace portacl::ops::rearrange {
namespace {

using loops::moves::Box;

void CopyOne(exec::PlanBuilder& plan, const Box& box) { loops::moves::Copy(plan, std::span(&box, 1)); }

void PlanPermute(exec::PlanBuilder& plan) {
  const int self = plan.Input("self");
  const View whole = loops::moves::PlainView(plan, self);
  const auto dims = plan.Ints(kPermute.Index("dims"));
  View permuted = whole;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int axis = exec::AxisOf(dims[i], whole.rank);
    permuted.shape[i] = whole.shape[axis];
    permuted.strides[i] = whole.strides[axis];
  }
  CopyOne(plan, loops::moves::BoxOf(plan, {self, permuted}, plan.Output("out")));
}

// The target is split into the axes of the source.
void PlanFlatten(exec::PlanBuilder& plan) {
  const View self = loops::moves::PlainView(plan, plan.Input("self"));
  const View out = loops::moves::PlainView(plan, plan.Output("out"));
  const auto axis = plan.Attribute<int64_t>("axis");
  const int first_column = static_cast<int>(axis < 0 ? axis + std::max(self.rank, 1) : axis);
  View cut = self;
  for (int i = self.rank; i-- > 0;) {
    const int side = i < first_column ? 0 : 1;
    const bool is_last = i + 1 == self.rank || i + 1 == first_column;
    cut.strides[i] = is_last ? out.strides[side] : cut.strides[i + 1] * cut.shape[i + 1];
  }
  cut.offset = out.offset;
  CopyOne(plan, loops::moves::BoxOf(plan, {plan.Input("self"), self}, {plan.Output("out"), cut}));
}

void PlanFlip(exec::PlanBuilder& plan) {
  View self = loops::moves::PlainView(plan, plan.Input("self"));
  for (const int64_t dim : plan.Ints(kFlip.Index("dims"))) {
    const int axis = exec::AxisOf(dim, self.rank);
    self.offset += std::max<int64_t>(self.shape[axis] - 1, 0) * self.strides[axis];
    self.strides[axis] = -self.strides[axis];
  }
  Box box = loops::moves::BoxOf(plan, {plan.Input("self"), plan.Tensor("self")}, plan.Output("out"));
  box.from_offset = self.offset;
  for (int axis = 0; axis < self.rank; ++axis) box.axes[axis].from = self.strides[axis];
  CopyOne(plan, box);
}

// 0 <= result < n, for any value.
int64_t Modulo(int64_t value, int64_t n) { return (value % n + n) % n; }

// Splits each box along the axis where elements shifted by `shift` wrap around.
void SplitAt(int axis, int64_t shift, std::vector<Box>* boxes) {
  std::vector<Box> split;
  for (Box stays : *boxes) {
    Box::Axis& kept = stays.axes[axis];
    Box wraps = stays;
    Box::Axis& moved = wraps.axes[axis];
    moved.size = shift;
    wraps.from_offset += (kept.size - shift) * kept.from;
    stays.to_offset += shift * kept.to;
    kept.size -= shift;
    split.insert(split.end(), {stays, wraps});
  }
  boxes->swap(split);
}

// Rolls all elements in row-major order, like the addition of numbers with several digits: with a carry to the axis
// before.
void RollFlat(const Box& whole, int axis, int64_t shift, int64_t carry, std::vector<Box>* boxes) {
  if (axis < 0) return boxes->push_back(whole);
  const int64_t n = whole.axes[axis].size;
  const int64_t digit = shift % n + carry;  // at most n
  for (const bool wraps : {false, true}) {
    Box part = whole;
    Box::Axis& own = part.axes[axis];
    own.size = wraps ? digit : n - digit;
    if (own.size == 0) continue;
    if (wraps) {
      part.from_offset += (n - digit) * own.from;
    } else {
      part.to_offset += digit * own.to;
    }
    RollFlat(part, axis - 1, shift / n, wraps ? 1 : 0, boxes);
  }
}

void PlanRoll(exec::PlanBuilder& plan) {
  const View& x = plan.Tensor("x");
  const auto shifts = plan.Ints(kRoll.Index("shifts"));
  const auto dims = plan.Ints(kRoll.Index("dims"));
  const Box whole = loops::moves::BoxOf(plan, plan.Input("x"), plan.Output("out"));
  int64_t elements = 1;
  CountElements(x.dims(), &elements);
  if (elements == 0) return;
  std::vector<Box> boxes;
  if (dims.empty()) {
    RollFlat(whole, whole.rank - 1, Modulo(shifts[0], elements), 0, &boxes);
  } else {
    int64_t shift_of[kMaxRank] = {};
    for (size_t i = 0; i < dims.size(); ++i) {
      const int axis = exec::AxisOf(dims[i], x.rank);
      shift_of[axis] = (shift_of[axis] + Modulo(shifts[i], x.shape[axis])) % x.shape[axis];
    }
    boxes = {whole};
    for (int axis = 0; axis < x.rank; ++axis) {
      if (shift_of[axis] != 0) SplitAt(axis, shift_of[axis], &boxes);
    }
  }
  loops::moves::Copy(plan, boxes);
}

void PlanSlice(exec::PlanBuilder& plan) {
  View self = loops::moves::PlainView(plan, plan.Input("self"));
  const int axis = exec::AxisOf(plan.Attribute<int64_t>("dim"), self.rank);
  const auto step = plan.Attribute<int64_t>("step");
  const SliceRange range =
      RangeOf(self.shape[axis], plan.Attribute<int64_t>("start"), plan.Attribute<int64_t>("end"), step);
  if (range.count == 0) return;
  Box box = loops::moves::BoxOf(plan, {plan.Input("self"), self}, plan.Output("out"));
  box.from_offset += range.start * self.strides[axis];
  box.axes[axis].from = range.count == 1 ? 0 : step * self.strides[axis];
  CopyOne(plan, box);
}

void PlanSliceV2(exec::PlanBuilder& plan) {
  const int self = plan.Input("self");
  const View whole = loops::moves::PlainView(plan, self);
  Box box = loops::moves::BoxOf(plan, {self, whole}, plan.Output("out"));
  const auto axes = plan.Ints(kSliceV2.Index("axes")), steps = plan.Ints(kSliceV2.Index("steps"));
  const auto starts = plan.Ints(kSliceV2.Index("starts")), ends = plan.Ints(kSliceV2.Index("ends"));
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = exec::AxisOf(axes[i], whole.rank);
    const SliceRange range = RangeOf(whole.shape[axis], starts[i], ends[i], steps[i]);
    if (range.count == 0) return;
    box.from_offset += range.start * whole.strides[axis];
    box.axes[axis].from = range.count == 1 ? 0 : steps[i] * whole.strides[axis];
  }
  CopyOne(plan, box);
}

void PlanExpand(exec::PlanBuilder& plan) {
  CopyOne(plan, loops::moves::BoxOf(plan, plan.Input("self"), plan.Output("out")));
}

}  // namespace

}  // namespace portacl::ops::rearrange

#include "ops/movement/rearrange/rearrange_functions.inc"
