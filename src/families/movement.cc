// SPDX-License-Identifier: Apache-2.0
#include "families/movement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/dtype.h"
#include "tensor/scalar.h"

namespace portacl::families {

aclnnStatus CheckShape(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.IsNull(step.target.index)) return exec::kSuccess;
  Shape shape;
  const View& out = arguments.Tensor(step.target.index);
  if (!step.custom_shape(arguments, &shape))
    return arguments.Refuse(step, step.target.index, "a shape that the arguments have", "arguments that have none");
  if (std::ranges::equal(shape.span(), out.dims())) return exec::kSuccess;
  return arguments.Refuse(step, step.target.index, fmt::format("[{}]", fmt::join(shape.span(), ",")),
                          fmt::format("[{}]", fmt::join(out.dims(), ",")));
}

aclnnStatus CheckOperandsOfShape(const exec::Arguments& arguments, const exec::Step& step) {
  Shape shape;
  if (step.custom_shape(arguments, &shape)) return exec::kSuccess;
  return arguments.Refuse(step, step.target.index, "a shape that the arguments have", "arguments that have none");
}

aclnnStatus CheckDim(const exec::Arguments& arguments, const exec::Step& step) {
  const int32_t rank = arguments.Tensor(0).rank;
  if (AxisIn(arguments, "dim", rank) >= 0) return exec::kSuccess;
  const int dim = arguments.schema().Find("dim");
  return arguments.Refuse(step, dim,
                          fmt::format("an axis of '{}', which has rank {}", arguments.schema().args[0].name, rank),
                          fmt::format("{}", arguments.value(dim).integer()));
}

aclnnStatus CheckNumber(const exec::Arguments& arguments, const exec::Step& step) {
  const int value = arguments.schema().Find("value");
  const aclDataType dtype = arguments.value(value).As<const aclScalar*>()->dtype;
  if (kAll.Holds(dtype)) return exec::kSuccess;
  return arguments.Refuse(step, value, "a number", dtype);
}

}  // namespace portacl::families
