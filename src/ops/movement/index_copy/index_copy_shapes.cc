// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of this room's operators to each other.
#include <fmt/format.h>

#include "ops/movement/index_copy/index_copy_spec.h"

namespace portacl::ops::index_copy {

bool SourceShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(0);
  const View& index = arguments.Tensor(arguments.schema().Find("index"));
  const int dim = families::AxisIn(arguments, "dim", self.rank);
  int64_t count = 0;
  if (dim < 0 || index.rank > 1 || !CountElements(index.dims(), &count)) return false;
  families::SetShape(self.dims(), shape);
  if (self.rank == 0) return count == 1;
  shape->dims[dim] = count;
  return CountElements(shape->span(), &count);
}

aclnnStatus IndexNamesRows(const exec::Arguments& arguments, const exec::Step& step) {
  const View& self = arguments.Tensor(0);
  const int64_t rows = self.rank == 0 ? 1 : self.shape[families::AxisIn(arguments, "dim", self.rank)];
  const int index = arguments.schema().Find("index");
  for (const int64_t row : arguments.Ints(index)) {
    if (row < -rows || row >= rows)
      return arguments.Refuse(step, index, fmt::format("numbers from {} to {}", -rows, rows - 1),
                              fmt::format("{}", row));
  }
  return exec::kSuccess;
}

}  // namespace portacl::ops::index_copy
