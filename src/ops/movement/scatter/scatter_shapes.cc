// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes, dtypes and shapes of this room's operators to each other.
#include <fmt/format.h>

#include "exec/shape_text.h"
#include "ops/movement/scatter/scatter_spec.h"

namespace portacl::ops::scatter {

aclnnStatus IndexFits(const exec::Arguments& arguments, const exec::Step& step) {
  const View& self = arguments.Tensor(0);
  const int index = arguments.schema().Find("index"), source = arguments.schema().Find("src");
  const View& named = arguments.Tensor(index);
  const int dim = families::AxisIn(arguments, "dim", self.rank);
  const auto refuse = [&](int arg, const std::string& expected) {
    return arguments.Refuse(step, arg, expected, exec::ShapeText(arguments.Tensor(arg).dims()));
  };
  if (named.rank != self.rank) return refuse(index, fmt::format("rank {}", self.rank));
  if (source >= 0 && arguments.Tensor(source).rank != self.rank)
    return refuse(source, fmt::format("rank {}", self.rank));
  for (int axis = 0; axis < self.rank; ++axis) {
    if (source >= 0 && arguments.Tensor(source).shape[axis] < named.shape[axis])
      return refuse(source, fmt::format("at least {} along axis {}", named.shape[axis], axis));
    if (axis != dim && self.shape[axis] < named.shape[axis])
      return refuse(index, fmt::format("at most {} along axis {}", self.shape[axis], axis));
  }
  return exec::kSuccess;
}

aclnnStatus CanBeReduced(const exec::Arguments& arguments, const exec::Step& step) {
  const int reduce = arguments.schema().Find("reduce");
  if (reduce < 0) return exec::kSuccess;
  const int64_t value = arguments.value(reduce).integer();
  const aclDataType dtype = arguments.Tensor(0).dtype;
  if (families::kComplex.Holds(dtype) && value != 0)
    return arguments.Refuse(step, reduce, "0 for complex elements", fmt::format("{}", value));
  constexpr int64_t kMean = 5;
  if (dtype == ACL_BOOL && value == kMean)
    return arguments.Refuse(step, reduce, "no mean of BOOL", fmt::format("{}", value));
  return exec::kSuccess;
}

}  // namespace portacl::ops::scatter
