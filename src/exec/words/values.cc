// SPDX-License-Identifier: Apache-2.0
// Checks of the words about the values of attributes.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "exec/words/check.h"
#include "tensor/array.h"
#include "tensor/scalar.h"

namespace portacl::exec {
namespace {

std::string NumberText(const Value& value) {
  if (value.kind() == ValueKind::kDouble || value.kind() == ValueKind::kFloat) return fmt::format("{}", value.real());
  if (value.kind() == ValueKind::kBool) return value.integer() != 0 ? "true" : "false";
  return fmt::format("{}", value.integer());
}

bool IsReal(const Value& value) { return value.kind() == ValueKind::kDouble || value.kind() == ValueKind::kFloat; }

template <class Numbers>
aclnnStatus CheckNumbers(Arguments& arguments, const Step& step, int arg, const Numbers& numbers) {
  const double low = step.real_low;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (static_cast<double>(numbers[i]) >= low) continue;  // not written as '<': NaN must not pass
    return arguments.Refuse(step, arg, fmt::format("values of at least {}", low),
                            fmt::format("{} at [{}]", numbers[i], i));
  }
  return kSuccess;
}

aclnnStatus CheckAtLeast(Arguments& arguments, const Step& step, int arg) {
  const Value& value = arguments.value(arg);
  if (value.IsNull()) return kSuccess;
  if (value.kind() == ValueKind::kIntArray)
    return CheckNumbers(arguments, step, arg, value.As<const aclIntArray*>()->values());
  if (value.kind() == ValueKind::kFloatArray)
    return CheckNumbers(arguments, step, arg, value.As<const aclFloatArray*>()->values());
  const double number = IsReal(value) ? value.real() : static_cast<double>(value.integer());
  if (number >= step.real_low) return kSuccess;  // not written as '<': NaN must not pass
  return arguments.Refuse(step, arg, fmt::format("a value of at least {}", step.real_low), NumberText(value));
}

}  // namespace

aclnnStatus CheckDimInRange(Arguments& arguments, const Step& step) {
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

namespace {

int64_t WholeNumber(const Value& value) {
  int64_t whole = value.integer();
  if (value.kind() == ValueKind::kScalar) ScalarToInt64(*value.As<const aclScalar*>(), &whole);
  return whole;
}

}  // namespace

namespace {

// The content of an array; none if it is absent.
std::span<const int64_t> ContentOf(const Value& array) {
  return array.IsNull() ? std::span<const int64_t>() : array.As<const aclIntArray*>()->values();
}

}  // namespace

uint32_t AxesOf(const Value& dims, int32_t rank) {
  if (dims.kind() == ValueKind::kIntArray) return AxesOf(ContentOf(dims), rank);
  const int64_t dim = dims.integer();
  return AxesOf(std::span(&dim, 1), rank);
}

aclnnStatus CheckAxesInRange(Arguments& arguments, const Step& step) {
  const int arg = step.refs[0].index;
  const Value& value = arguments.value(arg);
  const int32_t rank = std::max(arguments.Tensor(step.target.index).rank, 1);
  const bool is_array = value.kind() == ValueKind::kIntArray;
  const int64_t only = is_array ? 0 : WholeNumber(value);
  const std::span<const int64_t> dims = is_array ? ContentOf(value) : std::span(&only, 1);
  uint32_t seen = 0;
  for (const int64_t dim : dims) {
    const int axis = AxisOf(dim, rank);
    if (axis < 0) {
      return arguments.Refuse(step, arg,
                              fmt::format("{} from {} to {} (axes of '{}')", is_array ? "values" : "a value", -rank,
                                          rank - 1, step.target.name),
                              fmt::format("{}", dim));
    }
    if ((seen >> axis & 1) != 0)
      return arguments.Refuse(step, arg, "different axes", fmt::format("axis {} twice", axis));
    seen |= 1U << axis;
  }
  return kSuccess;
}

aclnnStatus CheckValueOneOf(Arguments& arguments, const Step& step) {
  const Value& value = arguments.value(step.refs[0].index);
  const std::span<const int64_t> allowed(step.values, static_cast<size_t>(step.value_count));
  if (std::ranges::find(allowed, value.integer()) != allowed.end()) return kSuccess;
  return arguments.Refuse(step, step.refs[0].index, fmt::format("one of {}", fmt::join(allowed, ", ")),
                          NumberText(value));
}

aclnnStatus CheckValueAtLeast(Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    const aclnnStatus status = CheckAtLeast(arguments, step, ref.index);
    if (status != kSuccess) return status;
  }
  return kSuccess;
}

aclnnStatus CheckAttributeIs(Arguments& arguments, const Step& step) {
  const Value& value = arguments.value(step.refs[0].index);
  if (value.integer() == step.values[0]) return kSuccess;
  const auto expected = value.kind() == ValueKind::kBool ? std::string(step.values[0] != 0 ? "true" : "false")
                                                         : fmt::format("{}", step.values[0]);
  return arguments.Refuse(step, step.refs[0].index, expected, NumberText(value));
}

}  // namespace portacl::exec
