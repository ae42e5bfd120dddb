// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and the boxes that they copy.
#include <algorithm>
#include <vector>

#include "loops/elements/store_scalar.h"
#include "loops/moves/copy.h"
#include "ops/movement/pad/pad_spec.h"

namespace portacl::ops::pad {
namespace {

using loops::moves::Box;

// Restricts the box to [first, first + size) along an axis of the target.
void Limit(Box* box, int axis, int64_t first, int64_t size) {
  box->to_offset += first * box->axes[axis].to;
  box->axes[axis].size = size;
}

// Copies the part of self that remains, and writes the padding before and after it along each axis, from the first on.
void PlanConstantPadNd(exec::PlanBuilder& plan) {
  const int self = plan.Input("self");
  const int out = plan.Output("out");
  const View source = loops::moves::PlainView(plan, self);
  const auto pad = plan.Ints(kConstantPadNd.Index("pad"));
  Box inner = loops::moves::BoxOf(plan, {out, loops::moves::PlainView(plan, out)}, out);
  inner.from = self;
  inner.from_offset = source.offset;
  Box value;
  loops::StoreScalar(*plan.Attribute<const aclScalar*>("value"), source.dtype, value.value);
  std::vector<Box> boxes;
  for (int axis = 0; axis < source.rank; ++axis) {
    const auto pair = static_cast<size_t>(2 * (source.rank - 1 - axis));
    const int64_t begin = pair < pad.size() ? pad[pair] : 0;
    const int64_t end = pair < pad.size() ? pad[pair + 1] : 0;
    const int64_t size = inner.axes[axis].size;
    inner.axes[axis].from = source.strides[axis];
    for (const bool behind : {false, true}) {
      const int64_t around = std::max<int64_t>(behind ? end : begin, 0);
      Box border = inner;
      border.from = Box::kValue;
      std::copy(std::begin(value.value), std::end(value.value), border.value);
      Limit(&border, axis, behind ? size - around : 0, around);
      if (around != 0) boxes.push_back(border);
    }
    inner.from_offset += std::max<int64_t>(-begin, 0) * source.strides[axis];
    Limit(&inner, axis, std::max<int64_t>(begin, 0), size - std::max<int64_t>(begin, 0) - std::max<int64_t>(end, 0));
  }
  boxes.push_back(inner);
  loops::moves::Copy(plan, boxes);
}

void PlanReflectionPad1d(exec::PlanBuilder& plan) {
  const View source = loops::moves::PlainView(plan, plan.Input("self"));
  const auto padding = plan.Ints(kReflectionPad1d.Index("padding"));
  const int last = source.rank - 1;
  const int64_t size = source.shape[last];
  const int64_t stride = source.strides[last];
  const Box whole = loops::moves::BoxOf(plan, {plan.Input("self"), source}, plan.Output("out"));
  Box boxes[] = {whole, whole, whole};
  Limit(&boxes[0], last, padding[0], size);
  Limit(&boxes[1], last, 0, padding[0]);
  boxes[1].from_offset += padding[0] * stride;
  Limit(&boxes[2], last, padding[0] + size, padding[1]);
  boxes[2].from_offset += (size - 2) * stride;
  for (Box* mirrored : {&boxes[1], &boxes[2]}) mirrored->axes[last].from = -stride;
  loops::moves::Copy(plan, boxes);
}

}  // namespace

}  // namespace portacl::ops::pad

#include "ops/movement/pad/pad_functions.inc"
