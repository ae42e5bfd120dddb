// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/status.h"
#include "base/target.h"
#include "families/scalar_lanes.h"
#include "loops/tiles/elementwise_calls.h"
#include "ops/pointwise/rounding/rounding_lanes.h"
#include "ops/pointwise/rounding/rounding_spec.h"

namespace portacl::ops::rounding {
namespace {

constexpr double kNsPerElement = 0.1;

struct Copy {
  template <class T>
  T operator()(T x) const {
    return x;
  }
};

// `mode` counts from 0.
loops::LaneFunction FunctionOf(int64_t mode, aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(static_cast<Function>(mode), dtype, ActiveTarget());
  if (lanes != nullptr) return lanes;
  return FindScalarKernel<Copy, 1, int8_t, int16_t, int32_t, int64_t, uint8_t>(dtype).run;
}

struct ByMode {
  loops::LaneFunction run[kModes];
};

// Operands: x, roundMode as it is, out.
void RoundByMode(const loops::Tile& tile) {
  const auto mode = std::to_integer<int64_t>(*tile.operand[1].base);
  loops::Tile others = tile;
  others.operand[1] = tile.operand[2];
  static_cast<const ByMode*>(tile.parameters)->run[mode - 1](others);
}

int32_t ErrorOfMode(const std::byte* mode) {
  const auto value = static_cast<int8_t>(*mode);
  if (value >= 1 && value <= kModes) return 0;
  return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument 'roundMode': expected a number from 1 to {}, got {}",
               kForeachRoundOffNumber.api, kModes, value);
}

void PlanRoundOffNumber(exec::PlanBuilder& plan) {
  constexpr int kX = kForeachRoundOffNumber.Index("x"), kOut = kForeachRoundOffNumber.Index("out");
  static_assert(kX == kForeachRoundOffNumberV2.Index("x") && kOut == kForeachRoundOffNumberV2.Index("out"));
  const exec::Value& given = plan.Argument(kForeachRoundOffNumber.Index("roundMode"));
  const bool in_memory = given.kind() == exec::ValueKind::kTensor;
  const aclDataType dtype = plan.Tensor(kX).dtype;
  std::vector<int> operands;
  for (int i = 0; i < plan.Count(kX); ++i) {
    operands.push_back(plan.Operand(kX, i));
    if (in_memory) operands.push_back(plan.Input("roundMode"));
    operands.push_back(plan.Operand(kOut, i));
  }
  ByMode by_mode;
  for (int64_t mode = 0; mode < kModes; ++mode) by_mode.run[mode] = FunctionOf(mode, dtype);
  const loops::Parameters parameters(by_mode);
  if (in_memory) {
    constexpr uint32_t kMode = 0b10;
    plan.ForbidInPlace(plan.Input("roundMode"));
    return loops::ElementwiseCalls(plan, operands, 3,
                                   {{.run = RoundByMode, .ns_per_element = kNsPerElement}, kMode, 0, ErrorOfMode},
                                   {&parameters, 1});
  }
  int64_t mode = 1;
  ScalarToInt64(*given.As<const aclScalar*>(), &mode);
  loops::ElementwiseCalls(plan, operands, 2, {{.run = by_mode.run[mode - 1], .ns_per_element = kNsPerElement}},
                          {&parameters, 1});
}

}  // namespace

}  // namespace portacl::ops::rounding

#include "ops/pointwise/rounding/rounding_functions.inc"
