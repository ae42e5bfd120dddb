// SPDX-License-Identifier: Apache-2.0
#include "calls/word_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "base/dtype.h"
#include "base/format.h"
#include "exec/shape_rule.h"

namespace portacl::calls {
namespace {

#define PORTACL_WORD_OF(name, traits) &k##name##Calls,
#define PORTACL_RULE_OF(name, traits) &k##name##RuleCalls,
constexpr const WordCalls* kWordCalls[] = {PORTACL_WORDS(PORTACL_WORD_OF)};
constexpr const RuleCalls* kRuleCalls[] = {PORTACL_SHAPE_RULES(PORTACL_RULE_OF)};
#undef PORTACL_WORD_OF
#undef PORTACL_RULE_OF

std::string RefText(const exec::Ref& ref) {
  if (ref.axis == exec::kWholeArgument) return ref.name;
  if (ref.axis == exec::kArrayLength) return fmt::format("length of {}", ref.name);
  return fmt::format("size of {} along axis {}", ref.name, ref.axis);
}

// "a, b, c", or with another separator before the last name.
std::string RefsText(const exec::Step& step, int first, const char* last = ", ") {
  std::string text;
  for (int r = first; r < step.refs.count; ++r) {
    if (r != first) text += r + 1 == step.refs.count ? last : ", ";
    text += RefText(step.refs[r]);
  }
  return text;
}

std::string RangeText(int64_t low, int64_t high) {
  if (low == high) return fmt::format("{}", low);
  if (high == std::numeric_limits<int64_t>::max()) return fmt::format("at least {}", low);
  if (low == std::numeric_limits<int64_t>::min()) return fmt::format("at most {}", high);
  return fmt::format("from {} to {}", low, high);
}

std::string SocNames(const exec::SocSet& socs) {
  std::vector<std::string> names;
  for (const Soc& soc : kSocs) {
    if (socs.Holds(soc.family)) names.emplace_back(soc.family_name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string FormatNames(const exec::Step& step) {
  std::vector<std::string> names;
  for (int i = 0; i < step.value_count; ++i) names.emplace_back(FormatName(static_cast<aclFormat>(step.values[i])));
  return fmt::format("{}", fmt::join(names, " or "));
}

std::string Fill(const Sentence& sentence, const exec::Schema& schema, const exec::Step& step,
                 const exec::Limits& limits, const std::string& shape, const char* last = ", ") {
  const auto name = [](const char* text) { return text == nullptr ? "" : text; };
  return fmt::format(fmt::runtime(sentence.text()), fmt::arg("refs", RefsText(step, 0, last)),
                     fmt::arg("sources", RefsText(step, 1, " and ")), fmt::arg("any", RefsText(step, 0, " or ")),
                     fmt::arg("operand", name(step.refs[0].name)), fmt::arg("target", name(step.target.name)),
                     fmt::arg("dtypes", fmt::join(NamesIn(limits.dtypes), ", ")),
                     fmt::arg("formats", FormatNames(step)), fmt::arg("socs", SocNames(schema.socs)),
                     fmt::arg("values", fmt::join(step.values, step.values + step.value_count, " or ")),
                     fmt::arg("range", RangeText(limits.low, limits.high)), fmt::arg("low", limits.low),
                     fmt::arg("real_low", step.real_low), fmt::arg("rule", name(step.custom_name)),
                     fmt::arg("shape", shape));
}

}  // namespace

const WordCalls& CallsOf(exec::Word word) { return *kWordCalls[static_cast<size_t>(word)]; }
const RuleCalls& CallsOf(exec::ShapeWord rule) { return *kRuleCalls[static_cast<size_t>(rule)]; }

std::string StepText(const exec::Schema& schema, const exec::Step& step, SocFamily family) {
  return Fill(CallsOf(step.word).text, schema, step, step.LimitsOn(family), ShapeText(schema, step, family));
}

std::string BrokenText(const exec::Schema& schema, const exec::Step& step, SocFamily family) {
  return Fill(CallsOf(step.word).broken, schema, step, step.LimitsOn(family), ShapeText(schema, step, family), " and ");
}

std::string ShapeText(const exec::Schema& schema, const exec::Step& step, SocFamily family) {
  return Fill(CallsOf(step.shape).text, schema, step, step.LimitsOn(family), "");
}

std::vector<std::string> NamesIn(const exec::DtypeSet& dtypes) {
  std::vector<std::string> names;
  for (const DtypeInfo& info : kDtypes) {
    if (dtypes.Holds(info.dtype)) names.emplace_back(info.name);
  }
  return names;
}

void ComputeShapeOf(Call& call, int index) {
  const CallObjects objects(call.schema(), call.arguments());
  for (int element = 0; TensorSpec & tensor : call.argument(index).tensors) {
    Shape shape;
    if (exec::ComputeShape(call.schema(), index, objects.values(), &shape, element++))
      tensor.shape.assign(shape.dims, shape.dims + shape.rank);
  }
}

}  // namespace portacl::calls
