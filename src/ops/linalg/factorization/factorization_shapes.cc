// SPDX-License-Identifier: Apache-2.0
//
// What ties the shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ops/linalg/factorization/factorization_spec.h"

namespace portacl::ops::factorization {

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

}  // namespace portacl::ops::factorization
