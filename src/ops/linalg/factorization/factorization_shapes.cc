// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate the shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/linalg/factorization/factorization_spec.h"

namespace portacl::ops::factorization {
namespace {

int64_t ModeOf(const exec::Arguments& arguments) { return arguments.value(arguments.schema().Find("mode")).integer(); }

// The axes of self, with other sizes for the last two.
void SetMatrices(std::span<const int64_t> self, int64_t rows, int64_t columns, Shape* shape) {
  families::SetShape(self, shape);
  shape->dims[shape->rank - 2] = rows;
  shape->dims[shape->rank - 1] = columns;
}

}  // namespace

aclnnStatus CheckSquare(const exec::Arguments& arguments, const exec::Step& step) {
  const View& self = arguments.Tensor(0);
  if (self.shape[self.rank - 2] == self.shape[self.rank - 1]) return exec::kSuccess;
  return arguments.Refuse(step, 0, "last two axes of one size", fmt::format("[{}]", fmt::join(self.dims(), ",")));
}

bool BatchShape(const exec::Arguments& arguments, Shape* shape) {
  const auto dims = arguments.Tensor(0).dims();
  if (dims.size() < 2) return false;
  families::SetShape(dims.first(dims.size() - 2), shape);
  return true;
}

bool ShapeOfQ(const exec::Arguments& arguments, Shape* shape) {
  const auto dims = arguments.Tensor(0).dims();
  if (dims.size() < 2) return false;
  const int64_t rows = dims[dims.size() - 2];
  if (ModeOf(arguments) == kOnlyR) {
    shape->rank = 1;
    shape->dims[0] = 0;
  } else {
    SetMatrices(dims, rows, ModeOf(arguments) == kComplete ? rows : std::min(rows, dims.back()), shape);
  }
  return true;
}

aclnnStatus CheckQ(const exec::Arguments& arguments, const exec::Step& step) {
  if (ModeOf(arguments) != kOnlyR) return families::CheckShape(arguments, step);
  const View& q = arguments.Tensor(step.target.index);
  if (std::ranges::find(q.dims(), 0) != q.dims().end()) return exec::kSuccess;
  return arguments.Refuse(step, step.target.index, "a shape without elements (mode is 2)",
                          fmt::format("[{}]", fmt::join(q.dims(), ",")));
}

bool ShapeOfR(const exec::Arguments& arguments, Shape* shape) {
  const auto dims = arguments.Tensor(0).dims();
  if (dims.size() < 2) return false;
  const int64_t rows = dims[dims.size() - 2];
  SetMatrices(dims, ModeOf(arguments) == kComplete ? rows : std::min(rows, dims.back()), dims.back(), shape);
  return true;
}

}  // namespace portacl::ops::factorization
