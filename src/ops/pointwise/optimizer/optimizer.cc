// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <vector>

#include "base/target.h"
#include "loops/elements/conversion.h"
#include "loops/tiles/elementwise_calls.h"
#include "ops/pointwise/optimizer/optimizer_lanes.h"
#include "ops/pointwise/optimizer/optimizer_spec.h"

namespace portacl::ops::optimizer {
namespace {

// The attributes of a call and the dtypes of the numbers that it reads.
struct AdamW {
  float lr, beta1, beta2, weight_decay, eps;
  bool maximize;
  aclDataType step;
};
struct AdamWOfNumbers {
  static constexpr size_t kCount = 7;
  bool maximize;
  aclDataType dtypes[kCount];
};
constexpr const char* kNumbers[AdamWOfNumbers::kCount] = {"beta1Power", "beta2Power", "lr", "weightDecay",
                                                          "beta1",      "beta2",      "eps"};

// The factors of an update whose powers are beta1^t and beta2^t; these need float64.
AdamWFactors FactorsOf(const AdamW& adam, double power1, double power2) {
  const auto lr = static_cast<double>(adam.lr);
  return {.decay = static_cast<float>(1 - lr * static_cast<double>(adam.weight_decay)),
          .rest1 = static_cast<float>(1 - static_cast<double>(adam.beta1)),
          .beta2 = adam.beta2,
          .rest2 = static_cast<float>(1 - static_cast<double>(adam.beta2)),
          .eps = adam.eps,
          .sign = adam.maximize ? -1.0F : 1.0F,
          .size = static_cast<float>(lr / (1 - power1)),
          .root = static_cast<float>(1 / std::sqrt(1 - power2))};
}

template <class T>
T NumberIn(const std::byte* element, aclDataType dtype, aclDataType as) {
  T number = 0;
  loops::Convert(loops::ConversionOf(dtype, as), element, reinterpret_cast<std::byte*>(&number), 1);
  return number;
}

void PrepareAdamW(const void* parameters, const std::byte* const* numbers, void* prepared) {
  const auto& adam = *static_cast<const AdamW*>(parameters);
  const double t = NumberIn<double>(numbers[0], adam.step, ACL_DOUBLE) + 1;
  const AdamWFactors factors =
      FactorsOf(adam, std::pow(static_cast<double>(adam.beta1), t), std::pow(static_cast<double>(adam.beta2), t));
  std::memcpy(prepared, &factors, sizeof(factors));
}

void PrepareAdamWOfNumbers(const void* parameters, const std::byte* const* numbers, void* prepared) {
  const auto& of = *static_cast<const AdamWOfNumbers*>(parameters);
  float values[AdamWOfNumbers::kCount];
  for (size_t i = 0; i < std::size(values); ++i) values[i] = NumberIn<float>(numbers[i], of.dtypes[i], ACL_FLOAT);
  const auto [power1, power2, lr, decay, beta1, beta2, eps] = values;
  const AdamW adam{lr, beta1, beta2, decay, eps, of.maximize, ACL_FLOAT};
  const AdamWFactors factors = FactorsOf(adam, static_cast<double>(power1) * static_cast<double>(beta1),
                                         static_cast<double>(power2) * static_cast<double>(beta2));
  std::memcpy(prepared, &factors, sizeof(factors));
}

// `operands` are those of the lanes; all have the dtype in which the lanes load and store, or are converted.
void PlanUpdate(exec::PlanBuilder& plan, std::span<const loops::OperandPart> operands, std::span<const int> numbers,
                AdamWMaximum maximum, loops::NumbersKernel kernel, const loops::Parameters& parameters) {
  constexpr double kNsPerElement = 1;
  const auto has_dtype = [&](aclDataType dtype) {
    return std::ranges::all_of(operands, [&](const auto& i) { return plan.OperandView(i.operand).dtype == dtype; });
  };
  kernel.dtype = has_dtype(ACL_BF16) ? ACL_BF16 : has_dtype(ACL_FLOAT16) ? ACL_FLOAT16 : ACL_FLOAT;
  kernel.run = AdamWLanes(kernel.dtype, maximum, ActiveTarget());
  kernel.ns_per_element = kNsPerElement;
  kernel.outputs = maximum == AdamWMaximum::kUpdated ? 4 : 3;
  kernel.updated = maximum == AdamWMaximum::kRead ? 0b11100 : 0b11110;
  loops::ElementwiseOfNumbers(plan, operands, numbers, kernel, parameters);
}

void PlanApplyAdamWV2(exec::PlanBuilder& plan) {
  const bool amsgrad = plan.Attribute<bool>("amsgrad");
  const int step = plan.Input("step");
  std::vector<loops::OperandPart> operands = {plan.Input("grad"), plan.Output("varRef"), plan.Output("mRef"),
                                              plan.Output("vRef")};
  if (amsgrad) operands.emplace_back(plan.Output("maxGradNormOptionalRef"));
  const AdamW adam = {.lr = plan.Attribute<float>("lr"),
                      .beta1 = plan.Attribute<float>("beta1"),
                      .beta2 = plan.Attribute<float>("beta2"),
                      .weight_decay = plan.Attribute<float>("weightDecay"),
                      .eps = plan.Attribute<float>("eps"),
                      .maximize = plan.Attribute<bool>("maximize"),
                      .step = plan.OperandView(step).dtype};
  PlanUpdate(plan, operands, {&step, 1}, amsgrad ? AdamWMaximum::kUpdated : AdamWMaximum::kNone, {{}, PrepareAdamW},
             adam);
}

void PlanApplyAdamW(exec::PlanBuilder& plan) {
  const bool amsgrad = plan.Attribute<bool>("amsgrad");
  std::vector<loops::OperandPart> operands = {plan.Input("grad")};
  if (amsgrad) operands.emplace_back(plan.Input("maxGradNormOptional"));
  for (const char* const updated : {"varRef", "mRef", "vRef"}) operands.emplace_back(plan.Output(updated));
  AdamWOfNumbers adam = {.maximize = plan.Attribute<bool>("maximize"), .dtypes = {}};
  int numbers[AdamWOfNumbers::kCount];
  for (size_t i = 0; i < std::size(numbers); ++i) {
    numbers[i] = plan.Input(kNumbers[i]);
    adam.dtypes[i] = plan.OperandView(numbers[i]).dtype;
  }
  PlanUpdate(plan, operands, numbers, amsgrad ? AdamWMaximum::kRead : AdamWMaximum::kNone, {{}, PrepareAdamWOfNumbers},
             adam);
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
