// SPDX-License-Identifier: Apache-2.0
//
// How large the results of this room's operators can be.
#include "ops/indexing/compact/compact_spec.h"

namespace portacl::ops::compact {

bool CoordinateRows(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(0);
  int64_t count = 0;
  if (!CountElements(self.dims(), &count)) return false;
  *shape = {2, {count, self.rank}};
  return true;
}

bool CoordinateColumns(const exec::Arguments& arguments, Shape* shape) {
  if (!CoordinateRows(arguments, shape)) return false;
  std::swap(shape->dims[0], shape->dims[1]);
  return true;
}

bool SelectedShape(const exec::Arguments& arguments, Shape* shape) {
  Shape broadcast;
  families::SetShape(arguments.Tensor(kMaskedSelect.Index("self")).dims(), &broadcast);
  int64_t count = 0;
  if (BroadcastWith(&broadcast, arguments.Tensor(kMaskedSelect.Index("mask")).dims()) >= 0 ||
      !CountElements(broadcast.span(), &count))
    return false;
  *shape = {1, {count}};
  return true;
}

}  // namespace portacl::ops::compact
