// SPDX-License-Identifier: Apache-2.0
#include "calls/violation.h"

#include <fmt/format.h>

#include "calls/word_calls.h"

namespace portacl::calls {

bool Violations::IsTensor(int index) const {
  return index >= 0 && exec::IsTensor(schema.args[static_cast<size_t>(index)].kind);
}

void Violations::Add(const exec::Step& step, int place, std::string what, std::function<void(Call&)> apply) {
  const exec::Ref& ref = step.refs[place];
  const auto number = static_cast<size_t>(&step - schema.steps.data());
  found.push_back({number, place, step.status, ref.index, ref.name, std::move(what), std::move(apply), false});
}

void Violations::AddTensor(const exec::Step& step, int place, std::string what,
                           std::function<void(TensorSpec&)> change) {
  const int index = step.refs[place].index;
  Add(step, place, std::move(what), [index, change](Call& call) { change(call.tensor(index)); });
}

void Violations::AddInteger(const exec::Step& step, int place, int64_t value) {
  const int index = step.refs[place].index;
  Add(step, place, fmt::format("value {}", value), [index, value](Call& call) {
    call.argument(index).integer = value;
    call.argument(index).real = static_cast<double>(value);
  });
}

std::vector<Violation> ViolationsOf(const exec::OperatorEntry& entry) {
  Violations violations(entry);
  for (const exec::Step& step : entry.schema->steps) {
    for (int place = 0; place < step.refs.count; ++place) {
      const int index = step.refs[place].index;
      const bool is_left_out = index >= 0 && violations.valid.argument(index).null;  // absent, so never wrong
      if (!is_left_out) CallsOf(step.word).violate(violations, step, place);
    }
  }
  return std::move(violations.found);
}

}  // namespace portacl::calls
