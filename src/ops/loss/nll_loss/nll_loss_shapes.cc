// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate shapes of this room's operators to each other.
#include <fmt/format.h>

#include "ops/loss/nll_loss/nll_loss_spec.h"

namespace portacl::ops::nll_loss {

bool LabelShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(arguments.schema().Find("self"));
  shape->rank = 0;
  for (int axis = 0; axis < self.rank; ++axis) {
    if (axis != ClassAxis(self.rank)) shape->dims[shape->rank++] = self.shape[axis];
  }
  return true;
}

bool ClassShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(arguments.schema().Find("self"));
  SetShape(self.dims().subspan(static_cast<size_t>(ClassAxis(self.rank)), 1), shape);
  return true;
}

aclnnStatus HasClasses(const exec::Arguments& arguments, const exec::Step& step) {
  const int self = arguments.schema().Find("self");
  const View& view = arguments.Tensor(self);
  int64_t labels = 0;
  CountElements(arguments.Tensor(arguments.schema().Find("target")).dims(), &labels);
  const int axis = ClassAxis(view.rank);
  if (labels == 0 || view.shape[axis] != 0) return exec::kSuccess;
  return arguments.Refuse(step, self, fmt::format("classes along axis {}", axis), "none");
}

}  // namespace portacl::ops::nll_loss
