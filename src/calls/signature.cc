// SPDX-License-Identifier: Apache-2.0
#include "calls/signature.h"

#include <algorithm>
#include <ranges>

namespace portacl::calls {
namespace {

bool IsSame(const exec::Arg& a, const exec::Arg& b) {
  return a.kind == b.kind && a.role == b.role && a.optional == b.optional;
}

bool IsSameRule(const exec::Step& a, const exec::Step& b) {
  const auto index = [](const exec::Ref& ref) { return ref.index; };
  return a.shape == b.shape && a.target.index == b.target.index && std::ranges::equal(a.refs, b.refs, {}, index, index);
}

}  // namespace

bool HaveSameSignature(const exec::Schema& a, const exec::Schema& b) {
  const auto tells_shape = [](const exec::Step& step) { return step.word == exec::Word::kShapeIs; };
  return std::ranges::equal(a.args, b.args, IsSame) &&
         std::ranges::equal(a.steps | std::views::filter(tells_shape), b.steps | std::views::filter(tells_shape),
                            IsSameRule);
}

std::vector<const exec::OperatorEntry*> OneOfEachSignature(std::span<const exec::OperatorEntry* const> entries) {
  std::vector<const exec::OperatorEntry*> chosen;
  for (const exec::OperatorEntry* entry : entries) {
    const bool is_new = std::ranges::none_of(
        chosen, [&](const exec::OperatorEntry* other) { return HaveSameSignature(*entry->schema, *other->schema); });
    if (is_new) chosen.push_back(entry);
  }
  return chosen;
}

}  // namespace portacl::calls
