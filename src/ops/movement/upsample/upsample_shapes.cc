// SPDX-License-Identifier: Apache-2.0
//
// The shape of the result.
#include <algorithm>

#include "ops/movement/upsample/upsample_spec.h"

namespace portacl::ops::upsample {

bool ResizedShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(kUpsampleNearest2d.Index("self"));
  const auto size = arguments.Ints(kUpsampleNearest2d.Index("outputSize"));
  if (self.rank != 4 || size.size() != 2 || std::ranges::min(size) < 1) return false;
  families::SetShape(self.dims(), shape);
  std::ranges::copy(size, shape->dims + HeightAxis(self.format));
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

}  // namespace portacl::ops::upsample
