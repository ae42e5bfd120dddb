// SPDX-License-Identifier: Apache-2.0
//
// aclnnSmoothL1Loss through the C API: the promises that follow from schema and oracle, documented results, sums of
// many losses, and values that are difficult for the kernels of both operators.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "calls/tensor_builder.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_fixture.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_oracle.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/random.h"
#include "testing/sample_size.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"
#include "testing/ulp.h"

OP_CONTRACT_TESTS(SmoothL1Loss, smooth_l1_loss, 0);
OP_CONTRACT_TESTS(SmoothL1LossBackward, smooth_l1_loss, 1);

namespace portacl::ops::smooth_l1_loss {
namespace {

using calls::TensorBuilder;

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kLeast = std::numeric_limits<float>::denorm_min();

class SmoothL1Loss : public testing::DeviceTest {};

TEST_F(SmoothL1Loss, GivesTheDocumentedResults) {
  const testing::Example d = {ACL_FLOAT, {11}, {-kInf, -3, -1, -0.5, -0.0, 0, 0.5, 1, 3, kInf, kNan}};
  const testing::Example zero = {ACL_FLOAT, {}, {0}};
  const testing::Example six = {ACL_FLOAT, {2, 3}, {0.5, 2, -3, 1, 1, 1}};
  const testing::Example zeros = {ACL_FLOAT, {3}, {0, 0, 0}};
  const testing::Example row = {ACL_FLOAT, {1, 3}, {0.5, 2, -3}};
  const testing::Example column = {ACL_FLOAT, {2, 1}, {0, 1}};
  const testing::Example none = {ACL_FLOAT, {0, 3}, {}};
  const testing::Example huge = {ACL_FLOAT, {1024}, std::vector<double>(1024, 3e38f)};
  const auto like_d = [](const std::vector<double>& values) { return testing::Example{ACL_FLOAT, {11}, values}; };
  const auto one = [](double value) { return testing::Example{ACL_FLOAT, {}, {value}}; };
  const auto expect = [](const char* name, const testing::Example& self, const testing::Example& target,
                         int64_t reduction, float beta, const testing::Example& result, double relative) {
    SCOPED_TRACE(name);
    testing::ExpectExample(Operators()[0], {{"self", self}, {"target", target}, {"result", result}},
                           {{"reduction", reduction}, {"beta", beta}}, relative);
  };
  expect("beta 1", d, zero, kNone, 1, like_d({kInf, 2.5, 0.5, 0.125, 0, 0, 0.125, 0.5, 2.5, kInf, kNan}), 0);
  expect("beta 0.5", d, zero, kNone, 0.5, like_d({kInf, 2.75, 0.75, 0.25, 0, 0, 0.25, 0.75, 2.75, kInf, kNan}), 0);
  expect("beta 3", d, zero, kNone, 3,
         like_d({kInf, 1.5, 0.1666667, 0.04166667, 0, 0, 0.04166667, 0.1666667, 1.5, kInf, kNan}), 1e-6);
  expect("beta 0", d, zero, kNone, 0, like_d({kInf, 3, 1, 0.5, 0, 0, 0.5, 1, 3, kInf, kNan}), 0);
  expect("beta Inf", d, zero, kNone, kInfinity, like_d({kNan, 0, 0, 0, 0, 0, 0, 0, 0, kNan, kNan}), 0);
  expect("mean", six, zeros, kMean, 1, one(0.9375), 0);
  expect("sum", six, zeros, kSum, 1, one(5.625), 0);
  expect("both broadcast", row, column, kNone, 2, {ACL_FLOAT, {2, 3}, {0.0625, 1, 2, 0.0625, 0.25, 3}}, 0);
  expect("none, empty", none, none, kNone, 1, none, 0);
  expect("mean, empty", none, none, kMean, 1, {ACL_FLOAT, {1}, {kNan}}, 0);
  expect("sum, empty", none, none, kSum, 1, {ACL_FLOAT, {1, 1}, {0}}, 0);
  expect("mean, empty, broadcast", none, zero, kMean, 1, one(kNan), 0);
  expect("sum, empty, broadcast", zero, none, kSum, 0, {ACL_DOUBLE, {}, {0}}, 0);
  expect("rounded once", {ACL_FLOAT16, {1}, {2048}}, {ACL_FLOAT16, {1}, {0.3}}, kNone, 1, {ACL_FLOAT16, {1}, {2047}},
         0);
  expect("sum of halves", {ACL_FLOAT16, {3000}, std::vector<double>(3000, 1.5)}, {ACL_FLOAT16, {1}, {0}}, kSum, 1,
         {ACL_FLOAT16, {1}, {3000}}, 0);
  expect("a sum beyond the halves", {ACL_FLOAT16, {3000}, std::vector<double>(3000, 100)}, {ACL_FLOAT16, {1}, {0}},
         kSum, 1, {ACL_FLOAT16, {1}, {kInf}}, 0);
  expect("the same as a float", {ACL_FLOAT16, {3000}, std::vector<double>(3000, 100)}, {ACL_FLOAT16, {1}, {0}}, kSum, 1,
         {ACL_FLOAT, {1}, {298500}}, 0);
  expect("mixed dtypes", {ACL_FLOAT16, {3}, {0.1, 1, 3}}, {ACL_BF16, {3}, {0, 0.3, 1}}, kNone, 1,
         {ACL_DOUBLE, {3}, {0.004997558891773224, 0.24445343017578125, 1.5}}, 1e-7);
  expect("NaN in a sum", d, zero, kSum, 1, one(kNan), 0);
  expect("Inf in a sum", {ACL_FLOAT, {3}, {1, kInf, 2}}, zero, kSum, 1, one(kInf), 0);
  // Four losses added in float32 would be infinite.
  expect("mean of huge losses", huge, zero, kMean, 0, one(3e38f), 0);
  expect("sum of huge losses", huge, zero, kSum, 0, {ACL_DOUBLE, {}, {1024 * double{3e38f}}}, 0);
  expect("least beta", {ACL_FLOAT, {3}, {0x1p-149, 0x1p-130, 1}}, zero, kNone, 0x1p-130f,
         {ACL_FLOAT, {3}, {0, 0x1p-131, 1}}, 0);
  expect("largest beta", {ACL_FLOAT, {3}, {0x1p126, 1, 0x1p60}}, zero, kNone, 0x1p127f,
         {ACL_FLOAT, {3}, {0x1p124, 0x1p-128, 0x1p-8}}, 0);
}

// The sum of the float32 losses equals that of the elementwise results added in long double.
TEST_F(SmoothL1Loss, SumsOfTenMillionLossesAreWithinOneUlp) {
  constexpr int64_t kElements = testing::SampleSize(10'000'000);
  constexpr size_t kPeriod = testing::SampleSize(999'983);
  testing::Random random;
  std::vector<float> values(kPeriod);
  for (float& value : values) value = static_cast<float>(random.Real(-3, 3));
  values.resize(kElements);
  for (size_t i = kPeriod; i < values.size(); ++i) values[i] = values[i - kPeriod];
  const testing::DeviceArray<float> zero(std::vector<float>{0}), losses(kElements), sum(1);
  const auto tensor = [](const testing::DeviceArray<float>& data) {
    return TensorBuilder(ACL_FLOAT, {static_cast<int64_t>(data.size())}).Data(data.data()).Build();
  };
  for (const bool constant : {false, true}) {
    if (constant) values.assign(values.size(), values.front());
    const testing::DeviceArray<float> self(values);
    const auto run = [&](int64_t reduction, const testing::DeviceArray<float>& result) {
      testing::RunPhases(aclnnSmoothL1LossGetWorkspaceSize, aclnnSmoothL1Loss, tensor(self).get(), tensor(zero).get(),
                         reduction, 1.3f, tensor(result).get());
      return result.ToHost();
    };
    testing::ForEachTarget([&] {
      long double exact = 0;
      for (const float loss : run(kNone, losses)) exact += static_cast<long double>(loss);
      EXPECT_TRUE(testing::WithinUlp(static_cast<double>(exact), run(kSum, sum)[0], 1)) << constant;
      EXPECT_TRUE(testing::WithinUlp(static_cast<double>(exact / kElements), run(kMean, sum)[0], 1)) << constant;
    });
  }
}

// A test of the oracle itself: where the loss has a second derivative, the gradient equals its difference quotient.
TEST_F(SmoothL1Loss, GradientsAreDifferencesOfTheLoss) {
  testing::Random random;
  for (const double beta : {0.0, 0.5, 1.0, 2.7}) {
    for (int i = 0; i < 5000; ++i) {
      const double s = random.Real(-4, 4), t = random.Real(-4, 4), h = 1e-6;
      if (std::abs(std::abs(s - t) - beta) < 2 * h || std::abs(s - t) < 2 * h) continue;
      const double above = SmoothL1LossReference(s + h, t, beta);
      ASSERT_NEAR(SmoothL1LossBackwardReference(1, s, t, beta, 1),
                  (above - SmoothL1LossReference(s - h, t, beta)) / (2 * h), 1e-6)
          << "beta " << beta;
    }
  }
}

struct Sample {
  std::vector<double> grad_out, self, target;
  void Add(double g, double s, double t) { grad_out.push_back(g), self.push_back(s), target.push_back(t); }
};

// Checks both operators; returns the larger result of ExpectRight.
double ExpectBothRight(aclDataType dtype, const Sample& sample, float beta) {
  double share = 0;
  for (const int64_t reduction : {kNone, kMean}) {
    share = std::max(
        share, testing::ExpectRight(Operators()[1], dtype,
                                    {{"gradOut", sample.grad_out}, {"self", sample.self}, {"target", sample.target}},
                                    {{"reduction", reduction}, {"beta", beta}}));
  }
  return std::max(share, testing::ExpectRight(Operators()[0], dtype, {{"self", sample.self}, {"target", sample.target}},
                                              {{"reduction", kNone}, {"beta", beta}}));
}

TEST_F(SmoothL1Loss, StaysWithinItsUlpsForOperandsAndBetasOfAnySize) {
  testing::Random random;
  const auto any = [&] { return std::ldexp(random.Real(-2, 2), static_cast<int>(random.Between(-149, 127))); };
  Sample sample;
  const double values[] = {0.0, -0.0, kLeast, -kLeast, 0x1p-126, 1e-30,  0.5,      -0.5,
                           1.0, -1.0, 2.0,    1e20,    -3e30,    3.2e38, kLargest, -kLargest};
  for (const double g : values) {
    for (const double s : values) {
      for (const double t : values) sample.Add(g, s, t);
    }
  }
  for (int i = 0; i < testing::SampleSize(10'000); ++i) {
    sample.Add(any(), any(), any());
    sample.Add(any(), any(), 0);
    sample.Add(any(), 0, std::ldexp(random.Real(1, 2), i % 60 - 149));  // d / beta may be subnormal
    sample.Add(random.Real(1, 2), random.Real(-2, 2), random.Real(-0.5, 0.5));
  }
  for (const float beta : {0.0f, kLeast, 1e-44f, 1e-38f, 1e-30f, 1e-20f, 1e-6f, 1e-3f, 0.1f, 1.0f, 1.9999999f, 3.0f,
                           777.7f, 1e10f, 1e20f, 3e25f, 0x1p100f, kLargest, kInfinity}) {
    ExpectBothRight(ACL_FLOAT, sample, beta);
    ExpectBothRight(ACL_BF16, sample, beta);
  }
}

// Quotients by a beta like 1.7f are close to values with few bits, and products of these are close to ties.
TEST_F(SmoothL1Loss, HalvesAreRoundedOnceForAnyBeta) {
  testing::Random random;
  Sample sample;
  for (int i = 0; i < testing::SampleSize(50'000); ++i)
    sample.Add(random.Real(-3, 3), random.Real(-3, 3), random.Real(-3, 3));
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    for (const float beta : {0.1f, 2.0f / 3, 0.9f, 1.0f, 1.2345678f, 1.3f, 1.7f, 2.8f, 3.0f})
      EXPECT_LE(ExpectBothRight(dtype, sample, beta), 1) << beta;
  }
}

// An element's result does not depend on its lane or on its neighbours in the register.
TEST_F(SmoothL1Loss, NoResultDependsOnTheNeighbours) {
  constexpr size_t kElements = 1111;
  testing::Random random;
  std::vector<float> grad_out(kElements), self(kElements), target(kElements);
  for (size_t i = 0; i < kElements; ++i) {
    grad_out[i] = static_cast<float>(random.Real(1, 2));
    self[i] = static_cast<float>(random.Real(1, 2));
    target[i] = static_cast<float>(random.Real(0, 2));
  }
  const auto gradient = [&](const std::vector<float>& s, const std::vector<float>& t) {
    const testing::DeviceArray<float> g(grad_out), of_self(s), of_target(t), result(kElements);
    TensorBuilder builder(ACL_FLOAT, {kElements});
    testing::RunPhases(aclnnSmoothL1LossBackwardGetWorkspaceSize, aclnnSmoothL1LossBackward,
                       builder.Data(g.data()).Build().get(), builder.Data(of_self.data()).Build().get(),
                       builder.Data(of_target.data()).Build().get(), kMean, 1.3f,
                       builder.Data(result.data()).Build().get());
    return result.ToHost();
  };
  testing::ForEachTarget([&] {
    const std::vector<float> want = gradient(self, target);
    for (const float strange : {1e-40f, 0.0f, kInfinity}) {
      std::vector<float> s = self, t = target;
      for (size_t i = 0; i < kElements; i += 2) s[i] = strange, t[i] = 0;
      const std::vector<float> got = gradient(s, t);
      for (size_t i = 1; i < kElements; i += 2) ASSERT_EQ(want[i], got[i]) << i;
    }
  });
}

}  // namespace
}  // namespace portacl::ops::smooth_l1_loss
