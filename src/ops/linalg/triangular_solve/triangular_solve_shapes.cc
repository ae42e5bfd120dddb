// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate the shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "ops/linalg/triangular_solve/triangular_solve_spec.h"

namespace portacl::ops::triangular_solve {
namespace {

constexpr int kSelf = kTriangularSolve.Index("self");
constexpr int kA = kTriangularSolve.Index("A");

// The axes before the last two, broadcast, followed by the last two axes of `last`.
bool BatchAnd(const exec::Arguments& arguments, const View& last, Shape* shape) {
  const auto self = arguments.Tensor(kSelf).dims(), a = arguments.Tensor(kA).dims();
  if (self.size() < 2 || a.size() < 2 || last.rank < 2) return false;
  const auto rank = std::max(self.size(), a.size()) - 2;
  const auto size = [rank](std::span<const int64_t> dims, size_t axis) {
    const size_t added = rank + 2 - dims.size();
    return axis < added ? 1 : dims[axis - added];
  };
  shape->rank = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t of_self = size(self, axis), of_a = size(a, axis);
    if (of_self != of_a && of_self != 1 && of_a != 1) return false;
    shape->dims[shape->rank++] = of_self == 1 ? of_a : of_self;
  }
  for (int axis = last.rank - 2; axis < last.rank; ++axis) shape->dims[shape->rank++] = last.shape[axis];
  return true;
}

}  // namespace

aclnnStatus CheckMatrix(const exec::Arguments& arguments, const exec::Step& step) {
  const View &self = arguments.Tensor(kSelf), &a = arguments.Tensor(kA);
  const int64_t n = self.shape[self.rank - 2];
  if (a.shape[a.rank - 2] == n && a.shape[a.rank - 1] == n) return exec::kSuccess;
  return arguments.Refuse(step, kA, fmt::format("{0} rows and columns along its last two axes", n),
                          fmt::format("[{}]", fmt::join(a.dims(), ",")));
}

bool SolutionShape(const exec::Arguments& arguments, Shape* shape) {
  return BatchAnd(arguments, arguments.Tensor(kSelf), shape);
}

bool TriangleShape(const exec::Arguments& arguments, Shape* shape) {
  return BatchAnd(arguments, arguments.Tensor(kA), shape);
}

}  // namespace portacl::ops::triangular_solve
