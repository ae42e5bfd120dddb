// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, worked examples, and losses of integers.
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "calls/call.h"
#include "exec/step.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Regression, regression);

namespace portacl::ops::regression {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNone = 0, kMean = 1, kSum = 2;

void Expect(std::string_view api, const std::map<std::string, testing::Example>& tensors, double reduction,
            double relative = 0) {
  SCOPED_TRACE(api);
  testing::ExpectExample(testing::FindRow(Operators(), api), tensors, {{"reduction", reduction}}, relative);
}
testing::Example One(double value) { return {ACL_FLOAT, {1}, {value}}; }

class Regression : public testing::DeviceTest {};

TEST_F(Regression, GivesTheWorkedExamples) {
  const testing::Example self = {ACL_FLOAT, {2}, {1, 2}}, target = {ACL_FLOAT, {2}, {0, 4}};
  for (const char* const api : {"aclnnMseLoss", "aclnnMseLossOut"}) {
    Expect(api, {{"self", self}, {"target", target}, {"out", {ACL_FLOAT, {2}, {1, 4}}}}, kNone);
    Expect(api, {{"self", self}, {"target", target}, {"out", One(2.5)}}, kMean);
    Expect(api, {{"self", self}, {"target", target}, {"out", {ACL_FLOAT, {}, {5}}}}, kSum);
  }
  Expect("aclnnMseLossBackward",
         {{"gradOutput", One(2)}, {"self", self}, {"target", target}, {"out", {ACL_FLOAT, {2}, {2, -4}}}}, kMean);
  const testing::Example four = {ACL_FLOAT, {4}, {1, 2, 3, kNan}}, other = {ACL_FLOAT, {4}, {1, 4, 0, 0}};
  Expect("aclnnL1Loss", {{"self", four}, {"target", other}, {"out", {ACL_FLOAT, {4}, {0, 2, 3, kNan}}}}, kNone);
  Expect(
      "aclnnL1LossBackward",
      {{"gradOutput", One(1)}, {"self", four}, {"target", other}, {"gradInput", {ACL_FLOAT, {4}, {0, -0.25, 0.25, 0}}}},
      kMean);
}

// A mean of squares is divided by the elements of self, one of distances by those of the broadcast.
TEST_F(Regression, AMeanHasItsOwnDivisor) {
  const testing::Example self = {ACL_FLOAT, {1, 2}, {1, 3}}, target = {ACL_FLOAT, {2, 1}, {0, 2}};
  Expect("aclnnMseLossBackward",
         {{"gradOutput", One(1)}, {"self", self}, {"target", target}, {"out", {ACL_FLOAT, {2, 2}, {1, 3, -1, 1}}}},
         kMean);
  Expect("aclnnL1LossBackward",
         {{"gradOutput", One(1)},
          {"self", self},
          {"target", target},
          {"gradInput", {ACL_FLOAT, {2, 2}, {0.25, 0.25, -0.25, 0.25}}}},
         kMean);
}

TEST_F(Regression, ReducesWithoutElements) {
  const testing::Example none = {ACL_FLOAT, {0, 3}, {}}, three = {ACL_FLOAT, {3}, {1, 2, 3}};
  for (const char* const api : {"aclnnMseLoss", "aclnnL1Loss"}) {
    Expect(api, {{"self", none}, {"target", three}, {"out", none}}, kNone);
    Expect(api, {{"self", none}, {"target", three}, {"out", One(kNan)}}, kMean);
    Expect(api, {{"self", none}, {"target", three}, {"out", One(0)}}, kSum);
  }
}

TEST_F(Regression, TakesNumbersAtTheEndsOfTheRange) {
  const testing::Example huge = {ACL_FLOAT, {4}, {3e38, 0x1p100, 0x1p-100, kInf}};
  const testing::Example other = {ACL_FLOAT, {4}, {-3e38, 0, 0, kInf}};
  Expect("aclnnL1Loss", {{"self", huge}, {"target", other}, {"out", {ACL_FLOAT, {4}, {kInf, 0x1p100, 0x1p-100, kNan}}}},
         kNone);
  Expect("aclnnMseLoss", {{"self", huge}, {"target", other}, {"out", {ACL_FLOAT, {4}, {kInf, kInf, 0, kNan}}}}, kNone);
  // The product with gradOutput overflows, and that with the factor would be subnormal.
  Expect("aclnnMseLossBackward",
         {{"gradOutput", {ACL_FLOAT, {4}, {0x1p20, 0x1p100, 0x1p127, 1}}},
          {"self", {ACL_FLOAT, {4}, {0x1p108, 0x1p-149, 0x1p1, 0}}},
          {"target", {ACL_FLOAT, {1}, {0}}},
          {"out", {ACL_FLOAT, {4}, {0x1p127, 0x1p-50, 0x1p127, 0}}}},
         kMean);
  Expect("aclnnMseLossBackward",
         {{"gradOutput", {ACL_FLOAT, {4}, {-kInf, kInf, 1, 0}}},
          {"self", {ACL_FLOAT, {2, 4}, {0x1p-149, 0x1p-149, kInf, kInf, -0x1p-149, 0, -kInf, 1}}},
          {"target", {ACL_FLOAT, {1}, {0}}},
          {"out", {ACL_FLOAT, {2, 4}, {-kInf, kInf, kInf, kNan, kInf, kNan, -kInf, 0}}}},
         kMean);
}

TEST_F(Regression, DistancesOfIntegersWrap) {
  const testing::Example self = {ACL_INT64, {3}, {5, -0x1p63, 0}}, target = {ACL_INT64, {3}, {7, 0x1p62, -0x1p63}};
  Expect("aclnnL1Loss", {{"self", self}, {"target", target}, {"out", {ACL_INT64, {3}, {2, 0x1p62, -0x1p63}}}}, kNone);
  Expect("aclnnL1Loss", {{"self", self}, {"target", target}, {"out", {ACL_FLOAT, {1}, {2 - 0x1p62}}}}, kSum, 1e-7);
  Expect("aclnnL1Loss",
         {{"self", {ACL_FLOAT16, {2}, {2.5, 0}}}, {"target", {ACL_INT64, {2}, {-1, 1}}}, {"out", {ACL_INT64, {}, {4}}}},
         kSum);
}

TEST_F(Regression, RefusesAMeanOfIntegers) {
  calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnL1Loss"));
  call.tensor("self").dtype = call.tensor("target").dtype = call.tensor("out").dtype = ACL_INT64;
  call.tensor("out").shape = {};
  call.argument("reduction").integer = 1;
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(call.Plan(&bytes, &executor), exec::kInvalid);
}

TEST_F(Regression, ASumOfManyTermsIsRoundedOnce) {
  const std::vector<double> ones(300'001, 1.5), zero(1, 0);
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    Expect("aclnnMseLoss",
           {{"self", {dtype, {300'001}, ones}}, {"target", {dtype, {1}, zero}}, {"out", {ACL_FLOAT, {}, {675'002.25}}}},
           kSum);
    Expect("aclnnL1Loss",
           {{"self", {dtype, {300'001}, ones}}, {"target", {dtype, {1}, zero}}, {"out", {dtype, {}, {1.5}}}}, kMean);
  }
}

}  // namespace
}  // namespace portacl::ops::regression
