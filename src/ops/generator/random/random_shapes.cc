// SPDX-License-Identifier: Apache-2.0
//
// Checks of attributes.
#include <fmt/format.h>

#include "base/dtype.h"
#include "ops/generator/random/random_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::random {
namespace {

struct Range {
  double low;
  double high;
};

Range RangeOf(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT:
      return {-0x1.fffffep127, 0x1.fffffep127};
    case ACL_BF16:
      return {-0x1.fep127, 0x1.fep127};
    case ACL_FLOAT16:
      return {-65504, 65504};
    case ACL_DOUBLE:
      return {-0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023};
    case ACL_UINT8:
      return {0, 255};
    case ACL_INT8:
      return {-128, 127};
    case ACL_INT16:
      return {-32768, 32767};
    case ACL_INT32:
      return {-0x1p31, 0x1p31 - 1};
    default:
      return {-0x1p63, 0x1p63};  // DOUBLE has no value between the largest integer and this
  }
}

}  // namespace

aclnnStatus CheckBounds(const exec::Arguments& arguments, const exec::Step& step) {
  const aclDataType dtype = arguments.Tensor(0).dtype;
  const auto [low, high] = RangeOf(dtype);
  const int first = arguments.schema().Find("from"), second = arguments.schema().Find("to");
  const double from = arguments.value(first).real(), to = arguments.value(second).real();
  for (const int bound : {first, second}) {
    const double value = arguments.value(bound).real();
    if (value >= low && value <= high) continue;
    return arguments.Refuse(step, bound, fmt::format("a number of {}", DtypeName(dtype)), fmt::format("{}", value));
  }
  if (from > to) return arguments.Refuse(step, first, fmt::format("at most {} ('to')", to), fmt::format("{}", from));
  if (to - from <= high) return exec::kSuccess;
  return arguments.Refuse(step, second, fmt::format("at most the largest {} above 'from'", DtypeName(dtype)),
                          fmt::format("{}", to));
}

aclnnStatus CheckRange(const exec::Arguments& arguments, const exec::Step& step) {
  const int first = arguments.schema().Find("from"), second = arguments.schema().Find("to");
  const int64_t from = arguments.value(first).integer(), to = arguments.value(second).integer();
  if (from < to) return exec::kSuccess;
  return arguments.Refuse(step, first, fmt::format("less than {} ('to')", to), fmt::format("{}", from));
}

aclnnStatus CheckProbability(const exec::Arguments& arguments, const exec::Step& step) {
  const int prob = arguments.schema().Find("prob");
  double value = 0;
  ScalarToDouble(*arguments.value(prob).As<const aclScalar*>(), &value);
  if (value >= 0 && value <= 1) return exec::kSuccess;
  return arguments.Refuse(step, prob, "a number from 0 to 1", fmt::format("{}", value));
}

}  // namespace portacl::ops::random
