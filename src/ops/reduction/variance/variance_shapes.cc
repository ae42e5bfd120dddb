// SPDX-License-Identifier: Apache-2.0
//
// The shape of an output that may have any rank where all axes are reduced.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "exec/shape_rule.h"
#include "ops/reduction/variance/variance_spec.h"

namespace portacl::ops::variance {

bool ReducedShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(arguments.schema().Find("self"));
  const uint32_t axes = exec::AxesOf(arguments.Ints(arguments.schema().Find("dim")), self.rank);
  const bool keeps = arguments.value(arguments.schema().Find("keepdim")).integer() != 0;
  shape->rank = 0;
  for (int axis = 0; axis < self.rank; ++axis) {
    const bool is_reduced = (axes >> axis & 1) != 0;
    if (!is_reduced || keeps) shape->dims[shape->rank++] = is_reduced ? 1 : self.shape[axis];
  }
  return true;
}

aclnnStatus CheckReducedShape(const exec::Arguments& arguments, const exec::Step& step) {
  const View& out = arguments.Tensor(step.target.index);
  const bool is_whole = arguments.Ints(arguments.schema().Find("dim")).empty();
  Shape shape;
  ReducedShape(arguments, &shape);
  const auto is_one = [](std::span<const int64_t> dims) {
    return std::ranges::all_of(dims, [](auto n) { return n == 1; });
  };
  const bool is_short = shape.rank <= 1 && out.rank <= 1;  // [] and [1] are the same shape
  if (std::ranges::equal(shape.span(), out.dims())) return exec::kSuccess;
  if ((is_whole || is_short) && is_one(shape.span()) && is_one(out.dims())) return exec::kSuccess;
  return arguments.Refuse(step, step.target.index, fmt::format("[{}]", fmt::join(shape.span(), ",")),
                          fmt::format("[{}]", fmt::join(out.dims(), ",")));
}

}  // namespace portacl::ops::variance
