// SPDX-License-Identifier: Apache-2.0
//
// The maximum length of an axis.
#include <fmt/format.h>

#include <cstdint>

#include "exec/shape_rule.h"
#include "loops/reductions/sort.h"
#include "ops/reduction/sort/sort_spec.h"

namespace portacl::ops::sort {

aclnnStatus CheckLength(const exec::Arguments& arguments, const exec::Step& step) {
  const View& self = arguments.Tensor(0);
  const int64_t dim = arguments.value(arguments.schema().Find("dim")).integer();
  const int64_t length = self.rank == 0 ? 1 : self.shape[exec::AxisOf(dim, self.rank)];
  if (length <= loops::reductions::kMostSorted) return exec::kSuccess;
  return arguments.Refuse(step, 0, fmt::format("at most {} elements along 'dim'", loops::reductions::kMostSorted),
                          fmt::format("{}", length));
}

}  // namespace portacl::ops::sort
