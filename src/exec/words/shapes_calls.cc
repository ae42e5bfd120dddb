// SPDX-License-Identifier: Apache-2.0
// The words about the shape of tensors, and about the length of arrays and lists, in calls.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "calls/word_calls.h"
#include "exec/shape_rule.h"

namespace portacl::calls {
namespace {

using exec::Ref;
using exec::Step;
using exec::Word;

constexpr int64_t kHuge = int64_t{1} << 40;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// The size of an axis; null when the Ref names none.
int64_t* SizeOf(Drawing& drawing, const Ref& ref) {
  if (ref.axis >= exec::kArrayLength || !drawing.IsTensor(ref.index)) return nullptr;
  Dims& shape = drawing.call.tensor(ref.index).shape;
  const int axis = exec::AxisOf(ref.axis, static_cast<int32_t>(shape.size()));
  return axis < 0 ? nullptr : &shape[static_cast<size_t>(axis)];
}

// Lists of one length. The sizes of their tensors differ; other steps say that tensors of several lists have the same.
void DrawLists(Drawing& drawing, const Step& step) {
  const auto count = static_cast<size_t>(drawing.random == nullptr ? 2 : drawing.random->Between(1, 4));
  for (const Ref& ref : step.refs) {
    ArgumentSpec& list = drawing.call.argument(ref.index);
    if (drawing.IsTensor(ref.index))
      list.tensors.resize(count, list.tensors.front());
    else
      list.integers.assign(count, 1);
  }
  if (drawing.random == nullptr) return;
  for (TensorSpec& tensor : drawing.call.argument(step.refs[0].index).tensors) {
    if (tensor.shape.empty() || drawing.Chance(0.5)) continue;
    int64_t& size = tensor.shape[static_cast<size_t>(drawing.random->Below(std::ssize(tensor.shape)))];
    size = drawing.random->Between(size == 0 ? 0 : 1, size);
  }
}

void DrawSameSizes(Drawing& drawing, const Step& step, Pass pass) {
  if (pass == Pass::kSizes && step.refs[0].axis == exec::kArrayLength && drawing.IsTensor(step.refs[0].index))
    return DrawLists(drawing, step);
  const int64_t* first = pass == Pass::kSizes ? SizeOf(drawing, step.refs[0]) : nullptr;
  if (first == nullptr) return;
  for (const Ref& ref : step.refs) {
    if (int64_t* size = SizeOf(drawing, ref)) *size = *first;
    if (ref.axis == exec::kArrayLength && !drawing.IsTensor(ref.index))
      drawing.call.argument(ref.index).integers.assign(static_cast<size_t>(*first), 1);
  }
}

// A list, or an array, that is longer than the first.
void ViolateLengths(Violations& violations, const Step& step, int place) {
  const bool has_lengths_only =
      std::ranges::all_of(step.refs, [](const Ref& ref) { return ref.axis == exec::kArrayLength; });
  if (!has_lengths_only || place == 0) return;
  violations.Add(step, place, "one more than in the first", [index = step.refs[place].index](Call& call) {
    ArgumentSpec& list = call.argument(index);
    list.integers.push_back(1);
    if (!list.tensors.empty()) list.tensors.push_back(list.tensors.back());
  });
}

// Whether an earlier step compares sizes of this operand with another's, and would refuse first.
bool IsComparedBefore(const exec::Schema& schema, const Step& step, int index) {
  return std::any_of(schema.steps.data(), &step, [=](const Step& other) {
    return (other.word == Word::kSameSize || other.word == Word::kSameSizeOrOne) &&
           std::any_of(other.refs.begin(), other.refs.end(), [=](const Ref& ref) { return ref.index == index; });
  });
}

// Changes other tensors as well, as otherwise a step about shapes would refuse first.
void ViolateWithoutElements(Violations& violations, const Step& step, int place) {
  const int index = step.refs[place].index;
  violations.Add(step, place, "no elements", [index](Call& call) {
    Dims& shape = call.tensor(index).shape;
    shape.assign(std::max<size_t>(shape.size(), 1), 0);
    for (const Step& rule : call.schema().steps) {
      if (rule.word == Word::kShapeIs && rule.refs[0].index != index) ComputeShapeOf(call, rule.refs[0].index);
    }
  });
  violations.found.back().changes_others = true;
}

}  // namespace

const WordCalls kRankCalls = {
    .text = "{refs}: rank {range}",
    .broken = "a rank not listed, a negative dimension, stride or offset",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass != Pass::kLimits) return;
          drawing.low_rank = std::max(drawing.low_rank, step.LimitsOn(drawing.family).low);
          drawing.high_rank = std::min(drawing.high_rank, step.LimitsOn(drawing.family).high);
        },
    .violate =
        [](Violations& violations, const Step& step, int place) {
          const exec::Limits& limits = step.LimitsOn(CurrentSoc().family);
          const auto add = [&](std::string what, std::function<void(TensorSpec&)> change) {
            violations.AddTensor(step, place, std::move(what), std::move(change));
          };
          for (const int64_t rank : {limits.high + 1, int64_t{25}}) {
            add(fmt::format("rank {}", rank),
                [rank](TensorSpec& tensor) { tensor.shape.assign(static_cast<size_t>(rank), 1); });
          }
          if (limits.low > 0) {
            add("a rank too low",
                [low = limits.low](TensorSpec& tensor) { tensor.shape.assign(static_cast<size_t>(low - 1), 1); });
          }
          add("a negative offset", [](TensorSpec& tensor) { tensor.offset = -1; });
          add("an offset beyond int64", [](TensorSpec& tensor) { tensor.offset = kMost; });
          const Dims& shape = violations.valid.tensor(step.refs[place].index).shape;
          const size_t rank = shape.size();
          if (rank == 0) return;
          add("a negative dim", [](TensorSpec& tensor) { tensor.shape.back() = -1; });
          add("a negative stride",
              [](TensorSpec& tensor) { tensor.strides = tensor.Strides(), tensor.strides->back() = -1; });
          if (ElementCount(shape) > 1)
            add("an extent beyond int64",
                [](TensorSpec& tensor) { tensor.strides = Dims(tensor.shape.size(), kMost); });
          if (rank == 1) return;
          add("a count beyond int64", [](TensorSpec& tensor) {
            tensor.strides = Dims(tensor.shape.size(), 0);
            for (int64_t& size : tensor.shape) size = kHuge;
          });
        },
};

const WordCalls kNotEmptyCalls = {
    .text = "{refs}: not empty",
    .broken = "no elements in {any}",
    .draw =
        [](Drawing& drawing, const Step&, Pass pass) {
          if (pass == Pass::kLimits) drawing.may_be_empty = false;
        },
    .violate = ViolateWithoutElements,
};

const WordCalls kContiguousCalls = {
    .text = "{refs}: contiguous",
    .broken = "gaps between the elements of {any}",
    .draw = DrawNothing,  // tensors are drawn contiguous; DrawViews() leaves these as they are
    .violate =
        [](Violations& violations, const Step& step, int place) {
          violations.AddTensor(step, place, "gaps between elements", [](TensorSpec& tensor) {
            if (tensor.shape.empty()) tensor.shape = {2};
            tensor.strides = ContiguousStrides(tensor.shape);
            for (int64_t& stride : *tensor.strides) stride *= 2;
          });
        },
};

const WordCalls kNotEmptyAlongCalls = {
    .text = "{refs}: not empty along what is reduced",
    .broken = "no elements in {any} along what is reduced",
    .draw =
        [](Drawing& drawing, const Step&, Pass pass) {
          if (pass == Pass::kLimits) drawing.may_be_empty = false;
        },
    .violate = ViolateWithoutElements,
};

const WordCalls kEmptySucceedsCalls = {
    .text = "{refs}: empty ones end the call with success",
    .broken = "no elements in {any}",
    .draw = DrawNothing,
    .violate = ViolateNothing,
};

const WordCalls kShapeIsCalls = {
    .text = "{operand}: shape {shape}",
    .broken = "another shape of {operand}",
    .draw = [](Drawing& drawing, const Step& step, Pass pass) { CallsOf(step.shape).draw(drawing, step, pass); },
    .violate =
        [](Violations& violations, const Step& step, int place) {
          if (place == 0) CallsOf(step.shape).violate(violations, step, place);
        },
};

const WordCalls kSizeInRangeCalls = {
    .text = "{refs}: {range}",
    .broken = "{refs} not {range}",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass != Pass::kSizes) return;
          const exec::Limits& limits = step.LimitsOn(drawing.family);
          for (const Ref& ref : step.refs) {
            if (int64_t* size = SizeOf(drawing, ref)) *size = std::clamp(*size, limits.low, limits.high);
          }
        },
    .violate =
        [](Violations& violations, const Step& step, int place) {
          const Ref ref = step.refs[place];
          if (!violations.IsTensor(ref.index) || ref.axis == exec::kArrayLength) return;
          const exec::Limits& limits = step.LimitsOn(CurrentSoc().family);
          for (const int64_t size : {limits.low, limits.high}) {
            const bool is_low = size == limits.low;
            if (is_low ? size <= 0 : size == kMost) continue;
            violations.AddTensor(step, place, fmt::format("size beyond {}", size), [=](TensorSpec& tensor) {
              const int axis = exec::AxisOf(ref.axis, static_cast<int32_t>(tensor.shape.size()));
              tensor.strides = Dims(tensor.shape.size(), 0);
              tensor.shape[static_cast<size_t>(axis)] = is_low ? size - 1 : size + 1;
            });
            violations.found.back().changes_others = IsComparedBefore(violations.schema, step, ref.index);
          }
        },
};

const WordCalls kDivisibleAlongCalls = {
    .text = "{refs}: size along {target} is a multiple of {low}",
    .broken = "a size of {refs} along {target} that is no multiple of {low}",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass == Pass::kLimits) drawing.divisor = std::max(drawing.divisor, step.LimitsOn(drawing.family).low);
        },
    .violate = ViolateNothing,
};

const WordCalls kSameSizeCalls = {
    .text = "{refs}: all the same",
    .broken = "{refs} that differ",
    .draw = DrawSameSizes,
    .violate = ViolateLengths,
};

const WordCalls kSameSizeOrOneCalls = {
    .text = "{refs}: all that of the first, or 1",
    .broken = "{refs} that differ and are not 1",
    .draw = DrawSameSizes,
    .violate = ViolateNothing,
};

}  // namespace portacl::calls
