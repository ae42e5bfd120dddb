// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ops/movement/fill/fill_spec.h"

namespace portacl::ops::fill {

aclnnStatus IsOneElement(const exec::Arguments& arguments, const exec::Step& step) {
  const int value = arguments.schema().Find("value");
  const auto dims = arguments.Tensor(value).dims();
  int64_t count = 0;
  if (CountElements(dims, &count) && count == 1) return exec::kSuccess;
  return arguments.Refuse(step, value, "one element", fmt::format("[{}]", fmt::join(dims, ",")));
}

}  // namespace portacl::ops::fill
