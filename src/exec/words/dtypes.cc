// SPDX-License-Identifier: Apache-2.0
// Checks of the words about dtypes and formats.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>
#include <string>

#include "base/dtype.h"
#include "base/format.h"
#include "exec/words/check.h"
#include "tensor/array.h"
#include "tensor/promote.h"
#include "tensor/scalar.h"

namespace portacl::exec {
namespace {

std::string SetText(const DtypeSet& set) {
  std::string text;
  for (const DtypeInfo& info : kDtypes) {
    if (set.Holds(info.dtype)) text += fmt::format("{}{}", text.empty() ? "" : ", ", info.name);
  }
  return text;
}

std::string FormatsText(std::span<const int64_t> formats) {
  const auto names =
      formats | std::views::transform([](int64_t format) { return FormatName(static_cast<aclFormat>(format)); });
  return fmt::format("{}", fmt::join(names, " or "));
}

bool IsEmpty(std::span<const int64_t> dims) { return std::ranges::find(dims, 0) != dims.end(); }

// The dtype of a scalar, or the value of an attribute that is a dtype.
aclDataType DtypeOfValue(const Value& value) {
  if (value.kind() == ValueKind::kScalar) return value.As<const aclScalar*>()->dtype;
  return value.As<aclDataType>();
}

// Calls `f(dtype, element)` for every dtype that the argument holds; stops at the first call that returns a nonzero
// status.
template <class F>
aclnnStatus ForEachDtype(const Arguments& arguments, int arg, F&& f) {
  const Value& value = arguments.value(arg);
  int element = 0;
  if (value.kind() == ValueKind::kScalarList && !value.IsNull()) {
    for (const aclScalar* scalar : value.As<const aclScalarList*>()->values()) {
      if (const aclnnStatus status = f(scalar->dtype, element++)) return status;
    }
    return kSuccess;
  }
  if (!IsTensor(value.kind())) return value.IsNull() ? kSuccess : f(DtypeOfValue(value), -1);
  for (const Operand& operand : arguments.Operands(arg)) {
    if (operand.tensor != nullptr) {
      if (const aclnnStatus status = f(operand.view.dtype, element)) return status;
    }
    ++element;
  }
  return kSuccess;
}

// A message with a list of dtypes "on" the SoC would mislead then. Some operators check the SoC late, so that the
// status may differ from that of the step for the SoC.
bool LacksOperator(const Arguments& arguments) { return !arguments.schema().socs.Holds(arguments.soc().family); }

// The common type: tensors first, then each scalar, of which only the kind matters. Returns what `refuse` returns if
// there is none.
template <class Refuse>
aclnnStatus Promote(const Arguments& arguments, const Step& step, aclDataType* promoted, const Refuse& refuse) {
  bool first = true;
  for (bool scalars : {false, true}) {
    for (const Ref& ref : step.refs) {
      if ((arguments.value(ref.index).kind() == ValueKind::kScalar) != scalars) continue;
      const aclnnStatus status = ForEachDtype(arguments, ref.index, [&](aclDataType dtype, int element) {
        const aclDataType before = *promoted;
        *promoted = first ? dtype : scalars ? PromoteWithScalar(before, dtype) : PromoteDtypes(before, dtype);
        first = false;
        return *promoted != ACL_DT_UNDEFINED ? kSuccess : refuse(before, ref.index, dtype, element);
      });
      if (status != kSuccess) return status;
    }
  }
  return kSuccess;
}

aclnnStatus Promote(const Arguments& arguments, const Step& step, aclDataType* promoted) {
  return Promote(arguments, step, promoted, [&](aclDataType before, int arg, aclDataType dtype, int element) {
    return arguments.Refuse(
        step, arg, fmt::format("a dtype with a common type with {} (of {})", DtypeName(before), QuotedNames(step)),
        dtype, element);
  });
}

aclnnStatus CheckStored(const Arguments& arguments, const Step& step, bool (*can_store)(aclDataType, aclDataType)) {
  aclDataType promoted = ACL_DT_UNDEFINED;
  if (const aclnnStatus status = Promote(arguments, step, &promoted)) return status;
  return ForEachDtype(arguments, step.target.index, [&](aclDataType dtype, int element) {
    if (can_store(promoted, dtype)) return kSuccess;
    return arguments.Refuse(
        step, step.target.index,
        fmt::format("a dtype that {} (common type of {}) can be cast to", DtypeName(promoted), QuotedNames(step)),
        dtype, element);
  });
}

constexpr aclnnStatus kStop = -1;

// The first dtype among the inputs of `args`.
template <class Args>
aclDataType FirstDtype(const Arguments& arguments, const Args& args) {
  aclDataType first = ACL_DT_UNDEFINED;
  for (const int arg : args) {
    if (arguments.schema().args[static_cast<size_t>(arg)].role == Role::kOutput) continue;
    const auto keep = [&](aclDataType dtype, int) { return first = dtype, kStop; };
    if (ForEachDtype(arguments, arg, keep) == kStop) break;
  }
  return first;
}

// The dtype of an output, which the step derives from those of the inputs.
aclDataType DtypeFrom(const Arguments& arguments, const Step& step, int output) {
  aclDataType dtype = ACL_DT_UNDEFINED;
  const auto args = step.refs | std::views::transform(&Ref::index);
  if (step.word == Word::kSameDtype && std::ranges::find(args, output) != args.end())
    return FirstDtype(arguments, args);
  if ((step.word == Word::kPromotesTo || step.word == Word::kStoresTo) && step.target.index == output)
    Promote(arguments, step, &dtype, [](auto&&...) { return kStop; });
  return dtype;
}

// `wanted` itself, the complex dtype with parts of that type, or the first of the set.
aclDataType OneOf(const DtypeSet& dtypes, aclDataType wanted) {
  if (dtypes.Holds(wanted)) return wanted;
  const aclDataType complex = wanted == ACL_DOUBLE    ? ACL_COMPLEX128
                              : wanted == ACL_FLOAT16 ? ACL_COMPLEX32
                                                      : ACL_COMPLEX64;
  const DtypeInfo* const info = FindDtype(wanted);
  if (info != nullptr && info->kind == DtypeKind::kFloating && dtypes.Holds(complex)) return complex;
  const auto first = std::ranges::find_if(kDtypes, [&](const DtypeInfo& one) { return dtypes.Holds(one.dtype); });
  return first == std::end(kDtypes) ? wanted : first->dtype;
}

}  // namespace

aclnnStatus CheckDtypeOneOf(Arguments& arguments, const Step& step) {
  const DtypeSet& dtypes = step.LimitsOn(arguments.soc().family).dtypes;
  for (const Ref& ref : step.refs) {
    if (step.skips_empty && IsEmpty(arguments.Tensor(ref.index).dims())) continue;
    const aclnnStatus status = ForEachDtype(arguments, ref.index, [&](aclDataType dtype, int element) {
      if (dtypes.Holds(dtype)) [[likely]]
        return kSuccess;
      if (LacksOperator(arguments)) return RefuseSoc(arguments, step);
      return arguments.Refuse(step, ref.index,
                              fmt::format("one of {} on {}", SetText(dtypes), arguments.soc().family_name), dtype,
                              element);
    });
    if (status != kSuccess) return status;
  }
  return kSuccess;
}

aclnnStatus CheckSameDtype(Arguments& arguments, const Step& step) {
  aclDataType measure = ACL_DT_UNDEFINED;
  bool first = true;
  for (const Ref& ref : step.refs) {
    const aclnnStatus status = ForEachDtype(arguments, ref.index, [&](aclDataType dtype, int element) {
      if (first) measure = dtype;
      first = false;
      if (dtype == measure) [[likely]]
        return kSuccess;
      return arguments.Refuse(step, ref.index, fmt::format("{} (dtype of '{}')", DtypeName(measure), step.refs[0].name),
                              dtype, element);
    });
    if (status != kSuccess) return status;
  }
  return kSuccess;
}

aclnnStatus CheckPromotesOneOf(Arguments& arguments, const Step& step) {
  aclDataType promoted = ACL_DT_UNDEFINED;
  if (const aclnnStatus status = Promote(arguments, step, &promoted)) return status;
  const DtypeSet& dtypes = step.LimitsOn(arguments.soc().family).dtypes;
  if (dtypes.Holds(promoted)) return kSuccess;
  if (LacksOperator(arguments)) return RefuseSoc(arguments, step);
  return arguments.Refuse(step, step.refs[0].index,
                          fmt::format("a common type of {} out of {} on {}", QuotedNames(step), SetText(dtypes),
                                      arguments.soc().family_name),
                          promoted);
}

aclnnStatus CheckPromotesTo(Arguments& arguments, const Step& step) { return CheckStored(arguments, step, CanCast); }

aclnnStatus CheckStoresTo(Arguments& arguments, const Step& step) { return CheckStored(arguments, step, CanStore); }

aclnnStatus CheckScalarFits(Arguments& arguments, const Step& step) {
  aclDataType promoted = ACL_DT_UNDEFINED;
  if (const aclnnStatus status = Promote(arguments, step, &promoted)) return status;
  const DtypeKind kind = FindDtype(promoted)->kind;
  const bool is_floating = kind == DtypeKind::kFloating || kind == DtypeKind::kComplex;
  return ForEachDtype(arguments, step.target.index, [&](aclDataType dtype, int) {
    const DtypeInfo* const info = FindDtype(dtype);
    const bool is_whole = info != nullptr && info->kind != DtypeKind::kNone && info->kind < DtypeKind::kPackedInteger;
    if (is_whole || (is_floating && CanCast(dtype, promoted))) return kSuccess;
    return arguments.Refuse(
        step, step.target.index,
        fmt::format("a dtype that can be cast to {} (common type of {})", DtypeName(promoted), QuotedNames(step)),
        dtype);
  });
}

aclnnStatus CheckPlainFormat(Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    for (const Operand& operand : arguments.Operands(ref.index)) {
      if (operand.tensor == nullptr || IsPlainFormat(operand.view.format)) continue;
      return arguments.Refuse(step, ref.index, "format ND or one that only labels the axes",
                              FormatName(operand.view.format), ElementOf(arguments, operand, ref.index));
    }
  }
  return kSuccess;
}

aclnnStatus CheckFormatOneOf(Arguments& arguments, const Step& step) {
  const std::span<const int64_t> formats(step.values, static_cast<size_t>(step.value_count));
  std::optional<aclFormat> measure;
  for (const Ref& ref : step.refs) {
    for (const Operand& operand : arguments.Operands(ref.index)) {
      const aclFormat format = operand.view.format;
      if (operand.tensor == nullptr || format == measure) continue;
      if (!measure && std::ranges::find(formats, format) != formats.end()) {
        measure = format;
        continue;
      }
      const std::string expected =
          measure ? fmt::format("{} (format of '{}')", FormatName(*measure), step.refs[0].name) : FormatsText(formats);
      return arguments.Refuse(step, ref.index, fmt::format("format {}", expected), FormatName(format),
                              ElementOf(arguments, operand, ref.index));
    }
  }
  return kSuccess;
}

inline namespace v1 {

aclDataType ComputeDtype(const Schema& schema, int arg, std::span<const Value> values) noexcept {
  aclDataType dtype = ACL_DT_UNDEFINED;
  if (values.size() != schema.args.size()) return dtype;
  try {
    const Arguments arguments(schema, values, nullptr, nullptr);
    for (const Step& step : schema.steps) {
      dtype = DtypeFrom(arguments, step, arg);
      if (dtype != ACL_DT_UNDEFINED) return dtype;
    }
    dtype = FirstDtype(arguments, schema.tensors);
    if (dtype == ACL_DT_UNDEFINED) dtype = ACL_FLOAT;
    for (const Step& step : schema.steps) {
      const auto args = step.refs | std::views::transform(&Ref::index);
      if (step.word == Word::kDtypeOneOf && std::ranges::find(args, arg) != args.end())
        return OneOf(step.LimitsOn(arguments.soc().family).dtypes, dtype);
    }
  } catch (...) {
  }
  return dtype;
}

}  // namespace v1
}  // namespace portacl::exec
