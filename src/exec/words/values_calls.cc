// SPDX-License-Identifier: Apache-2.0
// The words about the values of attributes, in calls.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "calls/word_calls.h"

namespace portacl::calls {
namespace {

using exec::Step;

std::vector<int64_t> Listed(const Step& step) { return {step.values, step.values + step.value_count}; }

void DrawListedValue(Drawing& drawing, const Step& step, Pass pass) {
  if (pass != Pass::kAttributes) return;
  drawing.call.argument(step.refs[0].index).integer = drawing.Pick(Listed(step));
}

void ViolateListedValue(Violations& violations, const Step& step, int place) {
  violations.AddInteger(step, place, std::ranges::max(Listed(step)) + 1);
}

}  // namespace

const WordCalls kDimInRangeCalls = {
    .text = "{refs}: an axis of {target}",
    .broken = "{refs} out of range",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass != Pass::kAxes) return;
          const auto rank = std::ssize(drawing.call.tensor(step.target.index).shape);
          const bool is_drawn = drawing.random != nullptr && rank > 0;
          drawing.call.argument(step.refs[0].index).integer = is_drawn ? drawing.random->Between(-rank, rank - 1) : -1;
        },
    .violate =
        [](Violations& violations, const Step& step, int place) {
          const auto rank = std::ssize(violations.valid.tensor(step.target.index).shape);
          violations.AddInteger(step, place, rank);
          violations.AddInteger(step, place, -rank - 1);
        },
};

const WordCalls kAxesInRangeCalls = {
    .text = "{refs}: axes of {target}, none twice",
    .broken = "{refs} beyond the axes of {target}, or one twice",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass != Pass::kAxes) return;
          ArgumentSpec& spec = drawing.call.argument(step.refs[0].index);
          const int64_t rank = std::max<int64_t>(std::ssize(drawing.call.tensor(step.target.index).shape), 1);
          spec.integers.clear();
          spec.integer = drawing.random != nullptr ? drawing.random->Between(-rank, rank - 1) : -1;
          spec.real = static_cast<double>(spec.integer);
          for (int64_t axis = 0; axis < rank; ++axis) {
            if (drawing.Chance(0.5)) spec.integers.push_back(drawing.Chance(0.5) ? axis : axis - rank);
          }
          if (drawing.random == nullptr) spec.integers = {-1};
        },
    .violate =
        [](Violations& violations, const Step& step, int place) {
          const int index = step.refs[place].index;
          const auto rank = std::max<int64_t>(std::ssize(violations.valid.tensor(step.target.index).shape), 1);
          if (violations.schema.args[static_cast<size_t>(index)].kind != exec::ValueKind::kIntArray) {
            violations.AddInteger(step, place, rank);
            violations.AddInteger(step, place, -rank - 1);
            return;
          }
          for (const std::vector<int64_t>& dims : {std::vector<int64_t>{rank}, {-rank - 1}, {0, -rank}}) {
            violations.Add(step, place, fmt::format("axis {}", dims.back()),
                           [=](Call& call) { call.argument(index).integers = dims; });
          }
        },
};

const WordCalls kValueOneOfCalls = {.text = "{refs}: {values}",
                                    .broken = "{refs} not {values}",
                                    .draw = DrawListedValue,
                                    .violate = ViolateListedValue};
const WordCalls kAttributeIsCalls = {.text = "{refs}: {values}",
                                     .broken = "{refs} not {values}",
                                     .draw = DrawListedValue,
                                     .violate = ViolateListedValue};

const WordCalls kValueAtLeastCalls = {
    .text = "{refs}: at least {real_low}",
    .broken = "{refs} not at least {real_low}",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass != Pass::kAttributes) return;
          for (const exec::Ref& ref : step.refs) {
            ArgumentSpec& spec = drawing.call.argument(ref.index);
            spec.real = std::max(1.0, step.real_low);
            spec.integer = static_cast<int64_t>(spec.real);
            for (int64_t& value : spec.integers) value = spec.integer;
          }
        },
    .violate =
        [](Violations& violations, const Step& step, int place) {
          const int index = step.refs[place].index;
          const exec::ValueKind kind = violations.schema.args[static_cast<size_t>(index)].kind;
          const bool is_real =
              kind == exec::ValueKind::kDouble || kind == exec::ValueKind::kFloat || kind == exec::ValueKind::kScalar;
          for (const double value : {step.real_low - 1, std::nan("")}) {
            if (std::isnan(value) && !is_real) continue;
            violations.Add(step, place, fmt::format("value {}", value), [=](Call& call) {
              ArgumentSpec& spec = call.argument(index);
              spec.real = value;
              if (is_real) return;
              spec.integer = static_cast<int64_t>(value);
              for (int64_t& element : spec.integers) element = spec.integer;
            });
          }
        },
};

}  // namespace portacl::calls
