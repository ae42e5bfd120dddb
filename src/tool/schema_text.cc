// SPDX-License-Identifier: Apache-2.0
#include "tool/schema_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "calls/word_calls.h"
#include "ops/operators.h"
#include "tool/error.h"
#include "tool/name_search.h"

namespace portacl::tool {

namespace {

constexpr std::string_view kPrefix = "aclnn";

bool IsIn(const exec::OperatorEntry& entry, std::string_view family) {
  return FamilyOf(entry) == family || RoomOf(entry) == family;
}

const exec::OperatorEntry& FindAmong(const std::vector<std::string>& names, const std::string& name) {
  const std::vector<std::string> matches = Matches(name, OperatorNames(), kPrefix);
  if (matches.empty()) {
    throw UsageError(
        fmt::format("unknown operator '{}'{}; 'portacl ops' lists all", name, DidYouMean(name, names, kPrefix)));
  }
  if (matches.size() > 1) throw UsageError(fmt::format("'{}' may be {}", name, fmt::join(matches, " or ")));
  return **std::ranges::find_if(Operators(), [&](const auto* entry) { return entry->schema->api == matches.front(); });
}

}  // namespace

const exec::OperatorEntry& FindOperator(const std::string& name) { return FindAmong(OperatorNames(), name); }

bool IsFamily(const std::string& name) {
  return std::ranges::any_of(Operators(), [&](const auto* entry) { return IsIn(*entry, name); });
}

std::vector<const exec::OperatorEntry*> FindOperators(const std::string& name) {
  std::vector<const exec::OperatorEntry*> entries(Operators().begin(), Operators().end());
  if (name.empty()) return entries;
  if (IsFamily(name)) {
    std::erase_if(entries, [&](const auto* entry) { return !IsIn(*entry, name); });
    return entries;
  }
  std::vector<std::string> names = OperatorNames();
  for (const auto* entry : entries) {
    if (FamilyOf(*entry) != names.back()) names.emplace_back(FamilyOf(*entry));
  }
  return {&FindAmong(names, name)};
}

std::vector<std::string> OperatorNames() {
  std::vector<std::string> names;
  for (const exec::OperatorEntry* entry : Operators()) names.emplace_back(entry->schema->api);
  return names;
}

std::string_view FamilyOf(const exec::OperatorEntry& entry) {
  const std::string_view room = RoomOf(entry);
  return room.substr(0, room.find('/'));
}

std::vector<std::string> ArgumentNames(const exec::Schema& schema) {
  std::vector<std::string> names;
  for (const exec::Arg& arg : schema.args) names.emplace_back(arg.name);
  return names;
}

std::vector<std::string> DtypesOn(const exec::Schema& schema, SocFamily family) {
  const exec::Step* first = nullptr;
  exec::DtypeSet dtypes;
  for (const exec::Step& step : schema.steps) {
    if (step.limits[0].dtypes.empty()) continue;
    const exec::DtypeSet& listed = step.LimitsOn(family).dtypes;
    // A later step about the same operand may refuse dtypes that are listed but not supported yet.
    if (first == nullptr) dtypes = listed;
    if (first != nullptr && step.word == first->word && step.refs[0].index == first->refs[0].index)
      dtypes = dtypes & listed;
    if (first == nullptr) first = &step;
  }
  return calls::NamesIn(dtypes);
}

const char* KindText(exec::ValueKind kind) {
  using exec::ValueKind;
  switch (kind) {
    case ValueKind::kTensor:
      return "tensor";
    case ValueKind::kTensorList:
      return "list of tensors";
    case ValueKind::kScalar:
      return "scalar";
    case ValueKind::kScalarList:
      return "list of scalars";
    case ValueKind::kIntArray:
      return "int array";
    case ValueKind::kFloatArray:
      return "float array";
    case ValueKind::kBoolArray:
      return "bool array";
    case ValueKind::kDouble:
      return "double";
    case ValueKind::kFloat:
      return "float";
    case ValueKind::kInt64:
      return "int64";
    case ValueKind::kUInt64:
      return "uint64";
    case ValueKind::kInt32:
      return "int32";
    case ValueKind::kInt8:
      return "int8";
    case ValueKind::kBool:
      return "bool";
    case ValueKind::kDtype:
      return "dtype";
    case ValueKind::kString:
      return "string";
  }
  return "value";
}

const char* RoleText(exec::Role role) {
  switch (role) {
    case exec::Role::kInput:
      return "in";
    case exec::Role::kOutput:
      return "out";
    case exec::Role::kInOut:
      return "in and out";
    case exec::Role::kAttribute:
      return "attribute";
  }
  return "";
}

}  // namespace portacl::tool
