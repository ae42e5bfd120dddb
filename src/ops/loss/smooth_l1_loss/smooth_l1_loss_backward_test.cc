// SPDX-License-Identifier: Apache-2.0
//
// aclnnSmoothL1LossBackward through the C API: documented results, and PyTorch's results for the pair.
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "exec/bind.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_fixture.h"
#include "testing/conformance.h"
#include "testing/two_phases.h"

namespace portacl::ops::smooth_l1_loss {

std::span<const exec::OperatorEntry> Operators();

namespace {

using calls::Dims;

class SmoothL1LossBackward : public testing::DeviceTest {};

TEST_F(SmoothL1LossBackward, GivesTheDocumentedResults) {
  const testing::Example d = {ACL_FLOAT, {11}, {-kInf, -3, -1, -0.5, -0.0, 0, 0.5, 1, 3, kInf, kNan}};
  const testing::Example zero = {ACL_FLOAT, {}, {0}};
  const testing::Example two = {ACL_FLOAT, {1}, {2}};
  const testing::Example ones = {ACL_FLOAT, {}, {1}};
  const testing::Example three = {ACL_FLOAT, {3}, {0.5, 2, -3}};
  const testing::Example row = {ACL_FLOAT, {1, 3}, {0.5, 2, -3}};
  const testing::Example column = {ACL_FLOAT, {2, 1}, {0, 1}};
  const testing::Example half = {ACL_FLOAT16, {3}, {0.1, 1, 3}};
  const testing::Example brain = {ACL_BF16, {3}, {0, 0.3, 1}};
  const auto like_d = [](const std::vector<double>& values) { return testing::Example{ACL_FLOAT, {11}, values}; };
  const auto expect = [](const char* name, const testing::Example& grad_out, const testing::Example& self,
                         const testing::Example& target, int64_t reduction, float beta,
                         const testing::Example& grad_input, double relative) {
    SCOPED_TRACE(name);
    testing::ExpectExample(Operators()[1],
                           {{"gradOut", grad_out}, {"self", self}, {"target", target}, {"gradInput", grad_input}},
                           {{"reduction", reduction}, {"beta", beta}}, relative);
  };
  expect("beta 1", two, d, zero, kNone, 1, like_d({-2, -2, -2, -1, 0, 0, 1, 2, 2, 2, kNan}), 0);
  expect("beta 0.5", two, d, zero, kNone, 0.5, like_d({-2, -2, -2, -2, 0, 0, 2, 2, 2, 2, kNan}), 0);
  expect("beta 3", two, d, zero, kNone, 3,
         like_d({-2, -2, -0.6666667, -0.3333333, 0, 0, 0.3333333, 0.6666667, 2, 2, kNan}), 1e-6);
  expect("beta 0", two, d, zero, kNone, 0, like_d({-2, -2, -2, -2, 0, 0, 2, 2, 2, 2, kNan}), 0);
  expect("beta -0", two, d, zero, kNone, -0.0f, like_d({-2, -2, -2, -2, 0, 0, 2, 2, 2, 2, kNan}), 0);
  expect("beta Inf", two, d, zero, kNone, kInfinity, like_d({-2, 0, 0, 0, 0, 0, 0, 0, 0, 2, kNan}), 0);
  expect("none", ones, three, zero, kNone, 1, {ACL_FLOAT, {3}, {0.5, 1, -1}}, 0);
  expect("mean", ones, {ACL_FLOAT, {2, 3}, {0.5, 2, -3, 1, 1, 1}}, {ACL_FLOAT, {3}, {0, 0, 0}}, kMean, 1,
         {ACL_FLOAT, {2, 3}, {0.08333333, 0.1666667, -0.1666667, 0.1666667, 0.1666667, 0.1666667}}, 1e-6);
  expect("sum, both broadcast", {ACL_FLOAT, {1}, {10}}, row, column, kSum, 2,
         {ACL_FLOAT, {2, 3}, {2.5, 10, -10, -2.5, 5, -10}}, 0);
  expect("mean divides by the elements of gradInput", {ACL_FLOAT, {1}, {12}}, row, column, kMean, 2,
         {ACL_FLOAT, {2, 3}, {0.5, 2, -2, -0.5, 1, -2}}, 3e-7);
  expect("gradOut is broadcast", {ACL_FLOAT, {2, 1}, {1, 2}}, three, zero, kNone, 1,
         {ACL_FLOAT, {2, 3}, {0.5, 1, -1, 1, 2, -2}}, 0);
  expect("NaN in FLOAT16", {ACL_FLOAT16, {1}, {2}}, {ACL_FLOAT16, {3}, {kNan, 0.5, -3}}, {ACL_FLOAT16, {}, {0}}, kNone,
         1, {ACL_FLOAT16, {3}, {kNan, 1, -2}}, 0);
  expect("special gradOut", {ACL_FLOAT, {4}, {kInf, kNan, -kInf, kInf}}, {ACL_FLOAT, {4}, {0.5, 0.5, 2, 0}}, zero,
         kNone, 1, {ACL_FLOAT, {4}, {kInf, kNan, -kInf, kNan}}, 0);
  expect("infinite operands", ones, {ACL_FLOAT, {2}, {kInf, kInf}}, {ACL_FLOAT, {2}, {kInf, -kInf}}, kNone, 1,
         {ACL_FLOAT, {2}, {kNan, 1}}, 0);
  expect("small beta", ones, {ACL_FLOAT, {4}, {5e-9, -2e-9, 1e-3, 0}}, zero, kNone, 1e-8f,
         {ACL_FLOAT, {4}, {0.5, -0.2, 1, 0}}, 3e-7);
  expect("mixed dtypes", ones, half, brain, kNone, 1, {ACL_FLOAT, {3}, {0.0999755859375, 0.69921875, 1}}, 0);
  expect("mixed dtypes, BFLOAT16", ones, half, brain, kNone, 1, {ACL_BF16, {3}, {0.10009765625, 0.69921875, 1}}, 0);
  expect("gradOut of zeros", {ACL_FLOAT, {}, {0}}, d, zero, kNone, 1, like_d({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, kNan}), 0);
  // Extreme values: 1 / beta overflows or is subnormal, and d / beta would be, too.
  expect("least beta", ones, {ACL_FLOAT, {3}, {0x1p-149, -0x1p-148, 0}}, zero, kNone, 0x1p-148f,
         {ACL_FLOAT, {3}, {0.5, -1, 0}}, 0);
  expect("largest beta", {ACL_FLOAT, {3}, {0x1p100, kInf, 1}}, {ACL_FLOAT, {3}, {0x1p-20, 1, 0x1p126}}, zero, kNone,
         0x1p127f, {ACL_FLOAT, {3}, {0x1p-47, kInf, 0.5}}, 0);
  expect("a quotient that is no float", {ACL_FLOAT, {2}, {0x1p127, 0x1p127}}, {ACL_FLOAT, {2}, {0x1p-149, -0x1.8p-140}},
         zero, kNone, 3, {ACL_FLOAT, {2}, {0x1p-22 / 3, -0x1p-14}}, 3e-7);
  expect("a difference beyond the floats", ones, {ACL_FLOAT, {1}, {3e38}}, {ACL_FLOAT, {1}, {-3e38}}, kNone, kInfinity,
         {ACL_FLOAT, {1}, {1}}, 0);
}

// 1 / N is below the range of FLOAT16, but the product is not.
TEST_F(SmoothL1LossBackward, RoundsTheMeanOfAMillionHalvesOnce) {
  const size_t n = 1'000'000;
  const auto halves = [](double value) { return testing::Example{ACL_FLOAT16, {n}, std::vector<double>(n, value)}; };
  testing::ExpectExample(
      Operators()[1],
      {{"gradOut", halves(1)}, {"self", halves(2)}, {"target", halves(0)}, {"gradInput", halves(17 * 0x1p-24)}},
      {{"reduction", kMean}, {"beta", 1}}, 0);
}

// Loss and gradient of one call of torch.nn.functional.smooth_l1_loss and of autograd; PyTorch 2.13, float32.
TEST_F(SmoothL1LossBackward, ThePairGivesWhatAutogradGives) {
  using Values = std::vector<double>;
  const auto expect = [](const Dims& self_shape, const Values& of_self, const Dims& target_shape,
                         const Values& of_target, float beta, int64_t reduction, double of_grad_out, const Dims& shape,
                         const Values& of_loss, const Values& grad) {
    const testing::Example self = {ACL_FLOAT, self_shape, of_self};
    const testing::Example target = {ACL_FLOAT, target_shape, of_target};
    const testing::Example loss = {ACL_FLOAT, reduction == kNone ? shape : Dims{}, of_loss};
    const testing::Example grad_out = {ACL_FLOAT, {}, {of_grad_out}};
    const std::map<std::string, double> attributes = {{"reduction", reduction}, {"beta", beta}};
    testing::ExpectExample(Operators()[0], {{"self", self}, {"target", target}, {"result", loss}}, attributes, 3e-7);
    testing::ExpectExample(
        Operators()[1],
        {{"gradOut", grad_out}, {"self", self}, {"target", target}, {"gradInput", {ACL_FLOAT, shape, grad}}},
        attributes, 3e-7);
  };
  const Values d = {-3, -1, -0.5, 0, 0.5, 1, 3};
  const Values six = {0.5, 2, -3, 1, 1, 1};
  expect({7}, d, {1}, {0}, 1, kNone, 2, {7}, {2.5, 0.5, 0.125, 0, 0.125, 0.5, 2.5}, {-2, -2, -1, 0, 1, 2, 2});
  expect({7}, d, {1}, {0}, 1, kMean, 2, {7}, {0.892857134},
         {-0.285714298, -0.285714298, -0.142857149, 0, 0.142857149, 0.285714298, 0.285714298});
  expect({7}, d, {1}, {0}, 0.5, kSum, 2, {7}, {7.5}, {-2, -2, -2, 0, 2, 2, 2});
  expect({7}, d, {1}, {0}, 3, kMean, 2, {7}, {0.488095254},
         {-0.285714298, -0.095238097, -0.0476190485, 0, 0.0476190485, 0.095238097, 0.285714298});
  expect({7}, d, {1}, {0}, 3, kSum, 2, {7}, {3.41666675},
         {-2, -0.666666687, -0.333333343, 0, 0.333333343, 0.666666687, 2});
  expect({2, 3}, six, {3}, {0, 0, 0}, 1, kMean, 1, {2, 3}, {0.9375},
         {0.0833333358, 0.166666672, -0.166666672, 0.166666672, 0.166666672, 0.166666672});
  expect({1, 3}, {0.5, 2, -3}, {2, 1}, {0, 1}, 2, kSum, 10, {2, 3}, {6.375}, {2.5, 10, -10, -2.5, 5, -10});
  expect({1, 3}, {0.5, 2, -3}, {2, 1}, {0, 1}, 2, kMean, 12, {2, 3}, {1.0625}, {0.5, 2, -2, -0.5, 1, -2});
  expect({1, 3}, {0.5, 2, -3}, {2, 1}, {0, 1}, 2, kNone, 1, {2, 3}, {0.0625, 1, 2, 0.0625, 0.25, 3},
         {0.25, 1, -1, -0.25, 0.5, -1});
  expect({4}, {5e-9, -2e-9, 1e-3, 0}, {1}, {0}, 1e-8f, kNone, 1, {4},
         {1.24999999e-09, 1.99999989e-10, 0.000999995042, 0}, {0.5, -0.199999988, 1, 0});
}

}  // namespace
}  // namespace portacl::ops::smooth_l1_loss
