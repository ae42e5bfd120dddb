// SPDX-License-Identifier: Apache-2.0
//
// aclnnSmoothL1LossBackward through the C API: what it accepts, and its documented results. Sweeps are in
// smooth_l1_loss_accuracy_test.cc, views in smooth_l1_loss_layout_test.cc, what the schema promises in
// smooth_l1_loss_contract_test.cc.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/product.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_test_support.h"

namespace portacl::ops::smooth_l1_loss {
namespace {

using calls::TensorBuilder;
using calls::TensorHandle;
using testing::ForEachTarget;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class SmoothL1LossBackward : public DeviceTest {};

struct Values {
  aclDataType dtype;
  Dims shape;
  std::vector<double> values;
};

// A documented example.
struct Example {
  const char* name;
  Values grad_out;
  Values self;
  Values target;
  int64_t reduction;
  float beta;
  Values grad_input;
  double relative;  // 0: exactly
};

const std::vector<Example>& Examples() {
  static const Values d = {ACL_FLOAT, {11}, {-kInf, -3, -1, -0.5, -0.0, 0, 0.5, 1, 3, kInf, kNan}};
  static const Values zero = {ACL_FLOAT, {}, {0}};
  static const Values two = {ACL_FLOAT, {1}, {2}};
  static const Values ones = {ACL_FLOAT, {}, {1}};
  static const Values three = {ACL_FLOAT, {3}, {0.5, 2, -3}};
  static const Values row = {ACL_FLOAT, {1, 3}, {0.5, 2, -3}};
  static const Values column = {ACL_FLOAT, {2, 1}, {0, 1}};
  static const Values half = {ACL_FLOAT16, {3}, {0.1, 1, 3}};
  static const Values brain = {ACL_BF16, {3}, {0, 0.3, 1}};
  const auto like_d = [](const std::vector<double>& values) { return Values{ACL_FLOAT, {11}, values}; };
  static const std::vector<Example> examples = {
      {"beta 1", two, d, zero, kNone, 1, like_d({-2, -2, -2, -1, 0, 0, 1, 2, 2, 2, kNan}), 0},
      {"beta 0.5", two, d, zero, kNone, 0.5, like_d({-2, -2, -2, -2, 0, 0, 2, 2, 2, 2, kNan}), 0},
      {"beta 3", two, d, zero, kNone, 3,
       like_d({-2, -2, -0.6666667, -0.3333333, 0, 0, 0.3333333, 0.6666667, 2, 2, kNan}), 1e-6},
      {"beta 0", two, d, zero, kNone, 0, like_d({-2, -2, -2, -2, 0, 0, 2, 2, 2, 2, kNan}), 0},
      {"beta -0", two, d, zero, kNone, -0.0f, like_d({-2, -2, -2, -2, 0, 0, 2, 2, 2, 2, kNan}), 0},
      {"beta Inf", two, d, zero, kNone, kInfinity, like_d({-2, 0, 0, 0, 0, 0, 0, 0, 0, 2, kNan}), 0},
      {"none", ones, three, zero, kNone, 1, {ACL_FLOAT, {3}, {0.5, 1, -1}}, 0},
      {"mean",
       ones,
       {ACL_FLOAT, {2, 3}, {0.5, 2, -3, 1, 1, 1}},
       {ACL_FLOAT, {3}, {0, 0, 0}},
       kMean,
       1,
       {ACL_FLOAT, {2, 3}, {0.08333333, 0.1666667, -0.1666667, 0.1666667, 0.1666667, 0.1666667}},
       1e-6},
      {"sum, both broadcast",
       {ACL_FLOAT, {1}, {10}},
       row,
       column,
       kSum,
       2,
       {ACL_FLOAT, {2, 3}, {2.5, 10, -10, -2.5, 5, -10}},
       0},
      {"mean divides by the elements of gradInput",
       {ACL_FLOAT, {1}, {12}},
       row,
       column,
       kMean,
       2,
       {ACL_FLOAT, {2, 3}, {0.5, 2, -2, -0.5, 1, -2}},
       3e-7},
      {"gradOut is broadcast",
       {ACL_FLOAT, {2, 1}, {1, 2}},
       three,
       zero,
       kNone,
       1,
       {ACL_FLOAT, {2, 3}, {0.5, 1, -1, 1, 2, -2}},
       0},
      {"special gradOut",
       {ACL_FLOAT, {4}, {kInf, kNan, -kInf, kInf}},
       {ACL_FLOAT, {4}, {0.5, 0.5, 2, 0}},
       zero,
       kNone,
       1,
       {ACL_FLOAT, {4}, {kInf, kNan, -kInf, kNan}},
       0},
      {"infinite operands",
       ones,
       {ACL_FLOAT, {2}, {kInf, kInf}},
       {ACL_FLOAT, {2}, {kInf, -kInf}},
       kNone,
       1,
       {ACL_FLOAT, {2}, {kNan, 1}},
       0},
      {"small beta",
       ones,
       {ACL_FLOAT, {4}, {5e-9, -2e-9, 1e-3, 0}},
       zero,
       kNone,
       1e-8f,
       {ACL_FLOAT, {4}, {0.5, -0.2, 1, 0}},
       3e-7},
      {"mixed dtypes", ones, half, brain, kNone, 1, {ACL_FLOAT, {3}, {0.0999755859375, 0.69921875, 1}}, 0},
      {"mixed dtypes, BFLOAT16", ones, half, brain, kNone, 1, {ACL_BF16, {3}, {0.10009765625, 0.69921875, 1}}, 0},
      {"gradOut of zeros", {ACL_FLOAT, {}, {0}}, d, zero, kNone, 1, like_d({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, kNan}), 0},
      // Far out: 1 / beta overflows, or is a subnormal; so would be d / beta.
      {"least beta",
       ones,
       {ACL_FLOAT, {3}, {0x1p-149, -0x1p-148, 0}},
       zero,
       kNone,
       0x1p-148f,
       {ACL_FLOAT, {3}, {0.5, -1, 0}},
       0},
      {"largest beta",
       {ACL_FLOAT, {3}, {0x1p100, kInf, 1}},
       {ACL_FLOAT, {3}, {0x1p-20, 1, 0x1p126}},
       zero,
       kNone,
       0x1p127f,
       {ACL_FLOAT, {3}, {0x1p-47, kInf, 0.5}},
       0},
      {"a quotient that is no float",
       {ACL_FLOAT, {2}, {0x1p127, 0x1p127}},
       {ACL_FLOAT, {2}, {0x1p-149, -0x1.8p-140}},
       zero,
       kNone,
       3,
       {ACL_FLOAT, {2}, {0x1p-22 / 3, -0x1p-14}},
       3e-7},
      {"a difference beyond the floats",
       ones,
       {ACL_FLOAT, {1}, {3e38}},
       {ACL_FLOAT, {1}, {-3e38}},
       kNone,
       kInfinity,
       {ACL_FLOAT, {1}, {1}},
       0},
  };
  return examples;
}

std::vector<double> ResultOf(const Example& e) {
  const auto make = [](const Values& v) { return DeviceTensor(v.dtype, v.shape, v.values); };
  const DeviceTensor grad_input(e.grad_input.dtype, e.grad_input.shape);
  RunBackward(make(e.grad_out).get(), make(e.self).get(), make(e.target).get(), e.reduction, e.beta, grad_input.get());
  return grad_input.values();
}

TEST_F(SmoothL1LossBackward, GivesTheDocumentedResults) {
  ForEachTarget([] {
    for (const Example& example : Examples()) {
      SCOPED_TRACE(example.name);
      ExpectNear(example.grad_input.values, ResultOf(example), example.relative);
    }
  });
}

// 1 / N is below the range of FLOAT16, but the product is not.
TEST_F(SmoothL1LossBackward, RoundsTheMeanOfAMillionHalvesOnce) {
  const size_t n = 1'000'000;
  const std::vector<double> got =
      Decode(ACL_FLOAT16, BackwardBytes(ACL_FLOAT16, Encode(ACL_FLOAT16, std::vector<double>(n, 1)),
                                        Encode(ACL_FLOAT16, std::vector<double>(n, 2)),
                                        Encode(ACL_FLOAT16, std::vector<double>(n, 0)), kMean, 1));
  EXPECT_EQ(got.front(), 17 * 0x1p-24);
  EXPECT_EQ(got, std::vector<double>(n, got.front()));
}

struct Shapes {
  Dims grad_out;
  Dims self;
  Dims target;
  Dims grad_input;
  aclnnStatus status;
};

TEST_F(SmoothL1LossBackward, BroadcastsThreeShapesIntoThatOfGradInput) {
  const Shapes rows[] = {
      {{1, 2, 4, 1}, {4, 1}, {1, 4, 2}, {1, 2, 4, 2}, 0},
      {{1, 2, 4, 1}, {4, 1}, {1, 4, 2}, {2, 4, 2}, 161002},
      {{3}, {3}, {2}, {3}, 161002},
      {{2}, {3}, {3}, {3}, 161002},
      {{}, {3}, {2}, {3}, 161002},
      {{5, 1}, {3}, {}, {5, 3}, 0},
      {{5, 1}, {3}, {}, {3}, 161002},
      {{1}, {}, {}, {1}, 0},
      {{1}, {}, {}, {}, 161002},
      {{}, {}, {}, {}, 0},
      {{0}, {0}, {0}, {0}, 0},
      {{1}, {0}, {1}, {0}, 0},
      {{0}, {1}, {1}, {0}, 0},
      {{1}, {0}, {2}, {0}, 161002},
      {Dims(9, 1), {1}, {1}, {1}, 161002},
      {{1}, Dims(9, 1), {1}, {1}, 161002},
      {{1}, {1}, Dims(9, 1), {1}, 161002},
      {{1}, {1}, {1}, Dims(9, 1), 161002},
      {Dims(8, 1), {1}, {1}, Dims(8, 1), 0},
  };
  for (const Shapes& row : rows) {
    const auto make = [](const Dims& shape) { return TensorBuilder(ACL_FLOAT, shape).Build(); };
    EXPECT_EQ(BackwardPhase1(make(row.grad_out).get(), make(row.self).get(), make(row.target).get(), kNone, 1,
                             make(row.grad_input).get()),
              row.status)
        << ::testing::PrintToString(row.grad_out) << ::testing::PrintToString(row.self)
        << ::testing::PrintToString(row.target) << ::testing::PrintToString(row.grad_input);
  }
}

TEST_F(SmoothL1LossBackward, TakesAnyMixOfItsDtypesAndNoOther) {
  for (const Product& product : kProducts) {
    SetCurrentProductForTest(&product);
    const bool exists = product.family != Family::kAscend310B;
    const bool has_bfloat16 = product.family != Family::kAscend310P && product.family != Family::kAscend910;
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32, ACL_BOOL, ACL_COMPLEX64}) {
      const TensorHandle odd = TensorBuilder(dtype, {2}).Build();
      const TensorHandle f = TensorBuilder(ACL_FLOAT, {2}).Build();
      const bool taken = dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || (dtype == ACL_BF16 && has_bfloat16);
      const aclnnStatus want = !exists ? 561003 : taken ? 0 : 161002;
      EXPECT_EQ(BackwardPhase1(odd.get(), f.get(), f.get(), kNone, 1, f.get()), want) << product.full_name << dtype;
      EXPECT_EQ(BackwardPhase1(f.get(), odd.get(), f.get(), kNone, 1, f.get()), want) << product.full_name << dtype;
      EXPECT_EQ(BackwardPhase1(f.get(), f.get(), odd.get(), kNone, 1, f.get()), want) << product.full_name << dtype;
      EXPECT_EQ(BackwardPhase1(f.get(), f.get(), f.get(), kNone, 1, odd.get()), want) << product.full_name << dtype;
      EXPECT_EQ(BackwardPhase1(nullptr, odd.get(), f.get(), kNone, 1, f.get()), 161001) << product.full_name;
    }
  }
  SetCurrentProductForTest(nullptr);
}

TEST_F(SmoothL1LossBackward, TakesThreeReductionsAndEveryBetaThatIsNotBelowZero) {
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2}).Build();
  for (const int64_t reduction : {0, 1, 2, 3, -1}) {
    EXPECT_EQ(BackwardPhase1(f.get(), f.get(), f.get(), reduction, 1, f.get()),
              reduction >= 0 && reduction <= 2 ? 0 : 161002);
  }
  for (const float beta : {0.0f, -0.0f, 1e-45f, 1.0f, 3e38f, kInfinity, -1.0f, -1e-45f, -kInfinity, std::nanf("")}) {
    EXPECT_EQ(BackwardPhase1(f.get(), f.get(), f.get(), kMean, beta, f.get()), beta >= 0 ? 0 : 161002) << beta;
  }
}

TEST_F(SmoothL1LossBackward, ChecksItsResultPointersFirst) {
  const TensorHandle i32 = TensorBuilder(ACL_INT32, {2}).Build();
  uint64_t bytes = 1;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnSmoothL1LossBackwardGetWorkspaceSize(nullptr, nullptr, nullptr, 9, -1, nullptr, nullptr, &executor),
            161001);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("'workspaceSize'"), std::string::npos);
  EXPECT_EQ(aclnnSmoothL1LossBackwardGetWorkspaceSize(nullptr, nullptr, nullptr, 9, -1, nullptr, &bytes, nullptr),
            161001);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("'executor'"), std::string::npos);
  EXPECT_EQ(
      aclnnSmoothL1LossBackwardGetWorkspaceSize(i32.get(), i32.get(), nullptr, 9, -1, i32.get(), &bytes, &executor),
      161001);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("'target'"), std::string::npos);
}

TEST_F(SmoothL1LossBackward, TakesLabelledFormatsAsNdAndNoOthers) {
  for (const aclFormat format : {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_HWCN, ACL_FORMAT_NDHWC,
                                 ACL_FORMAT_NCDHW, ACL_FORMAT_NCL, ACL_FORMAT_NC, ACL_FORMAT_FRACTAL_NZ}) {
    const TensorHandle labelled = TensorBuilder(ACL_FLOAT, {2, 3}).Format(format).Build();
    const TensorHandle plain = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
    const aclnnStatus want = format == ACL_FORMAT_FRACTAL_NZ ? 161002 : 0;
    EXPECT_EQ(BackwardPhase1(labelled.get(), plain.get(), plain.get(), kNone, 1, plain.get()), want) << format;
    EXPECT_EQ(BackwardPhase1(plain.get(), labelled.get(), plain.get(), kNone, 1, plain.get()), want) << format;
    EXPECT_EQ(BackwardPhase1(plain.get(), plain.get(), labelled.get(), kNone, 1, plain.get()), want) << format;
    EXPECT_EQ(BackwardPhase1(plain.get(), plain.get(), plain.get(), kNone, 1, labelled.get()), want) << format;
  }
}

TEST_F(SmoothL1LossBackward, WritesNothingWithoutElements) {
  const DeviceTensor one(ACL_FLOAT, {1}, std::vector<double>{1});
  const TensorHandle none = TensorBuilder(ACL_FLOAT, {0}).Build();
  RunBackward(one.get(), none.get(), one.get(), kMean, 1, none.get());
  EXPECT_EQ(one.values(), std::vector<double>{1});
}

}  // namespace
}  // namespace portacl::ops::smooth_l1_loss
