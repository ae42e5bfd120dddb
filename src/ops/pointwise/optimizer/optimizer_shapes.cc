// SPDX-License-Identifier: Apache-2.0
//
// Rules of this room that no word of a schema says.
#include <fmt/format.h>

#include "ops/pointwise/optimizer/optimizer_spec.h"

namespace portacl::ops::optimizer {

aclnnStatus CheckMaximum(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr int kMaximum = kApplyAdamWV2.Index("maxGradNormOptionalRef");
  const bool is_needed = arguments.value(kApplyAdamWV2.Index("amsgrad")).As<bool>();
  if (!is_needed || !arguments.IsNull(kMaximum)) return exec::kSuccess;
  return arguments.Refuse(step, kMaximum, "a tensor, as amsgrad is true", "NULL");
}

aclnnStatus CheckOneElement(const exec::Arguments& arguments, const exec::Step& step) {
  const exec::Schema& schema = arguments.schema();
  const bool only_step = schema.Find("step") >= 0;
  for (const int arg : schema.tensors) {
    if (only_step && arg != schema.Find("step")) continue;
    int64_t count = 0;
    CountElements(arguments.Tensor(arg).dims(), &count);
    if (count != 1) return arguments.Refuse(step, arg, "one element", fmt::format("{}", count));
  }
  return exec::kSuccess;
}

}  // namespace portacl::ops::optimizer
