// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate scalars and the shape of the output to each other.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "ops/generator/sequence/sequence_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::sequence {
namespace {

double Real(const exec::Arguments& arguments, const char* name) {
  double value = 0;
  ScalarToDouble(*arguments.value(arguments.schema().Find(name)).As<const aclScalar*>(), &value);
  return value;
}

int64_t Integer(const exec::Arguments& arguments, const char* name) {
  return arguments.value(arguments.schema().Find(name)).integer();
}

// The number of elements from start to end, computed in this type.
template <class T>
double CountIn(const exec::Arguments& arguments) {
  const auto start = static_cast<T>(Real(arguments, "start"));
  const auto end = static_cast<T>(Real(arguments, "end"));
  const auto step = static_cast<T>(Real(arguments, "step"));
  const T steps = (end - start) / step;
  const bool has_end = std::string_view(arguments.schema().api) == "aclnnRange";
  return static_cast<double>(has_end ? std::floor(steps) + 1 : std::ceil(steps));
}

constexpr double kMostElements = 9e18;  // below the largest int64

int64_t ElementsOf(const View& view) {
  int64_t count = 0;
  CountElements(view.dims(), &count);
  return count;
}

aclnnStatus RefuseCount(const exec::Arguments& arguments, const exec::Step& step, const std::string& expected) {
  const int out = step.target.index;
  return arguments.Refuse(step, out, expected, fmt::format("{}", ElementsOf(arguments.Tensor(out))));
}

bool SetOneAxis(int64_t size, Shape* shape) {
  shape->rank = 1;
  shape->dims[0] = size;
  return size >= 0;
}

}  // namespace

aclnnStatus CheckStep(const exec::Arguments& arguments, const exec::Step& step) {
  const double start = Real(arguments, "start"), end = Real(arguments, "end"), by = Real(arguments, "step");
  if (by == 0 || std::isnan(by))
    return arguments.Refuse(step, arguments.schema().Find("step"), "a number other than 0", fmt::format("{}", by));
  const bool is_ahead = by > 0 ? start <= end : start >= end;
  const double count = CountIn<double>(arguments);
  if (is_ahead && count < kMostElements) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("end"),
                          fmt::format("a number that steps of {} from {} lead to", by, start), fmt::format("{}", end));
}

// The documentation computes the count in FLOAT; both counts are accepted, as callers use either.
aclnnStatus CheckCount(const exec::Arguments& arguments, const exec::Step& step) {
  const auto elements = static_cast<double>(ElementsOf(arguments.Tensor(step.target.index)));
  const double count = CountIn<double>(arguments);
  if (elements == count || elements == CountIn<float>(arguments)) return exec::kSuccess;
  return RefuseCount(arguments, step, fmt::format("{} elements", count));
}

bool CountShape(const exec::Arguments& arguments, Shape* shape) {
  const double count = CountIn<double>(arguments);
  return count >= 0 && count < kMostElements && SetOneAxis(static_cast<int64_t>(count), shape);
}

aclnnStatus CheckSteps(const exec::Arguments& arguments, const exec::Step& step) {
  const int64_t steps = Integer(arguments, "steps");
  if (ElementsOf(arguments.Tensor(step.target.index)) == steps) return exec::kSuccess;
  return RefuseCount(arguments, step, fmt::format("{} elements ('steps')", steps));
}

bool StepsShape(const exec::Arguments& arguments, Shape* shape) {
  return SetOneAxis(Integer(arguments, "steps"), shape);
}

aclnnStatus CheckEye(const exec::Arguments& arguments, const exec::Step& step) {
  const View& out = arguments.Tensor(step.target.index);
  const int64_t n = Integer(arguments, "n"), m = Integer(arguments, "m");
  if (out.shape[0] == n && out.shape[1] == m) return exec::kSuccess;
  return arguments.Refuse(step, step.target.index, fmt::format("[{},{}] ('n', 'm')", n, m),
                          fmt::format("[{},{}]", out.shape[0], out.shape[1]));
}

bool EyeShape(const exec::Arguments& arguments, Shape* shape) {
  shape->rank = 2;
  shape->dims[0] = Integer(arguments, "n");
  shape->dims[1] = Integer(arguments, "m");
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

}  // namespace portacl::ops::sequence
