// SPDX-License-Identifier: Apache-2.0
//
// Rules of this room that no word of a schema says.
#include <fmt/format.h>

#include "ops/pointwise/rounding/rounding_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::rounding {

aclnnStatus CheckMode(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr int kMode = kForeachRoundOffNumberV2.Index("roundMode");
  int64_t mode = 0;
  ScalarToInt64(*arguments.value(kMode).As<const aclScalar*>(), &mode);
  if (mode >= 1 && mode <= kModes) return exec::kSuccess;
  return arguments.Refuse(step, kMode, fmt::format("a number from 1 to {}", kModes), fmt::format("{}", mode));
}

}  // namespace portacl::ops::rounding
