// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and the formulas of its elements.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"
#include "loops/elements/store_scalar.h"
#include "loops/moves/generate.h"
#include "loops/moves/triangle.h"
#include "ops/generator/sequence/sequence_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::sequence {
namespace {

using loops::moves::GeneratedBlock;

bool IsWhole(aclDataType dtype) { return FindDtype(dtype)->kind != DtypeKind::kFloating; }

// A scalar converted to that dtype.
template <class T>
T ElementFrom(const exec::PlanBuilder& plan, const char* name, aclDataType dtype) {
  alignas(16) std::byte bytes[16] = {};
  loops::StoreScalar(*plan.Attribute<const aclScalar*>(name), dtype, bytes);
  T element;
  std::memcpy(&element, bytes, sizeof(T));
  return element;
}

struct Progress {
  double start;
  double step;
  int64_t whole_start;
  int64_t whole_step;
};

// values[i] = origin + (first + i) * step. All instruction sets can convert 32-bit integers in lanes.
template <class T>
void AddSteps(T origin, T step, int64_t first, int64_t n, T* values) {
  const T begin = static_cast<T>(first);
  const auto count = static_cast<int32_t>(n);
  for (int32_t i = 0; i < count; ++i) values[i] = origin + (begin + static_cast<T>(i)) * step;
}

// For FLOAT, the product is exact for up to this many elements.
constexpr int64_t kExactSteps = int64_t{1} << 29;
template <class T>
void ProgressIn(GeneratedBlock& block, const void* parameters) {
  const auto& progress = *static_cast<const Progress*>(parameters);
  AddSteps(static_cast<T>(progress.start), static_cast<T>(progress.step), block.first, block.n,
           reinterpret_cast<T*>(block.elements));
}
void ProgressInDouble(GeneratedBlock& block, const void* parameters) {
  const auto& progress = *static_cast<const Progress*>(parameters);
  auto* const values = reinterpret_cast<double*>(block.elements);
  for (int64_t i = 0; i < block.n; ++i)
    values[i] = std::fma(static_cast<double>(block.first + i), progress.step, progress.start);
}
void ProgressInWhole(GeneratedBlock& block, const void* parameters) {
  const auto& progress = *static_cast<const Progress*>(parameters);
  const auto start = static_cast<uint64_t>(progress.whole_start), step = static_cast<uint64_t>(progress.whole_step);
  auto* const values = reinterpret_cast<uint64_t*>(block.elements);
  for (int64_t i = 0; i < block.n; ++i) values[i] = start + static_cast<uint64_t>(block.first + i) * step;
}

void PlanProgress(exec::PlanBuilder& plan) {
  const int out = plan.Output("out");
  const aclDataType dtype = plan.OperandView(out).dtype;
  Progress progress = {};
  if (IsWhole(dtype)) {
    progress.whole_start = ElementFrom<int64_t>(plan, "start", ACL_INT64);
    progress.whole_step = ElementFrom<int64_t>(plan, "step", ACL_INT64);
    return loops::moves::Generate(
        plan, {.out = out, .generator = {.run = ProgressInWhole, .dtype = ACL_INT64}, .parameters = progress});
  }
  if (dtype == ACL_DOUBLE) {
    progress.start = ElementFrom<double>(plan, "start", dtype);
    progress.step = ElementFrom<double>(plan, "step", dtype);
    return loops::moves::Generate(plan, {.out = out,
                                         .generator = {.run = ProgressInDouble, .dtype = dtype, .ns_per_element = 4},
                                         .parameters = progress});
  }
  progress.start = static_cast<double>(ElementFrom<float>(plan, "start", ACL_FLOAT));
  progress.step = static_cast<double>(ElementFrom<float>(plan, "step", ACL_FLOAT));
  // If float32 can represent all elements as integers, float64 is not needed.
  int64_t count = 0;
  CountElements(plan.OperandView(out).dims(), &count);
  const double most = std::abs(progress.start) + static_cast<double>(count) * std::abs(progress.step);
  if (most <= 0x1p24 && progress.start == std::trunc(progress.start) && progress.step == std::trunc(progress.step))
    return loops::moves::Generate(plan,
                                  {.out = out,
                                   .generator = {.run = ProgressIn<float>, .dtype = ACL_FLOAT, .ns_per_element = 0.2},
                                   .parameters = progress});
  loops::moves::Generate(
      plan, {.out = out, .generator = {.run = ProgressIn<double>, .dtype = ACL_DOUBLE}, .parameters = progress});
}

struct Spacing {
  double start;
  double end;
  double step;
  int64_t steps;
};

void SpaceEvenly(GeneratedBlock& block, const void* parameters) {
  const Spacing& spacing = *static_cast<const Spacing*>(parameters);
  auto* const values = reinterpret_cast<double*>(block.elements);
  for (int64_t at = 0; at < block.n; ++at) {
    const int64_t i = block.first + at;
    const auto rest = static_cast<double>(spacing.steps - 1 - i);
    values[at] = i < spacing.steps / 2 || spacing.steps == 1
                     ? std::fma(static_cast<double>(i), spacing.step, spacing.start)
                     : std::fma(-rest, spacing.step, spacing.end);
  }
}

// The same if products are exact: rounded once without std::fma, which is a function call on the oldest instruction
// set.
void SpaceExactly(GeneratedBlock& block, const void* parameters) {
  const Spacing& spacing = *static_cast<const Spacing*>(parameters);
  auto* const values = reinterpret_cast<double*>(block.elements);
  const int64_t middle = spacing.steps == 1 ? 1 : spacing.steps / 2;
  const int64_t before = std::clamp<int64_t>(middle - block.first, 0, block.n);
  AddSteps(spacing.start, spacing.step, block.first, before, values);
  const auto rest = static_cast<double>(spacing.steps - 1 - block.first);
  const auto count = static_cast<int32_t>(block.n);
  for (auto i = static_cast<int32_t>(before); i < count; ++i)
    values[i] = spacing.end - (rest - static_cast<double>(i)) * spacing.step;
}

// A scalar converted to the dtype of the elements.
double ReadEnd(const exec::PlanBuilder& plan, const char* name, aclDataType dtype) {
  switch (dtype) {
    case ACL_DOUBLE:
      return ElementFrom<double>(plan, name, dtype);
    case ACL_INT8:
      return ElementFrom<int8_t>(plan, name, dtype);
    case ACL_UINT8:
      return ElementFrom<uint8_t>(plan, name, dtype);
    case ACL_INT16:
      return ElementFrom<int16_t>(plan, name, dtype);
    case ACL_INT32:
      return ElementFrom<int32_t>(plan, name, dtype);
    case ACL_INT64:
      return static_cast<double>(ElementFrom<int64_t>(plan, name, dtype));
    default:
      return static_cast<double>(ElementFrom<float>(plan, name, ACL_FLOAT));
  }
}

void PlanLinspace(exec::PlanBuilder& plan) {
  const int out = plan.Output("out");
  const aclDataType dtype = plan.OperandView(out).dtype;
  Spacing spacing{ReadEnd(plan, "start", dtype), ReadEnd(plan, "end", dtype), 0, plan.Attribute<int64_t>("steps")};
  const bool is_wide = IsWhole(dtype) || dtype == ACL_DOUBLE;
  if (spacing.steps > 1 && is_wide) {
    spacing.step = (spacing.end - spacing.start) / static_cast<double>(spacing.steps - 1);
  } else if (spacing.steps > 1) {
    const float range = static_cast<float>(spacing.end) - static_cast<float>(spacing.start);
    spacing.step = static_cast<double>(range / static_cast<float>(spacing.steps - 1));
  }
  if (!is_wide && spacing.steps <= kExactSteps)
    return loops::moves::Generate(plan, {.out = out,
                                         .generator = {.run = SpaceExactly, .dtype = ACL_DOUBLE, .ns_per_element = 0.5},
                                         .parameters = spacing});
  loops::moves::Generate(
      plan,
      {.out = out, .generator = {.run = SpaceEvenly, .dtype = ACL_DOUBLE, .ns_per_element = 4}, .parameters = spacing});
}

void PlanEye(exec::PlanBuilder& plan) { loops::moves::Identity(plan, plan.Output("out")); }

constexpr exec::PlanFunction PlanArange = PlanProgress;
constexpr exec::PlanFunction PlanRange = PlanProgress;

}  // namespace

}  // namespace portacl::ops::sequence

#include "ops/generator/sequence/sequence_functions.inc"
