// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/target.h"
#include "loops/tiles/elementwise_calls.h"
#include "ops/pointwise/optimizer/optimizer_lanes.h"
#include "ops/pointwise/optimizer/optimizer_spec.h"

namespace portacl::ops::optimizer {
namespace {

void PlanApplyAdamWV2(exec::PlanBuilder& plan) {
  constexpr double kNsPerElement = 1;
  constexpr uint32_t kStep = 0b10, kUpdated = 0b111100;
  const bool amsgrad = plan.Attribute<bool>("amsgrad");
  const int step = plan.Input("step");
  std::vector<int> operands = {plan.Input("grad"), step, plan.Output("varRef"), plan.Output("mRef"),
                               plan.Output("vRef")};
  if (amsgrad) operands.push_back(plan.Output("maxGradNormOptionalRef"));
  plan.ForbidInPlace(step);
  const auto has_dtype = [&](aclDataType dtype) {
    return std::ranges::all_of(operands, [&](int i) { return i == step || plan.OperandView(i).dtype == dtype; });
  };
  const aclDataType dtype = has_dtype(ACL_BF16) ? ACL_BF16 : has_dtype(ACL_FLOAT16) ? ACL_FLOAT16 : ACL_FLOAT;
  const AdamW adam = {.lr = plan.Attribute<float>("lr"),
                      .beta1 = plan.Attribute<float>("beta1"),
                      .beta2 = plan.Attribute<float>("beta2"),
                      .weight_decay = plan.Attribute<float>("weightDecay"),
                      .eps = plan.Attribute<float>("eps"),
                      .maximize = plan.Attribute<bool>("maximize"),
                      .step = plan.OperandView(step).dtype};
  const loops::Parameters parameters(adam);
  loops::ElementwiseCalls(plan, operands, static_cast<int>(operands.size()),
                          {{.run = AdamWLanes(dtype, amsgrad, ActiveTarget()),
                            .ns_per_element = kNsPerElement,
                            .outputs = amsgrad ? 4 : 3,
                            .dtype = dtype},
                           kStep,
                           kUpdated},
                          {&parameters, 1});
}

struct ScaleUpdate {
  float growth, backoff;
  int64_t interval;
};

int32_t RunAmpUpdateScale(const exec::RunContext& run) {
  const auto& update = run.Parameters<ScaleUpdate>();
  const auto number = [&](int operand) { return *reinterpret_cast<const float*>(run.Address(operand)); };
  float scale = number(0);
  int32_t tracker = *reinterpret_cast<const int32_t*>(run.Address(1));
  if (number(2) != 0) {
    scale *= update.backoff;
    tracker = 0;
  } else {
    tracker = static_cast<int32_t>(static_cast<uint32_t>(tracker) + 1);
    if (tracker == update.interval) {
      const float grown = scale * update.growth;
      if (std::isfinite(grown)) scale = grown;
      tracker = 0;
    }
  }
  *reinterpret_cast<float*>(run.Address(3)) = scale;
  *reinterpret_cast<int32_t*>(run.Address(4)) = tracker;
  return 0;
}

void PlanAmpUpdateScale(exec::PlanBuilder& plan) {
  plan.Run(RunAmpUpdateScale,
           ScaleUpdate{static_cast<float>(plan.Attribute<double>("growthFactor")),
                       static_cast<float>(plan.Attribute<double>("backoffFactor")),
                       plan.Attribute<int64_t>("growthInterval")},
           10);
}

}  // namespace

}  // namespace portacl::ops::optimizer

#include "ops/pointwise/optimizer/optimizer_functions.inc"
