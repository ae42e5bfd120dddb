// SPDX-License-Identifier: Apache-2.0
// Generates a valid call from a schema, see MakeValidCall in call.h.
#include <algorithm>

#include "calls/oracle.h"
#include "calls/word_calls.h"

namespace portacl::calls {
namespace {

// More elements would only repeat the same tiles.
constexpr int64_t kMostElements = 1 << 14;

void ReadSteps(Drawing& drawing, std::initializer_list<Pass> passes) {
  for (const Pass pass : passes) {
    for (const exec::Step& step : drawing.schema.steps) CallsOf(step.word).draw(drawing, step, pass);
  }
}

void StartArguments(Drawing& drawing) {
  for (size_t i = 0; i < drawing.schema.args.size(); ++i) {
    const exec::Arg& arg = drawing.schema.args[i];
    ArgumentSpec& spec = drawing.call.arguments()[i];
    spec.null = arg.optional && !drawing.Chance(0.5);
    if (exec::IsTensor(arg.kind)) spec.tensors.resize(arg.kind == exec::ValueKind::kTensorList ? 2 : 1);
    spec.integers = {1, 1};
  }
}

// Enough rows of 1024; if there is only one axis, it has all elements.
void EnlargeShape(Dims& shape, int64_t elements, int64_t divisor) {
  constexpr int64_t kRow = 1024;
  if (shape.size() > 1) shape.back() = std::max(divisor, kRow / divisor * divisor);
  shape.front() = divisor;
  const int64_t others = std::max<int64_t>(1, ElementCount(shape) / divisor);
  shape.front() = std::max<int64_t>(1, elements / others / divisor) * divisor;
}

// The shape of all free tensors: rules that compare them are then satisfied.
Dims FreeShape(const Drawing& drawing, int64_t elements) {
  Random* const random = drawing.random;
  const int64_t low = drawing.low_rank;
  const int64_t high = std::max(low, drawing.high_rank);  // ranks that exclude each other: the room completes the call
  const int64_t divisor = drawing.divisor;
  const int64_t rank = random != nullptr ? random->Between(low, high) : std::clamp<int64_t>(2, low, high);
  Dims shape;
  for (int64_t axis = 0; axis < rank; ++axis)
    shape.push_back(random != nullptr ? divisor * random->Between(1, 3) : divisor * (axis + 1));
  if (rank == 0) return shape;
  // Sometimes one long axis, so that full registers, tails and several tiles occur.
  if (drawing.Chance(0.3)) shape[static_cast<size_t>(random->Below(rank))] = divisor * random->Between(1, 600);
  if (drawing.Chance(0.05) && drawing.may_be_empty) shape[static_cast<size_t>(random->Below(rank))] = 0;
  if (elements > 0) EnlargeShape(shape, elements, divisor);
  while (elements == 0 && ElementCount(shape) > kMostElements) *std::ranges::max_element(shape) = divisor;
  return shape;
}

// The shape `wanted`, fitted to the ranks and divisors of the schema.
Dims FitShape(const Drawing& drawing, Dims wanted) {
  while (std::ssize(wanted) < drawing.low_rank) wanted.insert(wanted.begin(), 1);
  while (std::ssize(wanted) > std::max<int64_t>(drawing.high_rank, 1)) {
    wanted[1] *= wanted[0];
    wanted.erase(wanted.begin());
  }
  for (int64_t& size : wanted) {
    if (size % drawing.divisor != 0) size *= drawing.divisor;
  }
  return wanted;
}

// `elements`: 0 for a small call.
Call Make(Drawing drawing, int64_t elements, const Dims* wanted = nullptr) {
  StartArguments(drawing);
  ReadSteps(drawing, {Pass::kPresence, Pass::kDtypes, Pass::kAttributes, Pass::kLimits});
  const Dims shape = wanted != nullptr ? FitShape(drawing, *wanted) : FreeShape(drawing, elements);
  for (const int index : drawing.schema.tensors) {
    for (TensorSpec& tensor : drawing.call.argument(index).tensors) tensor.shape = shape;
  }
  ReadSteps(drawing, {Pass::kSizes, Pass::kSizes, Pass::kAxes, Pass::kBroadcasts, Pass::kShapes});
  CompleteCall(drawing.call, drawing.random, elements);
  return std::move(drawing.call);
}

}  // namespace

Drawing::Drawing(const exec::OperatorEntry& entry, Random* drawn_from)
    : call(entry), schema(*entry.schema), family(CurrentSoc().family), random(drawn_from) {}

bool Drawing::IsTensor(int index) const {
  return index >= 0 && exec::IsTensor(schema.args[static_cast<size_t>(index)].kind);
}

void Drawing::SetDtype(int index, aclDataType dtype) {
  call.argument(index).integer = dtype;
  for (TensorSpec& tensor : call.argument(index).tensors) tensor.dtype = dtype;
}

Call MakeValidCall(const exec::OperatorEntry& entry, Random* random) { return Make(Drawing(entry, random), 0); }

Call MakeLargeCall(const exec::OperatorEntry& entry, int64_t elements, aclDataType dtype) {
  Drawing drawing(entry, nullptr);
  drawing.wanted_dtype = dtype;
  return Make(std::move(drawing), elements);
}

Call MakeCallOfShape(const exec::OperatorEntry& entry, const Dims& shape, Random* random, aclDataType dtype) {
  Drawing drawing(entry, random);
  drawing.wanted_dtype = dtype;
  drawing.divisor = 1;
  const int64_t elements = ElementCount(shape);
  return Make(std::move(drawing), elements > kMostElements ? elements : 0, &shape);
}

}  // namespace portacl::calls
