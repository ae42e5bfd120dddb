// SPDX-License-Identifier: Apache-2.0
//
// Checks of the factor that multiplies a list of tensors.
#include <fmt/format.h>

#include "base/dtype.h"
#include "ops/pointwise/arithmetic/arithmetic_spec.h"

namespace portacl::ops::arithmetic {

aclnnStatus FactorFitsList(const exec::Arguments& arguments, const exec::Step& step) {
  const int x = kForeachMulScalar.Index("x"), scalar = kForeachMulScalar.Index("scalar");
  if (arguments.Count(x) == 0) return exec::kSuccess;
  const aclDataType dtype = arguments.Tensor(x).dtype, factor = arguments.Tensor(scalar).dtype;
  if (dtype == ACL_BF16 ? factor == ACL_FLOAT : factor == dtype) return exec::kSuccess;
  if (dtype == ACL_FLOAT16 && factor == ACL_FLOAT) return exec::kSuccess;
  const char* const expected = dtype == ACL_BF16      ? "FLOAT"
                               : dtype == ACL_FLOAT16 ? "FLOAT16 or FLOAT"
                                                      : DtypeName(dtype);
  return arguments.Refuse(step, scalar, fmt::format("{} ('x' has {})", expected, DtypeName(dtype)), factor);
}

aclnnStatus FactorIsOneElement(const exec::Arguments& arguments, const exec::Step& step) {
  const int scalar = kForeachMulScalar.Index("scalar");
  int64_t count = 0;
  CountElements(arguments.Tensor(scalar).dims(), &count);
  if (count == 1) return exec::kSuccess;
  return arguments.Refuse(step, scalar, "one element", fmt::format("{}", count));
}

}  // namespace portacl::ops::arithmetic
