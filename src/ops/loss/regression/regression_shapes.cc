// SPDX-License-Identifier: Apache-2.0
//
// The check that relates dtypes to an attribute.
#include "families/loss.h"
#include "ops/loss/regression/regression_spec.h"

namespace portacl::ops::regression {

aclnnStatus MeanIsOfFloats(const exec::Arguments& arguments, const exec::Step& step) {
  const int reduction = arguments.schema().Find("reduction");
  if (arguments.value(reduction).integer() != kMeanReduction || arguments.Tensor(0).dtype != ACL_INT64 ||
      arguments.Tensor(1).dtype != ACL_INT64)
    return exec::kSuccess;
  return arguments.Refuse(step, reduction, "0 or 2 for operands of INT64", "1");
}

}  // namespace portacl::ops::regression
