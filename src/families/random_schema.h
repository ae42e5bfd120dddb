// SPDX-License-Identifier: Apache-2.0
// What the schemas of operators that draw random numbers have in common.
#pragma once

#include <fmt/format.h>

#include "exec/arguments.h"
#include "families/reduction_schema.h"

namespace portacl::families {

// The step, together with the attributes that it relates to each other, so that calls generate them together.
consteval exec::Step Settles(exec::Step step, exec::Refs attributes) {
  step.refs = attributes;
  return step;
}

// In place of seed and offset.
inline constexpr exec::Arg kSeedTensor = exec::In("seedTensor");
inline constexpr exec::Arg kOffsetTensor = exec::In("offsetTensor");

// Seeds are read when the call runs.
inline aclnnStatus CheckSeedTensors(const exec::Arguments& arguments, const exec::Step& step) {
  for (const char* const name : {"seedTensor", "offsetTensor"}) {
    const int arg = arguments.schema().Find(name);
    int64_t count = 0;
    if (CountElements(arguments.Tensor(arg).dims(), &count) && count == 1) continue;
    return arguments.Refuse(step, arg, "one element", fmt::format("{}", count));
  }
  return exec::kSuccess;
}
consteval exec::Step SeedTensorsHaveOneElement() {
  return exec::Custom("seedTensor and offsetTensor: one element each", CheckSeedTensors);
}

}  // namespace portacl::families
