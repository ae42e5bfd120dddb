// SPDX-License-Identifier: Apache-2.0
#include "tool/accuracy_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "calls/word_calls.h"

namespace portacl::tool {
namespace {

// "FLOAT, FLOAT16 and BFLOAT16"
std::string ListText(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

// The names of the dtypes; "integers" for all integers together.
std::vector<std::string> KindNames(exec::DtypeSet dtypes) {
  constexpr exec::DtypeSet kIntegers = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};
  const bool has_integers = (dtypes & kIntegers) == kIntegers;
  std::vector<std::string> names = calls::NamesIn(has_integers ? dtypes - kIntegers : dtypes);
  if (has_integers) names.emplace_back("integers");
  return names;
}

// " in outA", " where reduction is 1 or 2"
std::string ConditionText(const exec::ErrorBound& bound) {
  if (bound.part != nullptr) return fmt::format(" in {}", bound.part);
  if (bound.attribute == nullptr) return "";
  std::vector<int> values;
  for (int value = 0; value < 32; ++value) {
    if (bound.CoversValue(value)) values.push_back(value);
  }
  return fmt::format(" where {} is {}", bound.attribute, fmt::join(values, " or "));
}

// The limit with its dtypes and condition, without the term.
std::string BoundText(const exec::ErrorBound& bound) {
  constexpr exec::DtypeSet kComplex = {ACL_COMPLEX64, ACL_COMPLEX128};
  const bool is_of_parts = !(bound.dtypes & kComplex).empty() && bound.unit != exec::ErrorUnit::kBits;
  const std::string text = LimitText(bound) + (is_of_parts ? " in each part" : "") + ConditionText(bound);
  return bound.dtypes.empty() ? text : fmt::format("{} {}", ListText(KindNames(bound.dtypes)), text);
}

}  // namespace

const char* UnitText(const exec::ErrorBound& bound) {
  return bound.unit == exec::ErrorUnit::kEpsilon ? "epsilon" : "ULP";
}

std::string LimitText(const exec::ErrorBound& bound) {
  if (bound.unit == exec::ErrorUnit::kBits) return bound.fused == 0 ? "exact" : "exact, or rounded once";
  std::string text = fmt::format("{} {}", bound.fused, UnitText(bound));
  if (bound.counted_in != ACL_DT_UNDEFINED) text += fmt::format(" of {}", DtypeName(bound.counted_in));
  if (bound.unfused != bound.fused) text += fmt::format(" ({} without fused multiply-add)", bound.unfused);
  return text;
}

std::string OutputText(const exec::ErrorBound& bound) {
  return bound.part != nullptr ? bound.part : bound.output + ConditionText(bound);
}

std::string AccuracyText(const exec::Schema& schema) {
  const auto outputs = std::count_if(schema.args.begin(), schema.args.end(),
                                     [](const exec::Arg& arg) { return exec::IsTensor(arg.kind) && arg.written(); });
  std::string text;
  const exec::ErrorBound* last = nullptr;
  int same_term = 0;  // consecutive bounds with the same term, which is printed once
  exec::DtypeSet without_subnormals;
  for (const exec::ErrorBound& bound : schema.accuracy) {
    const exec::ErrorBound* const next = &bound + 1 == schema.accuracy.end() ? nullptr : &bound + 1;
    const auto is_like = [&](const exec::ErrorBound* other) {
      return other != nullptr && std::string_view(other->output) == bound.output;
    };
    if (last != nullptr) text += is_like(last) ? ", " : "; ";
    if (outputs > 1 && !is_like(last)) text += fmt::format("{}: ", bound.output);
    text += BoundText(bound);
    last = &bound;
    without_subnormals = without_subnormals | bound.zero_for_subnormals;
    ++same_term;
    if (is_like(next) && next->term == bound.term) continue;
    if (bound.term != nullptr) {
      text += fmt::format("{} of the larger of the result and {}", same_term > 1 ? ", each" : "", bound.term);
    }
    same_term = 0;
  }
  if (!without_subnormals.empty())
    text += fmt::format("; 0 may stand for {} subnormals", ListText(calls::NamesIn(without_subnormals)));
  return text;
}

}  // namespace portacl::tool
