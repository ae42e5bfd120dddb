// SPDX-License-Identifier: Apache-2.0
//
// Lengths of an axis: the maximum, and the number of results.
#include <fmt/format.h>

#include <cstdint>

#include "exec/shape_rule.h"
#include "loops/reductions/sort.h"
#include "ops/reduction/sort/sort_spec.h"

namespace portacl::ops::sort {

namespace {

// The elements along dim, or all of them.
int64_t LengthAlong(const exec::Arguments& arguments) {
  const View& self = arguments.Tensor(0);
  int64_t count = 0;
  if (arguments.schema().Find("dim") < 0) return CountElements(self.dims(), &count), count;
  const int axis = families::AxisIn(arguments, "dim", self.rank);
  return self.rank == 0 ? 1 : self.shape[axis];
}

}  // namespace

aclnnStatus CheckLength(const exec::Arguments& arguments, const exec::Step& step) {
  const int64_t length = LengthAlong(arguments);
  if (length <= loops::reductions::kMostSorted) return exec::kSuccess;
  return arguments.Refuse(step, 0, fmt::format("at most {} elements along 'dim'", loops::reductions::kMostSorted),
                          fmt::format("{}", length));
}

aclnnStatus CheckK(const exec::Arguments& arguments, const exec::Step& step) {
  const int64_t k = arguments.value(arguments.schema().Find("k")).integer();
  const int64_t length = LengthAlong(arguments);
  const int64_t least = arguments.schema().Find("largest") >= 0 ? 0 : 1;
  if (k >= least && k <= length) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("k"), fmt::format("a value from {} to {}", least, length),
                          fmt::format("{}", k));
}

aclnnStatus CheckElements(const exec::Arguments& arguments, const exec::Step& step) {
  const View& self = arguments.Tensor(0);
  if (LengthAlong(arguments) > 0 || kFloats4.Holds(self.dtype)) return exec::kSuccess;
  return arguments.Refuse(step, 0, "at least one element", "none");
}

bool TopkShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(0);
  const int axis = families::AxisIn(arguments, "dim", self.rank);
  const int64_t k = arguments.value(arguments.schema().Find("k")).integer();
  if (axis < 0 || k < 0 || k > LengthAlong(arguments)) return false;
  families::SetShape(self.dims(), shape);
  if (self.rank == 0 && k == 0) shape->rank = 1;
  if (shape->rank > 0) shape->dims[axis] = k;
  return true;
}

aclnnStatus CheckRows(const exec::Arguments& arguments, const exec::Step& step) {
  const View& logits = arguments.Tensor(0);
  for (const int arg : {kApplyTopKTopP.Index("p"), kApplyTopKTopP.Index("k")}) {
    if (arguments.IsNull(arg) || arguments.Tensor(arg).shape[0] == logits.shape[0]) continue;
    return arguments.Refuse(step, arg, fmt::format("{} elements (rows of 'logits')", logits.shape[0]),
                            fmt::format("{}", arguments.Tensor(arg).shape[0]));
  }
  if (logits.shape[1] <= loops::reductions::kMostSorted) return exec::kSuccess;
  return arguments.Refuse(step, 0, fmt::format("at most {} elements in a row", loops::reductions::kMostSorted),
                          fmt::format("{}", logits.shape[1]));
}

}  // namespace portacl::ops::sort
