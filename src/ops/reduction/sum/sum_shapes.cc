// SPDX-License-Identifier: Apache-2.0
//
// The order of a norm, which depends on whether there are elements.
#include <fmt/format.h>

#include <cmath>

#include "exec/shape_rule.h"
#include "ops/reduction/sum/sum_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::sum {

aclnnStatus CheckOrder(const exec::Arguments& arguments, const exec::Step& step) {
  const int order = arguments.schema().Find("ord");
  const View& self = arguments.Tensor(arguments.schema().Find("self"));
  const uint32_t axes = exec::AxesOf(arguments.Ints(arguments.schema().Find("dims")), self.rank);
  bool is_empty = false;
  for (int axis = 0; axis < self.rank; ++axis) is_empty |= (axes >> axis & 1) != 0 && self.shape[axis] == 0;
  double p = 0;
  ScalarToDouble(*arguments.value(order).As<const aclScalar*>(), &p);
  if (std::isnan(p)) return arguments.Refuse(step, order, "a number", "NaN");
  if (!is_empty || (p >= 0 && std::isfinite(p))) return exec::kSuccess;
  return arguments.Refuse(step, order, "a finite value of at least 0, as there are no elements", fmt::format("{}", p));
}

aclnnStatus CheckOrderOfEmpty(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr int kX = kForeachNorm.Index("x"), kScalar = kForeachNorm.Index("scalar");
  constexpr double kUnlimited = 2147483648.0;  // as in families::NormOf
  double p = 0;
  ScalarToDouble(*arguments.value(kScalar).As<const aclScalar*>(), &p);
  if (p >= 0 && static_cast<double>(static_cast<float>(p)) < kUnlimited) return exec::kSuccess;
  for (int i = 0; i < arguments.Count(kX); ++i) {
    int64_t count = 0;
    CountElements(arguments.Tensor(kX, i).dims(), &count);
    if (count == 0)
      return arguments.Refuse(step, kScalar, "a finite order of at least 0, as a tensor is empty",
                              fmt::format("{}", p));
  }
  return exec::kSuccess;
}

}  // namespace portacl::ops::sum
