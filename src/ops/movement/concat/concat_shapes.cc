// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/movement/concat/concat_spec.h"

namespace portacl::ops::concat {

aclnnStatus TensorsStack(const exec::Arguments& arguments, const exec::Step& step) {
  const int tensors = arguments.schema().Find("tensors");
  const View& first = arguments.Tensor(tensors);
  for (int i = 1; i < arguments.Count(tensors); ++i) {
    const View& other = arguments.Tensor(tensors, i);
    if (std::ranges::equal(first.dims(), other.dims())) continue;
    return arguments.Refuse(step, tensors, fmt::format("[{}] (shape of the first)", fmt::join(first.dims(), ",")),
                            fmt::format("[{}]", fmt::join(other.dims(), ",")), i);
  }
  if (families::AxisIn(arguments, "dim", first.rank + 1) >= 0) return exec::kSuccess;
  const int dim = arguments.schema().Find("dim");
  return arguments.Refuse(step, dim, fmt::format("a value from {} to {} (axes of 'out')", -first.rank - 1, first.rank),
                          fmt::format("{}", arguments.value(dim).integer()));
}

bool StackShape(const exec::Arguments& arguments, Shape* shape) {
  const int tensors = arguments.schema().Find("tensors");
  if (arguments.Count(tensors) == 0) return false;
  const View& first = arguments.Tensor(tensors);
  const int axis = families::AxisIn(arguments, "dim", first.rank + 1);
  if (axis < 0 || first.rank == kMaxRank) return false;
  shape->rank = first.rank + 1;
  for (int i = 0; i < shape->rank; ++i)
    shape->dims[i] = i == axis ? arguments.Count(tensors) : first.shape[i - (i > axis)];
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

}  // namespace portacl::ops::concat
