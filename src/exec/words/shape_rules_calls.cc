// SPDX-License-Identifier: Apache-2.0
// Rules for shapes, in calls.
#include <fmt/format.h>

#include <algorithm>

#include "calls/word_calls.h"
#include "exec/shape_rule.h"

namespace portacl::calls {
namespace {

using exec::Ref;
using exec::Step;
using exec::Word;

void DrawComputed(Drawing& drawing, const Step& step, Pass pass) {
  if (pass == Pass::kShapes) ComputeShapeOf(drawing.call, step.refs[0].index);
}

// Sometimes gives a broadcast operand axes of size 1, or removes its first axes.
void Shrink(Drawing& drawing, int index) {
  if (!drawing.IsTensor(index) || !drawing.Chance(0.4)) return;
  Dims& shape = drawing.call.tensor(index).shape;
  for (int64_t& size : shape) {
    if (drawing.Chance(0.5)) size = 1;
  }
  if (drawing.Chance(0.3)) shape.erase(shape.begin(), shape.begin() + drawing.random->Between(0, std::ssize(shape)));
}

void DrawBroadcast(Drawing& drawing, const Step& step, Pass pass) {
  for (int i = 1; pass == Pass::kBroadcasts && i < step.refs.count; ++i) {
    if (step.refs[i].index != step.refs[0].index) Shrink(drawing, step.refs[i].index);
  }
  DrawComputed(drawing, step, pass);
}

bool MayHaveRank(const exec::Schema& schema, int index, size_t rank) {
  return std::ranges::all_of(schema.steps, [=](const Step& step) {
    const exec::Limits& limits = step.LimitsOn(CurrentSoc().family);
    const bool fits = limits.low <= static_cast<int64_t>(rank) && static_cast<int64_t>(rank) <= limits.high;
    return step.word != Word::kRank || fits ||
           std::none_of(step.refs.begin(), step.refs.end(), [=](const Ref& ref) { return ref.index == index; });
  });
}

void AddOtherShapes(Violations& violations, const Step& step, int place, bool adds_axis) {
  const int index = step.refs[place].index;
  const Dims& shape = violations.valid.tensor(index).shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    violations.AddTensor(step, place, fmt::format("axis {} one longer", axis),
                         [axis](TensorSpec& tensor) { ++tensor.shape[axis]; });
  }
  const bool is_source =
      std::any_of(step.refs.begin() + 1, step.refs.end(), [=](const Ref& ref) { return ref.index == index; });
  if (adds_axis && !is_source && MayHaveRank(violations.schema, index, shape.size() + 1)) {
    violations.AddTensor(step, place, "one axis more",
                         [](TensorSpec& tensor) { tensor.shape.insert(tensor.shape.begin(), 1); });
  }
  // Without its only axis the tensor is a scalar, which broadcasts.
  const bool still_fits = step.shape == exec::ShapeWord::kBroadcastsTo && shape.size() == 1;
  if (!shape.empty() && !still_fits && MayHaveRank(violations.schema, index, shape.size() - 1))
    violations.AddTensor(step, place, "one axis less", [](TensorSpec& tensor) { tensor.shape.pop_back(); });
}

void ViolateShape(Violations& violations, const Step& step, int place) {
  AddOtherShapes(violations, step, place, true);
}

}  // namespace

const RuleCalls kSameShapeAsRuleCalls = {
    .text = "that of {sources}",
    .draw = DrawComputed,
    .violate = ViolateShape,
};

const RuleCalls kBroadcastOfRuleCalls = {
    .text = "the broadcast of {sources}",
    .draw = DrawBroadcast,
    .violate = ViolateShape,
};

const RuleCalls kBroadcastsToRuleCalls = {
    .text = "one that broadcasts to that of {sources}",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass == Pass::kBroadcasts) Shrink(drawing, step.refs[0].index);
        },
    .violate = ViolateShape,
};

const RuleCalls kHalfAlongRuleCalls = {
    .text = "that of {sources} with half the size along {target}",
    .draw = DrawComputed,
    .violate = ViolateShape,
};

const RuleCalls kConcatOfRuleCalls = {
    .text = "that of {sources} joined along {target}",
    .draw = DrawComputed,
    .violate = ViolateShape,
};

const RuleCalls kReducedBroadcastOfRuleCalls = {
    .text = "the broadcast of {sources}, one element unless {target} is 0",
    .draw = DrawBroadcast,
    // A reduced result may have any number of axes of size 1.
    .violate = [](Violations& violations, const Step& step,
                  int place) { AddOtherShapes(violations, step, place, false); },
};

const RuleCalls kReducedAlongRuleCalls = {
    .text = "that of {sources} along {target}",
    .draw = DrawComputed,
    // With one element more or less in an axis, [] and [1] would still be the same shape.
    .violate =
        [](Violations& violations, const Step& step, int place) {
          const Dims& shape = violations.valid.tensor(step.refs[place].index).shape;
          if (!shape.empty() && shape != Dims{1}) AddOtherShapes(violations, step, place, true);
          violations.AddTensor(step, place, "two elements", [](TensorSpec& tensor) { tensor.shape = {2, 1, 2}; });
        },
};

}  // namespace portacl::calls
