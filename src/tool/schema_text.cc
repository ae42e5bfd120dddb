// SPDX-License-Identifier: Apache-2.0
#include "tool/schema_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "base/dtype.h"
#include "ops/operators.h"
#include "tool/error.h"
#include "tool/nearest.h"

namespace portacl::tool {
namespace {

using exec::Ref;
using exec::Step;
using exec::Word;

// An argument, "x[-1]" for one of its axes, "length of lengths".
std::string RefText(const Ref& ref) {
  if (ref.axis == exec::kWholeArgument) return ref.name;
  if (ref.axis == exec::kArrayLength) return fmt::format("length of {}", ref.name);
  return fmt::format("size of {} along axis {}", ref.name, ref.axis);
}

std::string RefsText(const Step& step, int first = 0) {
  std::vector<std::string> names;
  for (int r = first; r < step.refs.count; ++r) names.push_back(RefText(step.refs[r]));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string RangeText(int64_t low, int64_t high) {
  if (low == high) return fmt::format("{}", low);
  if (high == std::numeric_limits<int64_t>::max()) return fmt::format("at least {}", low);
  if (low == std::numeric_limits<int64_t>::min()) return fmt::format("at most {}", high);
  return fmt::format("from {} to {}", low, high);
}

std::string ShapeText(const Step& step) {
  switch (step.shape) {
    case exec::ShapeWord::kSameShapeAs:
      return fmt::format("that of {}", RefsText(step, 1));
    case exec::ShapeWord::kBroadcastOf:
      return fmt::format("the broadcast of {}", RefsText(step, 1));
    case exec::ShapeWord::kBroadcastsTo:
      return fmt::format("one that broadcasts to that of {}", RefsText(step, 1));
    case exec::ShapeWord::kHalfAlong:
      return fmt::format("that of {} with half the size along {}", RefsText(step, 1), step.target.name);
    case exec::ShapeWord::kConcatOf:
      return fmt::format("that of {} joined along {}", RefsText(step, 1), step.target.name);
    case exec::ShapeWord::kReducedBroadcastOf:
      return fmt::format("the broadcast of {}, one element unless {} is 0", RefsText(step, 1), step.target.name);
    default:
      return fmt::format("computed from {}", RefsText(step, 1));
  }
}

}  // namespace

const exec::OperatorEntry& FindOperator(const std::string& api) {
  for (const exec::OperatorEntry* entry : Operators()) {
    if (entry->schema->api == api) return *entry;
  }
  throw UsageError(fmt::format("unknown operator '{}'{}", api, DidYouMean(api, OperatorNames())));
}

std::vector<std::string> OperatorNames() {
  std::vector<std::string> names;
  for (const exec::OperatorEntry* entry : Operators()) names.emplace_back(entry->schema->api);
  return names;
}

std::vector<std::string> ArgumentNames(const exec::Schema& schema) {
  std::vector<std::string> names;
  for (const exec::Arg& arg : schema.args) names.emplace_back(arg.name);
  return names;
}

std::vector<std::string> NamesIn(const exec::DtypeSet& dtypes) {
  std::vector<std::string> names;
  for (const DtypeInfo& info : kDtypes) {
    if (dtypes.Holds(info.dtype)) names.emplace_back(info.name);
  }
  return names;
}

std::vector<std::string> DtypesOn(const exec::Schema& schema, Family family) {
  for (const Step& step : schema.steps) {
    if (step.word == Word::kDtypeOneOf || step.word == Word::kPromotesOneOf) {
      return NamesIn(step.LimitsOn(family).dtypes);
    }
  }
  return {};
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

std::string StepText(const exec::Schema& schema, const Step& step, Family family) {
  const exec::Limits& limits = step.LimitsOn(family);
  const std::string refs = RefsText(step);
  const auto dtypes = [&] { return fmt::format("{}", fmt::join(NamesIn(limits.dtypes), ", ")); };
  switch (step.word) {
    case Word::kNotNull:
      return fmt::format("{}: not NULL", refs);
    case Word::kNotAllNull:
      return fmt::format("{}: at least one is given", refs);
    case Word::kOnProducts: {
      std::vector<std::string> names;
      for (const Product& product : kProducts) {
        if (schema.products.Holds(product.family)) names.emplace_back(product.family_name);
      }
      return fmt::format("product: {}", fmt::join(names, ", "));
    }
    case Word::kDtypeOneOf:
      return fmt::format("{}: dtype {}", refs, dtypes());
    case Word::kSameDtype:
      return fmt::format("{}: the same dtype", refs);
    case Word::kPromotesOneOf:
      return fmt::format("{}: common dtype {}", refs, dtypes());
    case Word::kPromotesTo:
      return fmt::format("{}: a common dtype that can be cast to that of {}", refs, step.target.name);
    case Word::kPlainFormat:
      return fmt::format("{}: format ND or one that only labels the axes", refs);
    case Word::kRank:
      return fmt::format("{}: rank {}", refs, RangeText(limits.low, limits.high));
    case Word::kNotEmpty:
      return fmt::format("{}: not empty", refs);
    case Word::kSizeInRange:
      return fmt::format("{}: {}", refs, RangeText(limits.low, limits.high));
    case Word::kDivisibleAlong:
      return fmt::format("{}: size along {} is a multiple of {}", refs, step.target.name, limits.low);
    case Word::kSameSize:
      return fmt::format("{}: all the same", refs);
    case Word::kSameSizeOrOne:
      return fmt::format("{}: all that of the first, or 1", refs);
    case Word::kDimInRange:
      return fmt::format("{}: an axis of {}", refs, step.target.name);
    case Word::kValueOneOf:
    case Word::kAttributeIs:
      return fmt::format("{}: {}", refs,
                         fmt::join(std::span(step.values, static_cast<size_t>(step.value_count)), " or "));
    case Word::kValueAtLeast:
      return fmt::format("{}: at least {}", refs, step.real_low);
    case Word::kShapeIs:
      return fmt::format("{}: shape {}", RefText(step.refs[0]), ShapeText(step));
    case Word::kCustom:
      return step.custom_name;
    case Word::kEmptySucceeds:
      return fmt::format("{}: empty ones end the call with success", refs);
    default:
      return fmt::format("{}: a further check", refs);
  }
}

}  // namespace portacl::tool
