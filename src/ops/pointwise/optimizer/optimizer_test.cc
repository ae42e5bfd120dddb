// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "calls/element.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/target_loop.h"

ROW_CONTRACT_TESTS(Optimizer, optimizer);

namespace portacl::ops::optimizer {
namespace {

using Floats = std::vector<float>;

const exec::OperatorEntry& Find(std::string_view api) { return testing::FindRow(Operators(), api); }

// The state of an optimizer in the memory of the device.
class AdamW : public testing::DeviceTest {
 protected:
  struct State {
    explicit State(const Floats& values) : var(values), m(zeros(values)), v(zeros(values)), most(zeros(values)) {}
    static Floats zeros(const Floats& values) { return Floats(values.size()); }
    testing::DeviceArray<float> var, m, v, most;
  };

  static void Update(State& state, const Floats& gradient, int64_t step, bool amsgrad) {
    calls::Call call = calls::MakeValidCall(Find("aclnnApplyAdamWV2"));
    const testing::DeviceArray<float> grad(gradient);
    const testing::DeviceArray<int64_t> steps(std::vector<int64_t>{step});
    const std::map<std::string, const void*> tensors = {{"varRef", state.var.data()},
                                                        {"mRef", state.m.data()},
                                                        {"vRef", state.v.data()},
                                                        {"maxGradNormOptionalRef", state.most.data()},
                                                        {"grad", grad.data()}};
    for (const auto& [name, data] : tensors) {
      call.argument(name).null = false;
      call.tensor(name) = {.dtype = ACL_FLOAT, .shape = {std::ssize(gradient)}, .strides = {}};
      call.tensor(name).data = const_cast<void*>(data);
    }
    call.tensor("step") = {.dtype = ACL_INT64, .shape = {1}, .strides = {}};
    call.tensor("step").data = const_cast<int64_t*>(steps.data());
    const std::map<std::string, double> numbers = {
        {"lr", kLr}, {"beta1", kBeta1}, {"beta2", kBeta2}, {"weightDecay", kDecay}, {"eps", kEps}};
    for (const auto& [name, value] : numbers) call.argument(name).real = value;
    call.argument("amsgrad").integer = amsgrad ? 1 : 0;
    call.argument("maximize").integer = 0;
    testing::RunPhases(call);
  }

  static constexpr double kLr = 0.1, kBeta1 = 0.9, kBeta2 = 0.999, kDecay = 0.01, kEps = 1e-8;
};

void ExpectNear(const Floats& got, const std::vector<double>& want, double relative) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(static_cast<double>(got[i]), want[i], relative * std::abs(want[i])) << i;
}

// Those of torch.optim.AdamW, whose beta2 is no FLOAT: 1 - beta2 differs.
TEST_F(AdamW, MakesTheDocumentedSteps) {
  constexpr double kOfBeta2 = 2e-5;
  testing::ForEachTarget([] {
    State state({1, -2});
    Update(state, {0.5, -1}, 0, true);
    ExpectNear(state.var.ToHost(), {0.8990000, -1.8980000}, 1e-6);
    ExpectNear(state.m.ToHost(), {0.05, -0.1}, 1e-6);
    ExpectNear(state.v.ToHost(), {0.00025, 0.001}, kOfBeta2);
    Update(state, {0.25, 2}, 1, true);
    ExpectNear(state.var.ToHost(), {0.8048830, -1.9327124}, 1e-6);
    ExpectNear(state.m.ToHost(), {0.07, 0.11}, 1e-6);
    ExpectNear(state.v.ToHost(), {0.00031225, 0.004999}, kOfBeta2);
    ExpectNear(state.most.ToHost(), {0.00031225, 0.004999}, kOfBeta2);
  });
}

// Each step may add the error of one call: a thousand are 1e-3. They do not all have the same sign.
TEST_F(AdamW, AThousandStepsStayNearThoseOfFloat64) {
  constexpr size_t kCount = 257;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  const auto draw = [&] {
    Floats values(kCount);
    for (float& value : values) value = normal(random);
    return values;
  };
  State state(draw());
  std::vector<double> var, m(kCount), v(kCount);
  for (const float value : state.var.ToHost()) var.push_back(static_cast<double>(value));
  const auto lr = static_cast<double>(static_cast<float>(kLr)), beta1 = static_cast<double>(static_cast<float>(kBeta1));
  const auto beta2 = static_cast<double>(static_cast<float>(kBeta2));
  const auto decay = static_cast<double>(static_cast<float>(kDecay)),
             eps = static_cast<double>(static_cast<float>(kEps));
  for (int64_t step = 0; step < 1000; ++step) {
    const Floats grad = draw();
    Update(state, grad, step, false);
    const auto t = static_cast<double>(step + 1);
    for (size_t i = 0; i < kCount; ++i) {
      const auto g = static_cast<double>(grad[i]);
      m[i] += (g - m[i]) * (1 - beta1);
      v[i] = v[i] * beta2 + g * g * (1 - beta2);
      var[i] = var[i] * (1 - lr * decay) -
               lr / (1 - std::pow(beta1, t)) * m[i] / (std::sqrt(v[i] / (1 - std::pow(beta2, t))) + eps);
    }
  }
  const Floats got = state.var.ToHost();
  for (size_t i = 0; i < kCount; ++i) EXPECT_NEAR(static_cast<double>(got[i]), var[i], 1e-4) << i;
  ExpectNear(state.v.ToHost(), v, 1e-5);
}

TEST_F(AdamW, NeedsTheMaximumForAmsgradAlone) {
  calls::Call call = calls::MakeValidCall(Find("aclnnApplyAdamWV2"));
  call.argument("maxGradNormOptionalRef").null = true;
  const auto expect = [&](aclnnStatus status, bool amsgrad) {
    call.argument("amsgrad").integer = amsgrad ? 1 : 0;
    EXPECT_EQ(testing::StatusOf(call), status);
  };
  expect(0, false);
  expect(161001, true);
  call.argument("amsgrad").integer = 0;
  call.tensor("step").shape = {2};
  EXPECT_EQ(testing::StatusOf(call), 161002);
}

// The same update as aclnnApplyAdamW, whose numbers are tensors of any floating dtype.
class AdamWOfNumbers : public AdamW {
 protected:
  // Updates by `gradient`, after `updates` others; `most` may be empty.
  static void Update(State& state, const Floats& gradient, int updates, aclDataType numbers, const Floats& most = {},
                     bool maximize = false) {
    calls::Call call = calls::MakeValidCall(Find("aclnnApplyAdamW"));
    const testing::DeviceArray<float> grad(gradient), maximum(most);
    std::map<std::string, const void*> tensors = {
        {"varRef", state.var.data()}, {"mRef", state.m.data()}, {"vRef", state.v.data()}, {"grad", grad.data()}};
    if (!most.empty()) tensors["maxGradNormOptional"] = maximum.data();
    call.argument("maxGradNormOptional").null = most.empty();
    for (const auto& [name, data] : tensors) {
      call.tensor(name) = {.dtype = ACL_FLOAT, .shape = {std::ssize(gradient)}, .strides = {}};
      call.tensor(name).data = const_cast<void*>(data);
    }
    const std::map<std::string, double> values = {{"beta1Power", std::pow(0.9, updates)},
                                                  {"beta2Power", std::pow(0.999, updates)},
                                                  {"lr", 0.1},
                                                  {"weightDecay", 0.01},
                                                  {"beta1", 0.9},
                                                  {"beta2", 0.999},
                                                  {"eps", 1e-8}};
    std::vector<testing::DeviceArray<std::byte>> memory;
    for (const auto& [name, value] : values) {
      memory.emplace_back(calls::Encode(numbers, {value}));
      call.tensor(name) = {.dtype = numbers, .shape = {}, .strides = {}};
      call.tensor(name).data = const_cast<std::byte*>(memory.back().data());
    }
    call.argument("amsgrad").integer = most.empty() ? 0 : 1;
    call.argument("maximize").integer = maximize ? 1 : 0;
    testing::RunPhases(call);
    EXPECT_EQ(maximum.ToHost(), most);
  }
};

TEST_F(AdamWOfNumbers, MakesTheStepsOfTheOther) {
  for (const aclDataType numbers : {ACL_FLOAT, ACL_DOUBLE}) {
    testing::ForEachTarget([&] {
      State state({1, -2});
      Update(state, {0.5, -1}, 0, numbers);
      ExpectNear(state.var.ToHost(), {0.8990000, -1.8980000}, 1e-6);
      Update(state, {-0.25, -2}, 1, numbers, {}, true);
      ExpectNear(state.var.ToHost(), {0.8048830, -1.9327124}, 1e-6);
      ExpectNear(state.m.ToHost(), {0.07, 0.11}, 1e-6);
      ExpectNear(state.v.ToHost(), {0.00031225, 0.004999}, 2e-5);
    });
  }
}

// The nearest number to beta2 is 1 - 2^-10.
TEST_F(AdamWOfNumbers, ReadsNumbersOf16Bits) {
  State state({1, -2});
  Update(state, {0.5, -1}, 0, ACL_FLOAT16);
  ExpectNear(state.v.ToHost(), {0.25 * 0.0009765625, 0.0009765625}, 1e-6);
}

TEST_F(AdamWOfNumbers, ReadsTheMaximumOfAmsgrad) {
  State state({1, -2});
  Update(state, {0.5, -1}, 0, ACL_FLOAT, {1, 4});
  ExpectNear(state.var.ToHost(), {0.999 - 0.05 * std::sqrt(0.001), -1.998 + 0.05 * std::sqrt(0.001)}, 1e-6);
}

TEST_F(AdamWOfNumbers, NeedsNumbersAndTheMaximumForAmsgrad) {
  calls::Call call = calls::MakeValidCall(Find("aclnnApplyAdamW"));
  call.argument("maxGradNormOptional").null = true;
  call.argument("amsgrad").integer = 1;
  EXPECT_EQ(testing::StatusOf(call), 161001);
  call.argument("amsgrad").integer = 0;
  EXPECT_EQ(testing::StatusOf(call), 0);
  call.tensor("eps").shape = {2};
  EXPECT_EQ(testing::StatusOf(call), 161002);
}

void ExpectScale(double scale, double tracker, double found, double new_scale, double new_tracker) {
  testing::ExpectExample(Find("aclnnAmpUpdateScale"),
                         {{"currentScale", {ACL_FLOAT, {1}, {scale}}},
                          {"growthTracker", {ACL_INT32, {1}, {tracker}}},
                          {"foundInf", {ACL_FLOAT, {1}, {found}}},
                          {"updatedScale", {ACL_FLOAT, {1}, {new_scale}}},
                          {"updatedGrowthTracker", {ACL_INT32, {1}, {new_tracker}}}},
                         {{"growthFactor", 2}, {"backoffFactor", 0.5}, {"growthInterval", 2}}, 0);
}

TEST(AmpUpdateScale, GrowsAfterAnIntervalAndShrinksAtAnInfinity) {
  ExpectScale(8, 1, 0, 16, 0);
  ExpectScale(8, 0, 0, 8, 1);
  ExpectScale(8, 1, 1, 4, 0);
  ExpectScale(0x1.8p127, 1, 0, 0x1.8p127, 0);  // it would be infinite
}

}  // namespace
}  // namespace portacl::ops::optimizer
