// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "exec/shape_rule.h"
#include "exec/shape_text.h"
#include "ops/movement/repeat/repeat_spec.h"

namespace portacl::ops::repeat {
namespace {

const View& Self(const exec::Arguments& arguments) { return arguments.Tensor(arguments.schema().Find("self")); }

int64_t Integer(const exec::Arguments& arguments, const char* name) {
  return arguments.value(arguments.schema().Find(name)).integer();
}

bool HasDim(const exec::Arguments& arguments) { return arguments.schema().Find("dim") >= 0; }

// The repeats along dim, or of all elements; false if dim names no axis.
bool CountInterleaved(const exec::Arguments& arguments, int64_t* count) {
  const View& self = Self(arguments);
  if (!HasDim(arguments)) return CountElements(self.dims(), count);
  const int axis = exec::AxisOf(Integer(arguments, "dim"), self.rank);
  if (axis < 0) return false;
  *count = self.shape[axis];
  return true;
}

}  // namespace

aclnnStatus RepeatsOfAxes(const exec::Arguments& arguments, const exec::Step& step) {
  const int repeats = arguments.schema().Find("repeats");
  const auto values = arguments.Ints(repeats);
  const int32_t rank = Self(arguments).rank;
  if (std::ssize(values) >= rank && std::ssize(values) <= kMaxRank &&
      std::ranges::all_of(values, [](int64_t value) { return value >= 0; }))
    return exec::kSuccess;
  return arguments.Refuse(step, repeats, fmt::format("from {} to {} numbers, none of them negative", rank, kMaxRank),
                          fmt::format("[{}]", fmt::join(values, ",")));
}

bool RepeatShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = Self(arguments);
  const auto repeats = arguments.Ints(arguments.schema().Find("repeats"));
  if (std::ssize(repeats) < self.rank || std::ssize(repeats) > kMaxRank) return false;
  shape->rank = static_cast<int32_t>(repeats.size());
  for (int i = 0; i < shape->rank; ++i) {
    const int own = i - shape->rank + self.rank;
    if (__builtin_mul_overflow(repeats[static_cast<size_t>(i)], own < 0 ? 1 : self.shape[own], &shape->dims[i]))
      return false;
  }
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

aclnnStatus OutputSizeIsProduct(const exec::Arguments& arguments, const exec::Step& step) {
  int64_t count = 0, product = 0;
  const int64_t repeats = Integer(arguments, "repeats");
  const bool fits = CountInterleaved(arguments, &count) && !__builtin_mul_overflow(count, repeats, &product);
  const int64_t size = Integer(arguments, "outputSize");
  if (fits && size == product) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("outputSize"),
                          fmt::format("{} times 'repeats', which is {}", count, repeats), fmt::format("{}", size));
}

aclnnStatus RepeatsFit(const exec::Arguments& arguments, const exec::Step& step) {
  const int repeats = arguments.schema().Find("repeats");
  int64_t count = 0, rows = 0;
  CountElements(arguments.Tensor(repeats).dims(), &count);
  if (count == 1 || (CountInterleaved(arguments, &rows) && count == rows)) return exec::kSuccess;
  return arguments.Refuse(step, repeats, fmt::format("1 or {} elements", rows), fmt::format("{}", count));
}

bool InterleavedShape(const exec::Arguments& arguments, Shape* shape) {
  int64_t count = 0;
  if (!CountInterleaved(arguments, &count)) return false;
  shape->rank = 1;
  if (HasDim(arguments)) families::SetShape(Self(arguments).dims(), shape);
  const int axis = HasDim(arguments) ? exec::AxisOf(Integer(arguments, "dim"), shape->rank) : 0;
  shape->dims[axis] = Integer(arguments, "outputSize");
  return shape->dims[axis] >= 0 && CountElements(shape->span(), &count);
}

aclnnStatus HasRepeats(const exec::Arguments& arguments, const exec::Step& step) {
  const View& repeats = arguments.Tensor(1);
  if (repeats.rank == 0 || repeats.shape[0] != 0) return exec::kSuccess;
  return arguments.Refuse(step, 1, "at least one element", "none");
}

aclnnStatus RunsFit(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr int kOut = 3;
  const View &grad = arguments.Tensor(0), &repeats = arguments.Tensor(1);
  const int axis = families::AxisIn(arguments, "axis", grad.rank);
  Shape rest;
  families::SetShape(grad.dims(), &rest);
  rest.dims[axis] = 1;
  int64_t others = 0, count = 0, elements = 0;
  if (!CountElements(rest.span(), &others))
    return arguments.Refuse(step, 0, "a number of elements in a slice", exec::ShapeText(grad.dims()));
  CountElements(repeats.dims(), &count);
  CountElements(arguments.Tensor(kOut).dims(), &elements);
  int64_t product = 0;
  const bool is_open = count == 1;
  const bool fits = others == 0 ? elements == 0
                    : is_open   ? elements % others == 0
                                : !__builtin_mul_overflow(others, count, &product) && elements == product;
  if (fits) return exec::kSuccess;
  return arguments.Refuse(step, kOut, fmt::format("{} elements for each of 'repeats'", others),
                          fmt::format("{}", elements));
}

bool NumbersShape(const exec::Arguments& arguments, Shape* shape) {
  shape->rank = 1;
  shape->dims[0] = Integer(arguments, "outputSize");
  return shape->dims[0] >= 0;
}

}  // namespace portacl::ops::repeat
