// SPDX-License-Identifier: Apache-2.0
//
// aclnnSmoothL1Loss through the C API: what it accepts, and its documented results.
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

class SmoothL1Loss : public DeviceTest {};

struct Values {
  aclDataType dtype;
  Dims shape;
  std::vector<double> values;
};

// A documented example.
struct Example {
  const char* name;
  Values self;
  Values target;
  int64_t reduction;
  float beta;
  Values result;
  double relative;  // 0: exactly
};

const std::vector<Example>& Examples() {
  static const Values d = {ACL_FLOAT, {11}, {-kInf, -3, -1, -0.5, -0.0, 0, 0.5, 1, 3, kInf, kNan}};
  static const Values zero = {ACL_FLOAT, {}, {0}};
  static const Values six = {ACL_FLOAT, {2, 3}, {0.5, 2, -3, 1, 1, 1}};
  static const Values zeros = {ACL_FLOAT, {3}, {0, 0, 0}};
  static const Values row = {ACL_FLOAT, {1, 3}, {0.5, 2, -3}};
  static const Values column = {ACL_FLOAT, {2, 1}, {0, 1}};
  static const Values none = {ACL_FLOAT, {0, 3}, {}};
  static const Values huge = {ACL_FLOAT, {1024}, std::vector<double>(1024, 3e38f)};
  const auto like_d = [](const std::vector<double>& values) { return Values{ACL_FLOAT, {11}, values}; };
  const auto one = [](double value) { return Values{ACL_FLOAT, {}, {value}}; };
  static const std::vector<Example> examples = {
      {"beta 1", d, zero, kNone, 1, like_d({kInf, 2.5, 0.5, 0.125, 0, 0, 0.125, 0.5, 2.5, kInf, kNan}), 0},
      {"beta 0.5", d, zero, kNone, 0.5, like_d({kInf, 2.75, 0.75, 0.25, 0, 0, 0.25, 0.75, 2.75, kInf, kNan}), 0},
      {"beta 3", d, zero, kNone, 3,
       like_d({kInf, 1.5, 0.1666667, 0.04166667, 0, 0, 0.04166667, 0.1666667, 1.5, kInf, kNan}), 1e-6},
      {"beta 0", d, zero, kNone, 0, like_d({kInf, 3, 1, 0.5, 0, 0, 0.5, 1, 3, kInf, kNan}), 0},
      {"beta Inf", d, zero, kNone, kInfinity, like_d({kNan, 0, 0, 0, 0, 0, 0, 0, 0, kNan, kNan}), 0},
      {"mean", six, zeros, kMean, 1, one(0.9375), 0},
      {"sum", six, zeros, kSum, 1, one(5.625), 0},
      {"both broadcast", row, column, kNone, 2, {ACL_FLOAT, {2, 3}, {0.0625, 1, 2, 0.0625, 0.25, 3}}, 0},
      {"none of nothing", none, none, kNone, 1, none, 0},
      {"mean of nothing", none, none, kMean, 1, {ACL_FLOAT, {1}, {kNan}}, 0},
      {"sum of nothing", none, none, kSum, 1, {ACL_FLOAT, {1, 1}, {0}}, 0},
      {"mean of nothing, broadcast", none, zero, kMean, 1, one(kNan), 0},
      {"sum of nothing, broadcast", zero, none, kSum, 0, {ACL_DOUBLE, {}, {0}}, 0},
      {"rounded once", {ACL_FLOAT16, {1}, {2048}}, {ACL_FLOAT16, {1}, {0.3}}, kNone, 1, {ACL_FLOAT16, {1}, {2047}}, 0},
      {"sum of halves",
       {ACL_FLOAT16, {3000}, std::vector<double>(3000, 1.5)},
       {ACL_FLOAT16, {1}, {0}},
       kSum,
       1,
       {ACL_FLOAT16, {1}, {3000}},
       0},
      {"a sum beyond the halves",
       {ACL_FLOAT16, {3000}, std::vector<double>(3000, 100)},
       {ACL_FLOAT16, {1}, {0}},
       kSum,
       1,
       {ACL_FLOAT16, {1}, {kInf}},
       0},
      {"the same as a float",
       {ACL_FLOAT16, {3000}, std::vector<double>(3000, 100)},
       {ACL_FLOAT16, {1}, {0}},
       kSum,
       1,
       {ACL_FLOAT, {1}, {298500}},
       0},
      {"mixed dtypes",
       {ACL_FLOAT16, {3}, {0.1, 1, 3}},
       {ACL_BF16, {3}, {0, 0.3, 1}},
       kNone,
       1,
       {ACL_DOUBLE, {3}, {0.004997558891773224, 0.24445343017578125, 1.5}},
       1e-7},
      {"NaN in a sum", d, zero, kSum, 1, one(kNan), 0},
      {"Inf in a sum", {ACL_FLOAT, {3}, {1, kInf, 2}}, zero, kSum, 1, one(kInf), 0},
      // Four losses added in float32 would be infinite.
      {"mean of huge losses", huge, zero, kMean, 0, one(3e38f), 0},
      {"sum of huge losses", huge, zero, kSum, 0, {ACL_DOUBLE, {}, {1024 * double{3e38f}}}, 0},
      {"least beta",
       {ACL_FLOAT, {3}, {0x1p-149, 0x1p-130, 1}},
       zero,
       kNone,
       0x1p-130f,
       {ACL_FLOAT, {3}, {0, 0x1p-131, 1}},
       0},
      {"largest beta",
       {ACL_FLOAT, {3}, {0x1p126, 1, 0x1p60}},
       zero,
       kNone,
       0x1p127f,
       {ACL_FLOAT, {3}, {0x1p124, 0x1p-128, 0x1p-8}},
       0},
  };
  return examples;
}

TEST_F(SmoothL1Loss, GivesTheDocumentedResults) {
  ForEachTarget([] {
    for (const Example& e : Examples()) {
      SCOPED_TRACE(e.name);
      const DeviceTensor self(e.self.dtype, e.self.shape, e.self.values);
      const DeviceTensor target(e.target.dtype, e.target.shape, e.target.values);
      const DeviceTensor result(e.result.dtype, e.result.shape);
      RunLoss(self.get(), target.get(), e.reduction, e.beta, result.get());
      ExpectNear(e.result.values, result.values(), e.relative);
    }
  });
}

TEST_F(SmoothL1Loss, AReducedResultHasOneElementOfAnyRank) {
  const TensorHandle self = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  for (const int64_t reduction : {kMean, kSum}) {
    for (const Dims& shape : {Dims{}, Dims{1}, Dims{1, 1}, Dims(8, 1)}) {
      EXPECT_EQ(LossPhase1(self.get(), self.get(), reduction, 1, TensorBuilder(ACL_FLOAT, shape).Build().get()), 0);
    }
    for (const Dims& shape : {Dims{2, 3}, Dims{2}, Dims{0}, Dims(9, 1)}) {
      EXPECT_EQ(LossPhase1(self.get(), self.get(), reduction, 1, TensorBuilder(ACL_FLOAT, shape).Build().get()),
                161002);
    }
  }
  EXPECT_EQ(LossPhase1(self.get(), self.get(), kNone, 1, TensorBuilder(ACL_FLOAT, {1}).Build().get()), 161002);
}

TEST_F(SmoothL1Loss, BroadcastsTwoShapes) {
  const auto make = [](const Dims& shape) { return TensorBuilder(ACL_FLOAT, shape).Build(); };
  const auto status = [&](const Dims& self, const Dims& target, const Dims& result) {
    return LossPhase1(make(self).get(), make(target).get(), kNone, 1, make(result).get());
  };
  EXPECT_EQ(status({4, 1}, {2, 1, 3}, {2, 4, 3}), 0);
  EXPECT_EQ(status({}, {3}, {3}), 0);
  EXPECT_EQ(status({0}, {1}, {0}), 0);
  EXPECT_EQ(status({3}, {2}, {3}), 161002);
  EXPECT_EQ(status({0}, {2}, {0}), 161002);
  EXPECT_EQ(status({3}, {3}, {1, 3}), 161002);
  EXPECT_EQ(status(Dims(9, 1), {1}, {1}), 161002);
  EXPECT_EQ(status({1}, Dims(9, 1), {1}), 161002);
}

// Expanded views can be broadcast to more elements than numbers can count.
TEST_F(SmoothL1Loss, RefusesABroadcastThatNobodyCanCount) {
  const TensorHandle column = TensorBuilder(ACL_FLOAT, {int64_t{1} << 40, 1}).Strides({0, 0}).Build();
  const TensorHandle row = TensorBuilder(ACL_FLOAT, {int64_t{1} << 40}).Strides({0}).Build();
  EXPECT_EQ(LossPhase1(column.get(), row.get(), kMean, 1, TensorBuilder(ACL_FLOAT, {1}).Build().get()), 161002);
}

TEST_F(SmoothL1Loss, TakesAnyMixOfItsDtypesAndDoubleResults) {
  for (const Product& product : kProducts) {
    SetCurrentProductForTest(&product);
    const bool exists = product.family != Family::kAscend310B;
    const bool has_bfloat16 = product.family != Family::kAscend310P && product.family != Family::kAscend910;
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32, ACL_BOOL, ACL_COMPLEX64}) {
      const TensorHandle odd = TensorBuilder(dtype, {2}).Build();
      const TensorHandle f = TensorBuilder(ACL_FLOAT, {2}).Build();
      const bool taken = dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || (dtype == ACL_BF16 && has_bfloat16);
      const auto want = [&](bool good) { return !exists ? 561003 : good ? 0 : 161002; };
      EXPECT_EQ(LossPhase1(odd.get(), f.get(), kNone, 1, f.get()), want(taken)) << product.full_name << dtype;
      EXPECT_EQ(LossPhase1(f.get(), odd.get(), kNone, 1, f.get()), want(taken)) << product.full_name << dtype;
      EXPECT_EQ(LossPhase1(f.get(), f.get(), kNone, 1, odd.get()), want(taken || dtype == ACL_DOUBLE))
          << product.full_name << dtype;
      EXPECT_EQ(LossPhase1(odd.get(), nullptr, kNone, 1, f.get()), 161001) << product.full_name;
    }
  }
  SetCurrentProductForTest(nullptr);
}

TEST_F(SmoothL1Loss, TakesThreeReductionsAndEveryBetaThatIsNotBelowZero) {
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {1}).Build();
  for (const int64_t reduction : {0, 1, 2, 3, -1}) {
    EXPECT_EQ(LossPhase1(f.get(), f.get(), reduction, 1, f.get()), reduction >= 0 && reduction <= 2 ? 0 : 161002);
  }
  for (const float beta : {0.0f, -0.0f, 1e-45f, 1.0f, 3e38f, kInfinity, -1.0f, -1e-45f, -kInfinity, std::nanf("")}) {
    EXPECT_EQ(LossPhase1(f.get(), f.get(), kSum, beta, f.get()), beta >= 0 ? 0 : 161002) << beta;
  }
}

// All of these are 161002: the message tells which came first.
TEST_F(SmoothL1Loss, ChecksInItsOrder) {
  const auto first = [](aclDataType dtype, aclDataType result, int64_t reduction, const Dims& self, float beta,
                        aclFormat format) {
    const TensorHandle s = TensorBuilder(dtype, self).Format(format).Build();
    const TensorHandle t = TensorBuilder(ACL_FLOAT, {2}).Build();
    const TensorHandle r = TensorBuilder(result, {2}).Build();
    const auto refused =
        testing::TryPhaseOne(aclnnSmoothL1LossGetWorkspaceSize, s.get(), t.get(), reduction, beta, r.get());
    EXPECT_EQ(refused.status, 161002);
    const size_t begin = refused.message.find('\'') + 1;
    return refused.message.substr(begin, refused.message.find('\'', begin) - begin);
  };
  EXPECT_EQ(first(ACL_INT32, ACL_INT32, 3, {3}, -1, ACL_FORMAT_FRACTAL_NZ), "self");
  EXPECT_EQ(first(ACL_FLOAT, ACL_INT32, 3, {3}, -1, ACL_FORMAT_FRACTAL_NZ), "result");
  EXPECT_EQ(first(ACL_FLOAT, ACL_FLOAT, 3, Dims(9, 1), -1, ACL_FORMAT_FRACTAL_NZ), "reduction");
  EXPECT_EQ(first(ACL_FLOAT, ACL_FLOAT, 0, Dims(9, 1), -1, ACL_FORMAT_FRACTAL_NZ), "self");
  EXPECT_EQ(first(ACL_FLOAT, ACL_FLOAT, 0, {3}, -1, ACL_FORMAT_FRACTAL_NZ), "target");
  EXPECT_EQ(first(ACL_FLOAT, ACL_FLOAT, 0, {2, 2}, -1, ACL_FORMAT_FRACTAL_NZ), "result");
  EXPECT_EQ(first(ACL_FLOAT, ACL_FLOAT, 0, {2}, -1, ACL_FORMAT_FRACTAL_NZ), "beta");
  EXPECT_EQ(first(ACL_FLOAT, ACL_FLOAT, 0, {2}, 1, ACL_FORMAT_FRACTAL_NZ), "self");
}

}  // namespace
}  // namespace portacl::ops::smooth_l1_loss
