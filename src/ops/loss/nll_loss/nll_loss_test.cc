// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, worked examples, and the effect of labels that are no classes.
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(NLLLoss, nll_loss);

namespace portacl::ops::nll_loss {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceArray;
using testing::Example;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kNone = 0, kMean = 1, kSum = 2;

// The logarithms of the softmax of [1, 2, 3], [0, 0, 0], [2, -1, 0] and [1, 1, 5].
const std::vector<double> kSelf = {-2.4076059644, -1.4076059644, -0.4076059644, -1.0986122887,
                                   -1.0986122887, -1.0986122887, -0.1698460013, -3.1698460013,
                                   -2.1698460013, -4.0359763,    -4.0359763,    -0.0359763};
const std::vector<double> kTarget = {2, -100, 0, 1}, kWeight = {1, 2, 0.5};

// Values of [rows, classes] as [1, classes, rows], the order of images.
std::vector<double> ByClass(const std::vector<double>& values) {
  std::vector<double> result;
  for (size_t c = 0; c < 3; ++c) {
    for (size_t row = 0; row < 4; ++row) result.push_back(values[3 * row + c]);
  }
  return result;
}

class NLLLoss : public testing::DeviceTest {
 protected:
  // The same call for rows and for an image of them.
  static void Expect(double reduction, const std::vector<double>& out, double total) {
    const bool by_label = reduction == kNone;
    const auto expect = [&](std::string_view api, const Dims& shape, const std::vector<double>& self,
                            const Dims& labels) {
      testing::ExpectExample(testing::FindRow(Operators(), api),
                             {{"self", {ACL_FLOAT, shape, self}},
                              {"target", {ACL_INT64, labels, kTarget}},
                              {"weight", {ACL_FLOAT, {3}, kWeight}},
                              {"out", {ACL_FLOAT, by_label ? labels : Dims{1}, out}},
                              {"totalWeightOut", {ACL_FLOAT, {}, {total}}}},
                             {{"reduction", reduction}, {"ignoreIndex", -100}}, 1e-6);
    };
    expect("aclnnNLLLoss", {4, 3}, kSelf, {4});
    expect("aclnnNLLLoss2d", {1, 3, 2, 2}, ByClass(kSelf), {1, 2, 2});
  }
  static void ExpectGradient(double reduction, const Example& grad, const std::vector<double>& out) {
    const auto expect = [&](std::string_view api, const Dims& shape, const std::vector<double>& values,
                            const Dims& labels) {
      Example of_loss = grad;
      if (reduction == kNone) of_loss.shape = labels;
      testing::ExpectExample(testing::FindRow(Operators(), api),
                             {{"gradOutput", of_loss},
                              {"self", {ACL_FLOAT, shape, std::vector<double>(12, 7)}},
                              {"target", {ACL_INT32, labels, kTarget}},
                              {"weight", {ACL_FLOAT, {3}, kWeight}},
                              {"totalWeight", {ACL_FLOAT, {1}, {3.5}}},
                              {"out", {ACL_FLOAT, shape, values}}},
                             {{"reduction", reduction}, {"ignoreIndex", -100}}, 1e-6);
    };
    expect("aclnnNLLLossBackward", {4, 3}, out, {4});
    expect("aclnnNLLLoss2dBackward", {1, 3, 2, 2}, ByClass(out), {1, 2, 2});
  }
};

TEST_F(NLLLoss, GivesTheWorkedExamples) {
  Expect(kNone, {0.203803, 0, 0.169846, 8.0719526}, 0);
  Expect(kSum, {8.4456016}, 3.5);
  Expect(kMean, {2.413029}, 3.5);
  const Example one = {ACL_FLOAT, {1}, {1}};
  ExpectGradient(kMean, one, {0, 0, -0.1428571, 0, 0, 0, -0.2857143, 0, 0, 0, -0.5714286, 0});
  ExpectGradient(kSum, one, {0, 0, -0.5, 0, 0, 0, -1, 0, 0, 0, -2, 0});
  ExpectGradient(kNone, {ACL_FLOAT, {4}, {1, 2, 3, 4}}, {0, 0, -0.5, 0, 0, 0, -3, 0, 0, 0, -8, 0});
}

TEST_F(NLLLoss, TakesARowOfClassesAndNoRows) {
  const auto expect = [](const Example& self, const Example& target, double reduction, double ignored,
                         const Example& out, double total) {
    testing::ExpectExample(Operators()[0],
                           {{"self", self},
                            {"target", target},
                            {"weight", {ACL_FLOAT16, {3}, kWeight}},
                            {"out", out},
                            {"totalWeightOut", {ACL_BF16, {1}, {total}}}},
                           {{"reduction", reduction}, {"ignoreIndex", ignored}}, 0);
  };
  const Example row = {ACL_FLOAT, {3}, {-1, -2, -3}}, label = {ACL_UINT8, {}, {1}};
  expect(row, label, kNone, -100, {ACL_FLOAT, {}, {4}}, 0);
  expect(row, label, kMean, -100, {ACL_FLOAT16, {}, {2}}, 2);
  expect(row, label, kMean, 1, {ACL_FLOAT, {1}, {kNan}}, 0);
  const Example none = {ACL_FLOAT, {0, 3}, {}}, no_label = {ACL_INT64, {0}, {}};
  expect(none, no_label, kNone, -100, {ACL_FLOAT, {0}, {}}, 0);
  expect(none, no_label, kMean, -100, {ACL_FLOAT, {}, {kNan}}, 0);
  expect(none, no_label, kSum, -100, {ACL_FLOAT, {}, {0}}, 0);
}

// Two labels that are no classes: their losses are 0, the others are computed, and the first is reported.
TEST_F(NLLLoss, ReportsALabelThatIsNoClass) {
  const DeviceArray<float> self({-1, -2, -3, -4, -5, -6, -7, -8, -9}), weight({1, 1, 1}), out({7, 7, 7}), total(1);
  const DeviceArray<int64_t> target({1, 3, -1});
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(
      aclnnNLLLossGetWorkspaceSize(TensorBuilder(ACL_FLOAT, {3, 3}).Data(self.data()).Build().get(),
                                   TensorBuilder(ACL_INT64, {3}).Data(target.data()).Build().get(),
                                   TensorBuilder(ACL_FLOAT, {3}).Data(weight.data()).Build().get(), 0, -100,
                                   TensorBuilder(ACL_FLOAT, {3}).Data(out.data()).Build().get(),
                                   TensorBuilder(ACL_FLOAT, {}).Data(total.data()).Build().get(), &bytes, &executor),
      0);
  aclGetRecentErrMsg();
  ASSERT_EQ(aclnnNLLLoss(nullptr, 0, executor, nullptr), 0);
  EXPECT_EQ(aclrtSynchronizeDevice(), 507015);
  const char* const text = aclGetRecentErrMsg();
  const std::string message = text == nullptr ? "" : text;
  EXPECT_NE(
      message.find("aclnnNLLLoss: argument 'target': expected elements from 0 to 2, or -100 (ignoreIndex), got 3 at 1"),
      message.npos)
      << message;
  EXPECT_EQ(out.ToHost(), (std::vector<float>{2, 0, 0}));
}

TEST_F(NLLLoss, RefusesLabelsWithoutClasses) {
  const DeviceArray<float> none(0), out(2), total(1);
  const DeviceArray<int64_t> target(2);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const auto refused = [&](int64_t rows) {
    return aclnnNLLLossGetWorkspaceSize(TensorBuilder(ACL_FLOAT, {rows, 0}).Data(none.data()).Build().get(),
                                        TensorBuilder(ACL_INT64, {rows}).Data(target.data()).Build().get(),
                                        TensorBuilder(ACL_FLOAT, {0}).Data(none.data()).Build().get(), 0, -100,
                                        TensorBuilder(ACL_FLOAT, {rows}).Data(out.data()).Build().get(),
                                        TensorBuilder(ACL_FLOAT, {}).Data(total.data()).Build().get(), &bytes,
                                        &executor);
  };
  EXPECT_EQ(refused(2), exec::kInvalid);
  EXPECT_EQ(refused(0), 0);
}

// A gradient that exceeds the cache is cleared by stores that pass it.
TEST_F(NLLLoss, ClearsALargeGradient) {
  constexpr size_t kRows = testing::SampleSize(1200), kClasses = 20'011;
  const DeviceArray<float> one(std::vector<float>{1}), weight(std::vector<float>(kClasses, 2));
  const DeviceArray<float> out(std::vector<float>(kRows * kClasses, 7));
  std::vector<int32_t> labels;
  for (size_t row = 0; row < kRows; ++row) labels.push_back(static_cast<int32_t>(row * 7919 % kClasses));
  const DeviceArray<int32_t> target(labels);
  const auto tensor = [](aclDataType dtype, const Dims& shape, const auto& data) {
    return TensorBuilder(dtype, shape).Data(data.data()).Build();
  };
  const Dims shape = {kRows, kClasses};
  testing::RunPhases(aclnnNLLLossBackwardGetWorkspaceSize, aclnnNLLLossBackward, tensor(ACL_FLOAT, {}, one).get(),
                     tensor(ACL_FLOAT, shape, out).get(), tensor(ACL_INT32, {kRows}, target).get(),
                     tensor(ACL_FLOAT, {kClasses}, weight).get(), int64_t{2}, int64_t{-100},
                     tensor(ACL_FLOAT, {1}, one).get(), tensor(ACL_FLOAT, shape, out).get());
  const std::vector<float> got = out.ToHost();
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t c = 0; c < kClasses; ++c)
      ASSERT_EQ(got[row * kClasses + c], static_cast<size_t>(labels[row]) == c ? -2 : 0) << row << ", " << c;
  }
}

}  // namespace
}  // namespace portacl::ops::nll_loss
