// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, worked examples, and what is hard for variances.
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_var.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Variance, variance);

namespace portacl::ops::variance {
namespace {

using calls::TensorBuilder;
using testing::Example;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void ExpectCall(const char* api, const std::map<std::string, Example>& tensors, double correction,
                const std::vector<int64_t>& dim, double relative = 0) {
  testing::ExpectExample(testing::FindRow(Operators(), api), tensors, {{"correction", correction}, {"keepdim", 0}},
                         relative, {{"dim", dim}});
}
void ExpectVariance(const std::vector<double>& self, double correction, double variance, double relative = 0) {
  ExpectCall("aclnnVarCorrection",
             {{"self", {ACL_FLOAT, {std::ssize(self)}, self}}, {"out", {ACL_FLOAT, {}, {variance}}}}, correction, {0},
             relative);
}

TEST(Variance, IsThatOfTheDocumentation) {
  ExpectVariance({1, 2, 4}, 1, 2.3333333, 2e-8);
  ExpectVariance({1, 2, 4}, 0, 1.5555556, 3e-8);
  ExpectVariance({5}, 1, kNan);
  ExpectVariance({5, 6}, 3, kInf);
  ExpectVariance({5, 6}, -2, 0.125);
  ExpectVariance({}, 0, kNan);
  ExpectVariance({}, -3, kNan);
  ExpectCall("aclnnStdMeanCorrection",
             {{"self", {ACL_FLOAT, {2, 3}, {1, 2, 4, 2, 2, 2}}},
              {"stdOut", {ACL_FLOAT, {2}, {1.5275252, 0}}},
              {"meanOut", {ACL_FLOAT, {2}, {2.3333333, 2}}}},
             1, {1}, 2e-8);
}

TEST(Variance, OfSpecialElementsIsNanBesideTheirMean) {
  const Example self = {ACL_FLOAT, {4, 2}, {1, kInf, -kInf, 3, kInf, -kInf, kNan, 1}};
  ExpectCall("aclnnVarMean",
             {{"self", self},
              {"varOut", {ACL_FLOAT, {4}, {kNan, kNan, kNan, kNan}}},
              {"meanOut", {ACL_FLOAT, {4}, {kInf, -kInf, kNan, kNan}}}},
             0, {-1});
}

// The mean is up to 2^20 times the standard deviation; rows and columns of several tiles.
TEST(Variance, DoesNotLoseSmallDeviationsBesideALargeMean) {
  for (const int64_t n : {3, 40, 1000, 70'000}) {
    std::vector<double> row, columns;
    double squares = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double deviation = i % 2 == 0 ? 1.0 : -1.0;
      row.push_back(0x1p20 + deviation);
      columns.insert(columns.end(), {0x1p20 + deviation, 1e30, 0x1p23 + deviation});
    }
    const double mean = n % 2 == 0 ? 0.0 : 1.0 / static_cast<double>(n);
    squares = static_cast<double>(n) - static_cast<double>(n) * mean * mean;
    const double variance = squares / static_cast<double>(n);
    SCOPED_TRACE(n);
    ExpectVariance(row, 0, variance, 0x1p-24);
    ExpectCall("aclnnVarCorrection",
               {{"self", {ACL_FLOAT, {n, 3}, columns}}, {"out", {ACL_FLOAT, {3}, {variance, 0, variance}}}}, 0, {0},
               0x1p-24);
  }
}

TEST(Variance, OfAnOutlierIsExact) {
  std::vector<double> row(5000, 1);
  row[0] = 0x1p40;
  const double mean = (0x1p40 - 1) / 5000;
  ExpectVariance(row, 0, mean * (0x1p40 - 1) - mean * mean, 0x1p-24);
}

TEST(Variance, OverAllAxesHasOneElementOfAnyRank) {
  const auto self = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const int64_t second = 1;
  aclIntArray* const none = aclCreateIntArray(&second, 0);
  aclIntArray* const one = aclCreateIntArray(&second, 1);
  const auto std_of = [&](const aclIntArray* dim, const calls::Dims& out) {
    return testing::PhaseOne(aclnnStdGetWorkspaceSize, self.get(), dim, int64_t{1}, false,
                             TensorBuilder(ACL_FLOAT, out).Build().get());
  };
  for (const aclIntArray* const dim : {none, static_cast<aclIntArray*>(nullptr)}) {
    EXPECT_EQ(std_of(dim, {}), 0);
    EXPECT_EQ(std_of(dim, {1}), 0);
    EXPECT_EQ(std_of(dim, {1, 1, 1}), 0);
    EXPECT_EQ(std_of(dim, {2}), 161002);
    EXPECT_EQ(std_of(dim, {0}), 161002);
  }
  EXPECT_EQ(std_of(one, {2}), 0);
  EXPECT_EQ(std_of(one, {3}), 161002);
  EXPECT_EQ(std_of(one, {2, 1}), 161002);
  EXPECT_EQ(testing::PhaseOne(aclnnVarCorrectionGetWorkspaceSize, self.get(), nullptr, int64_t{1}, false,
                              TensorBuilder(ACL_FLOAT, {1, 1, 1}).Build().get()),
            161002);
  aclDestroyIntArray(none);
  aclDestroyIntArray(one);
}

}  // namespace
}  // namespace portacl::ops::variance
