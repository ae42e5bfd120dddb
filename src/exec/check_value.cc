// SPDX-License-Identifier: Apache-2.0
// Steps about sizes and about the values of attributes.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "exec/check_words.h"
#include "exec/shape_rule.h"
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

std::string NumberText(const Value& value) {
  if (value.kind() == ValueKind::kDouble || value.kind() == ValueKind::kFloat) return fmt::format("{}", value.real());
  if (value.kind() == ValueKind::kBool) return value.integer() != 0 ? "true" : "false";
  return fmt::format("{}", value.integer());
}

bool IsReal(const Value& value) { return value.kind() == ValueKind::kDouble || value.kind() == ValueKind::kFloat; }

template <class Numbers>
aclnnStatus CheckNumbers(const Arguments& arguments, const Step& step, const Numbers& numbers) {
  const double low = step.real_low;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (static_cast<double>(numbers[i]) >= low) continue;  // not written as '<': NaN must not pass
    return arguments.Refuse(step, step.refs[0].index, fmt::format("values of at least {}", low),
                            fmt::format("{} at [{}]", numbers[i], i));
  }
  return kSuccess;
}

}  // namespace

aclnnStatus CheckSizeInRange(const Arguments& arguments, const Step& step) {
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

aclnnStatus CheckDivisibleAlong(const Arguments& arguments, const Step& step) {
  const View& view = arguments.Tensor(step.refs[0].index);
  const int64_t divisor = step.LimitsOn(arguments.product().family).low;
  const int axis = AxisOf(arguments.value(step.target.index).integer(), view.rank);
  if (axis < 0 || view.shape[axis] % divisor == 0) return kSuccess;
  return arguments.Refuse(step, step.refs[0].index, fmt::format("a multiple of {} along axis {}", divisor, axis),
                          ShapeText(view.dims()));
}

aclnnStatus CheckSameSize(const Arguments& arguments, const Step& step) {
  const auto measure = SizeOf(arguments, step.refs[0]);
  if (!measure) return kSuccess;
  const bool or_one = step.word == Word::kSameSizeOrOne;
  for (const Ref& ref : step.refs) {
    const auto size = SizeOf(arguments, ref);
    if (!size || *size == *measure || (or_one && *size == 1)) continue;
    return arguments.Refuse(step, ref.index,
                            fmt::format("{}{} (that of '{}')", *measure, or_one ? " or 1" : "", step.refs[0].name),
                            SizeText(ref, *size));
  }
  return kSuccess;
}

aclnnStatus CheckDimInRange(const Arguments& arguments, const Step& step) {
  const int arg = step.target.index;
  if (arguments.Count(arg) == 0 || arguments.operand(arguments.First(arg)).tensor == nullptr) return kSuccess;
  const int32_t rank = AxisOwner(arguments, arg).rank;
  const int64_t dim = arguments.value(step.refs[0].index).integer();
  if (AxisOf(dim, rank) >= 0) return kSuccess;
  const auto expected = rank == 0
                            ? fmt::format("an axis of '{}', which has none", step.target.name)
                            : fmt::format("a value from {} to {} (axes of '{}')", -rank, rank - 1, step.target.name);
  return arguments.Refuse(step, step.refs[0].index, expected, fmt::format("{}", dim));
}

aclnnStatus CheckValueOneOf(const Arguments& arguments, const Step& step) {
  const Value& value = arguments.value(step.refs[0].index);
  const std::span<const int64_t> allowed(step.values, static_cast<size_t>(step.value_count));
  if (std::ranges::find(allowed, value.integer()) != allowed.end()) return kSuccess;
  return arguments.Refuse(step, step.refs[0].index, fmt::format("one of {}", fmt::join(allowed, ", ")),
                          NumberText(value));
}

aclnnStatus CheckValueAtLeast(const Arguments& arguments, const Step& step) {
  const int arg = step.refs[0].index;
  const Value& value = arguments.value(arg);
  if (value.IsNull()) return kSuccess;
  if (value.kind() == ValueKind::kIntArray)
    return CheckNumbers(arguments, step, value.As<const aclIntArray*>()->values());
  if (value.kind() == ValueKind::kFloatArray)
    return CheckNumbers(arguments, step, value.As<const aclFloatArray*>()->values());
  const double number = IsReal(value) ? value.real() : static_cast<double>(value.integer());
  if (number >= step.real_low) return kSuccess;  // not written as '<': NaN must not pass
  return arguments.Refuse(step, arg, fmt::format("a value of at least {}", step.real_low), NumberText(value));
}

aclnnStatus CheckAttributeIs(const Arguments& arguments, const Step& step) {
  const Value& value = arguments.value(step.refs[0].index);
  if (value.integer() == step.values[0]) return kSuccess;
  const auto expected = value.kind() == ValueKind::kBool ? std::string(step.values[0] != 0 ? "true" : "false")
                                                         : fmt::format("{}", step.values[0]);
  return arguments.Refuse(step, step.refs[0].index, expected, NumberText(value));
}

}  // namespace portacl::exec
