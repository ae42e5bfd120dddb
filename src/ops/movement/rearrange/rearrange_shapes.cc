// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "exec/shape_rule.h"
#include "ops/movement/rearrange/rearrange_spec.h"

namespace portacl::ops::rearrange {
namespace {

std::string ListText(std::span<const int64_t> values) { return fmt::format("[{}]", fmt::join(values, ",")); }

// Each value names an axis; no axis is named twice unless that is allowed.
bool AreAxes(std::span<const int64_t> dims, int32_t rank, bool repeated) {
  uint32_t seen = 0;
  for (const int64_t dim : dims) {
    const int axis = exec::AxisOf(dim, rank);
    if (axis < 0 || (!repeated && (seen >> axis & 1) != 0)) return false;
    seen |= uint32_t{1} << axis;
  }
  return true;
}

const View& Self(const exec::Arguments& arguments) { return arguments.Tensor(arguments.schema().Find("self")); }
std::span<const int64_t> DimsOf(const exec::Arguments& arguments) {
  return arguments.Ints(arguments.schema().Find("dims"));
}

}  // namespace

aclnnStatus DimsArePermutation(const exec::Arguments& arguments, const exec::Step& step) {
  const int32_t rank = Self(arguments).rank;
  const auto dims = DimsOf(arguments);
  if (std::ssize(dims) == rank && AreAxes(dims, rank, false)) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("dims"),
                          fmt::format("a permutation of the {} axes of 'self'", rank), ListText(dims));
}

bool PermuteShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = Self(arguments);
  const auto dims = DimsOf(arguments);
  if (std::ssize(dims) != self.rank || !AreAxes(dims, self.rank, false)) return false;
  shape->rank = self.rank;
  for (size_t i = 0; i < dims.size(); ++i) shape->dims[i] = self.shape[exec::AxisOf(dims[i], self.rank)];
  return true;
}

aclnnStatus AxisIsInRange(const exec::Arguments& arguments, const exec::Step& step) {
  const int32_t rank = Self(arguments).rank;
  if (families::AxisIn(arguments, "axis", rank) >= 0) return exec::kSuccess;
  const int axis = arguments.schema().Find("axis");
  return arguments.Refuse(step, axis, fmt::format("an axis of 'self', which has rank {}", rank),
                          fmt::format("{}", arguments.value(axis).integer()));
}

bool FlattenShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = Self(arguments);
  const int axis = families::AxisIn(arguments, "axis", self.rank);
  if (axis < 0) return false;
  shape->rank = 2;
  return CountElements(self.dims().first(static_cast<size_t>(axis)), &shape->dims[0]) &&
         CountElements(self.dims().subspan(static_cast<size_t>(axis)), &shape->dims[1]);
}

aclnnStatus DimsDiffer(const exec::Arguments& arguments, const exec::Step& step) {
  const int32_t rank = Self(arguments).rank;
  if (AreAxes(DimsOf(arguments), rank, false)) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("dims"),
                          fmt::format("different axes of 'self', which has rank {}", rank),
                          ListText(DimsOf(arguments)));
}

aclnnStatus ShiftsHaveDims(const exec::Arguments& arguments, const exec::Step& step) {
  const int32_t rank = arguments.Tensor(arguments.schema().Find("x")).rank;
  const int shifts = arguments.schema().Find("shifts");
  const auto dims = DimsOf(arguments);
  const size_t wanted = dims.empty() ? 1 : dims.size();
  if (arguments.Ints(shifts).size() != wanted) {
    return arguments.Refuse(step, shifts, fmt::format("length {} (that of 'dims', or 1 without)", wanted),
                            fmt::format("length {}", arguments.Ints(shifts).size()));
  }
  if (AreAxes(dims, rank, true)) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("dims"), fmt::format("axes of 'x', which has rank {}", rank),
                          ListText(dims));
}

bool SliceShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = Self(arguments);
  const auto value = [&](const char* name) { return arguments.value(arguments.schema().Find(name)).integer(); };
  const int axis = exec::AxisOf(value("dim"), self.rank);
  if (axis < 0 || value("step") < 1) return false;
  families::SetShape(self.dims(), shape);
  shape->dims[axis] = RangeOf(self.shape[axis], value("start"), value("end"), value("step")).count;
  return true;
}

aclnnStatus SlicesAreValid(const exec::Arguments& arguments, const exec::Step& step) {
  const exec::Schema& schema = arguments.schema();
  const int axes = schema.Find("axes"), steps = schema.Find("steps");
  const size_t count = arguments.Ints(axes).size();
  for (const char* const name : {"starts", "ends", "steps"}) {
    const size_t length = arguments.Ints(schema.Find(name)).size();
    if (length == count) continue;
    return arguments.Refuse(step, schema.Find(name), fmt::format("length {} (that of 'axes')", count),
                            fmt::format("length {}", length));
  }
  const int32_t rank = Self(arguments).rank;
  if (!AreAxes(arguments.Ints(axes), rank, false)) {
    return arguments.Refuse(step, axes, fmt::format("different axes of 'self', which has rank {}", rank),
                            ListText(arguments.Ints(axes)));
  }
  if (std::ranges::all_of(arguments.Ints(steps), [](int64_t value) { return value >= 1; })) return exec::kSuccess;
  return arguments.Refuse(step, steps, "values of at least 1", ListText(arguments.Ints(steps)));
}

bool SliceV2Shape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = Self(arguments);
  const auto ints = [&](const char* name) { return arguments.Ints(arguments.schema().Find(name)); };
  families::SetShape(self.dims(), shape);
  const auto axes = ints("axes"), starts = ints("starts"), ends = ints("ends"), steps = ints("steps");
  if (std::min({starts.size(), ends.size(), steps.size()}) < axes.size()) return false;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = exec::AxisOf(axes[i], self.rank);
    if (axis < 0 || steps[i] < 1) return false;
    shape->dims[axis] = RangeOf(self.shape[axis], starts[i], ends[i], steps[i]).count;
  }
  return true;
}

bool ExpandShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = Self(arguments);
  const auto size = arguments.Ints(arguments.schema().Find("size"));
  const auto rank = static_cast<int32_t>(std::min<size_t>(size.size(), kMaxRank + 1));
  if (rank < self.rank || rank > kMaxRank) return false;
  families::SetShape(size, shape);
  for (int32_t axis = 0; axis < rank; ++axis) {
    const int32_t own = axis - (rank - self.rank);  // negative: a new axis
    int64_t& wanted = shape->dims[axis];
    if (own >= 0 && wanted == -1) wanted = self.shape[own];
    if (wanted < 0 || (own >= 0 && self.shape[own] != 1 && self.shape[own] != wanted)) return false;
  }
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

}  // namespace portacl::ops::rearrange
