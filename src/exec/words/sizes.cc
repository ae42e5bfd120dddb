// SPDX-License-Identifier: Apache-2.0
// Checks of words about sizes: of one axis, or of an array or list.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "exec/words/check.h"
#include "tensor/array.h"

namespace portacl::exec {
namespace {

// The size that a Ref names; nothing when the operand is absent or has no such axis.
std::optional<int64_t> SizeOf(const Arguments& arguments, const Ref& ref) {
  const Value& value = arguments.value(ref.index);
  if (value.IsNull()) return std::nullopt;
  if (ref.axis != kArrayLength) {
    const Operand& operand = arguments.operand(arguments.First(ref.index));
    const int axis = AxisOf(ref.axis, operand.view.rank);
    if (axis < 0) return std::nullopt;
    return operand.view.shape[axis];
  }
  switch (value.kind()) {
    case ValueKind::kTensorList:
      return arguments.Count(ref.index);
    case ValueKind::kScalarList:
      return static_cast<int64_t>(value.As<const aclScalarList*>()->values().size());
    case ValueKind::kIntArray:
      return static_cast<int64_t>(value.As<const aclIntArray*>()->values().size());
    case ValueKind::kFloatArray:
      return static_cast<int64_t>(value.As<const aclFloatArray*>()->values().size());
    case ValueKind::kBoolArray:
      return static_cast<int64_t>(value.As<const aclBoolArray*>()->values().size());
    default:
      return std::nullopt;
  }
}

std::string SizeText(const Ref& ref, int64_t size) {
  if (ref.axis == kArrayLength) return fmt::format("length {}", size);
  return fmt::format("{} along axis {}", size, ref.axis);
}

aclnnStatus CheckSizes(const Arguments& arguments, const Step& step, bool or_one) {
  const auto measure = SizeOf(arguments, step.refs[0]);
  if (!measure) return kSuccess;
  for (const Ref& ref : step.refs) {
    const auto size = SizeOf(arguments, ref);
    if (!size || *size == *measure || (or_one && *size == 1)) continue;
    return arguments.Refuse(step, ref.index,
                            fmt::format("{}{} (that of '{}')", *measure, or_one ? " or 1" : "", step.refs[0].name),
                            SizeText(ref, *size));
  }
  return kSuccess;
}

}  // namespace

aclnnStatus CheckSizeInRange(Arguments& arguments, const Step& step) {
  const Limits& limits = step.LimitsOn(arguments.product().family);
  for (const Ref& ref : step.refs) {
    const auto size = SizeOf(arguments, ref);
    if (!size || (*size >= limits.low && *size <= limits.high)) continue;
    const auto expected = *size < limits.low
                              ? fmt::format("at least {}", limits.low)
                              : fmt::format("at most {} on {}", limits.high, arguments.product().family_name);
    return arguments.Refuse(step, ref.index, expected, SizeText(ref, *size));
  }
  return kSuccess;
}

aclnnStatus CheckDivisibleAlong(Arguments& arguments, const Step& step) {
  const View& view = arguments.Tensor(step.refs[0].index);
  const int64_t divisor = step.LimitsOn(arguments.product().family).low;
  const int axis = AxisOf(arguments.value(step.target.index).integer(), view.rank);
  if (axis < 0 || view.shape[axis] % divisor == 0) return kSuccess;
  return arguments.Refuse(step, step.refs[0].index, fmt::format("a multiple of {} along axis {}", divisor, axis),
                          ShapeText(view.dims()));
}

aclnnStatus CheckSameSize(Arguments& arguments, const Step& step) { return CheckSizes(arguments, step, false); }
aclnnStatus CheckSameSizeOrOne(Arguments& arguments, const Step& step) { return CheckSizes(arguments, step, true); }

}  // namespace portacl::exec
