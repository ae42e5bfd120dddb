// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and the boxes that they copy: axes split in two, one of which iterates
// over the source.
#include <algorithm>
#include <span>

#include "exec/shape_rule.h"
#include "loops/moves/copy.h"
#include "loops/moves/gather.h"
#include "loops/moves/scatter.h"
#include "ops/movement/repeat/repeat_spec.h"

namespace portacl::ops::repeat {
namespace {

using loops::moves::Box;

Box StartBox(const exec::PlanBuilder& plan) {
  return {.from = plan.Input("self"),
          .to = plan.Output("out"),
          .from_offset = plan.Tensor("self").offset,
          .to_offset = plan.Tensor("out").offset};
}

void PlanRepeat(exec::PlanBuilder& plan) {
  const View self = loops::moves::PlainView(plan, plan.Input("self"));
  const View out = loops::moves::PlainView(plan, plan.Output("out"));
  const auto repeats = plan.Ints(kRepeat.Index("repeats"));
  Box box = StartBox(plan);
  for (int axis = 0; axis < out.rank; ++axis) {
    const int own = axis - out.rank + self.rank;
    const int64_t size = own < 0 ? 1 : self.shape[own];
    box.Add(repeats[static_cast<size_t>(axis)], 0, size * out.strides[axis]);
    box.Add(size, own < 0 ? 0 : self.strides[own], out.strides[axis]);
  }
  loops::moves::Copy(plan, std::span(&box, 1));
}

void PlanRepeatInterleaveIntWithDim(exec::PlanBuilder& plan) {
  const View self = loops::moves::PlainView(plan, plan.Input("self"));
  const View out = loops::moves::PlainView(plan, plan.Output("out"));
  const auto repeats = plan.Attribute<int64_t>("repeats");
  const int dim = exec::AxisOf(plan.Attribute<int64_t>("dim"), self.rank);
  Box box = StartBox(plan);
  for (int axis = 0; axis < self.rank; ++axis) {
    box.Add(self.shape[axis], self.strides[axis], axis == dim ? repeats * out.strides[axis] : out.strides[axis]);
    if (axis == dim) box.Add(repeats, 0, out.strides[axis]);
  }
  loops::moves::Copy(plan, std::span(&box, 1));
}

void PlanRepeatInterleaveInt(exec::PlanBuilder& plan) {
  const View self = loops::moves::PlainView(plan, plan.Input("self"));
  const int64_t stride = loops::moves::PlainView(plan, plan.Output("out")).strides[0];
  const auto repeats = plan.Attribute<int64_t>("repeats");
  Box box = StartBox(plan);
  int64_t run = plan.Tensor("out").shape[0] * stride;
  for (int axis = 0; axis < self.rank; ++axis) {
    run /= std::max<int64_t>(self.shape[axis], 1);
    box.Add(self.shape[axis], self.strides[axis], run);
  }
  box.Add(repeats, 0, stride);
  loops::moves::Copy(plan, std::span(&box, 1));
}

void PlanRepeatInterleave(exec::PlanBuilder& plan) {
  const bool has_dim = plan.schema().Find("dim") >= 0;
  const int dim =
      has_dim ? exec::AxisOf(plan.Attribute<int64_t>("dim"), plan.Tensor("self").rank) : loops::moves::kNothing;
  loops::moves::RepeatRows(plan, plan.Input("self"), dim, plan.Input("repeats"), plan.Output("out"));
}

void PlanRepeatInterleaveTensor(exec::PlanBuilder& plan) {
  loops::moves::RepeatNumbers(plan, plan.Input("repeats"), plan.Output("out"));
}

void PlanRepeatInterleaveGrad(exec::PlanBuilder& plan) {
  loops::moves::ScatterRuns(plan,
                            {.index = plan.Input("repeats"),
                             .source = plan.Input("yGrad"),
                             .out = plan.Output("out"),
                             .combine = loops::moves::Combine::kAdd,
                             .includes_self = false,
                             .clears = true},
                            exec::AxisOf(plan.Attribute<int64_t>("axis"), plan.Tensor("yGrad").rank));
}

constexpr exec::PlanFunction PlanRepeatInterleaveWithDim = PlanRepeatInterleave;

}  // namespace

}  // namespace portacl::ops::repeat

#include "ops/movement/repeat/repeat_functions.inc"
