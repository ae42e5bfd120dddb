// SPDX-License-Identifier: Apache-2.0
//
// Rules of this room that no word of a schema says.
#include <fmt/format.h>

#include "ops/pointwise/optimizer/optimizer_spec.h"

namespace portacl::ops::optimizer {

aclnnStatus CheckMaximum(const exec::Arguments& arguments, const exec::Step& step) {
  const exec::Schema& schema = arguments.schema();
  const int maximum = schema.Find(schema.Find("step") >= 0 ? "maxGradNormOptionalRef" : "maxGradNormOptional");
  if (!arguments.value(schema.Find("amsgrad")).As<bool>() || !arguments.IsNull(maximum)) return exec::kSuccess;
  return arguments.Refuse(step, maximum, "a tensor, as amsgrad is true", "NULL");
}

aclnnStatus HaveOneElement(const exec::Arguments& arguments, const exec::Step& step) {
  for (const exec::Ref& number : step.refs) {
    int64_t count = 0;
    CountElements(arguments.Tensor(number.index).dims(), &count);
    if (count != 1) return arguments.Refuse(step, number.index, "one element", fmt::format("{}", count));
  }
  return exec::kSuccess;
}

}  // namespace portacl::ops::optimizer
