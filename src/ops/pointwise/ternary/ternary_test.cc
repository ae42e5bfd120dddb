// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"

ROW_CONTRACT_TESTS(Ternary, ternary);

namespace portacl::ops::ternary {
namespace {

using testing::Example;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const exec::OperatorEntry& Find(std::string_view api) { return testing::FindRow(Operators(), api); }

// aclnnAddcmul or aclnnAddcdiv.
void ExpectSums(std::string_view api, aclDataType dtype, const std::vector<double>& self,
                const std::vector<double>& first, const std::vector<double>& second, double value,
                const std::vector<double>& out) {
  const auto count = std::ssize(self);
  testing::ExpectExample(Find(api),
                         {{"self", {dtype, {count}, self}},
                          {"tensor1", {dtype, {count}, first}},
                          {"tensor2", {dtype, {count}, second}},
                          {"out", {dtype, {count}, out}}},
                         {{"value", value}}, 0);
}

TEST(Ternary, AddsProductsAndQuotients) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    ExpectSums("aclnnAddcdiv", dtype, {1, 1, 1}, {1, 0, 1}, {4, 0, 0}, 2, {1.5, kNan, kInf});
    ExpectSums("aclnnAddcmul", dtype, {1, -2}, {3, 4}, {5, 0.5}, 2, {31, 2});
  }
}

// Results wrap, a fraction of the scalar does not count, and nothing is divided by 0.
TEST(Ternary, HasIntegers) {
  ExpectSums("aclnnAddcmul", ACL_INT8, {1, 100}, {3, 100}, {5, 1}, 2, {31, 44});
  ExpectSums("aclnnAddcmul", ACL_INT32, {1, 2}, {3, 4}, {5, 6}, 0.5, {1, 2});
  ExpectSums("aclnnAddcdiv", ACL_INT64, {1, 1, 1}, {7, -7, 5}, {2, 2, 0}, 3, {10, -8, 1});
}

TEST(Ternary, TakesPromotedDtypesInTheList) {
  const auto status = [](std::string_view api, aclDataType self, aclDataType first) {
    calls::Call call = calls::MakeValidCall(Find(api));
    call.tensor("self").dtype = call.tensor("out").dtype = self;
    call.tensor("tensor1").dtype = call.tensor("tensor2").dtype = first;
    return testing::StatusOf(call);
  };
  EXPECT_EQ(status("aclnnAddcmul", ACL_FLOAT, ACL_FLOAT16), 0);
  EXPECT_EQ(status("aclnnAddcmul", ACL_INT8, ACL_UINT8), 161002);  // INT16
  EXPECT_EQ(status("aclnnAddcdiv", ACL_INT64, ACL_INT64), 0);
  EXPECT_EQ(status("aclnnAddcdiv", ACL_INT32, ACL_INT32), 161002);
}

TEST(Ternary, InterpolatesFromTheNearerEnd) {
  const std::map<double, double> results = {{0, 1}, {0.25, 1.5}, {0.5, 2}, {0.75, 2.5}, {1, 3}, {-1, -1}};
  for (const auto& [weight, out] : results) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      const std::map<std::string, Example> tensors = {
          {"self", {dtype, {1}, {1}}}, {"end", {dtype, {1}, {3}}}, {"out", {dtype, {1}, {out}}}};
      testing::ExpectExample(Find("aclnnLerps"), tensors, {{"weight", weight}}, 0);
      std::map<std::string, Example> with_weight = tensors;
      with_weight["weight"] = {dtype, {1}, {weight}};
      testing::ExpectExample(Find("aclnnLerp"), with_weight, {}, 0);
    }
  }
}

// end - self is not exact there.
TEST(Ternary, AWeightOfOneGivesTheEnd) {
  testing::ExpectExample(Find("aclnnLerps"),
                         {{"self", {ACL_FLOAT, {2}, {1e20, 3}}},
                          {"end", {ACL_FLOAT, {2}, {0.5, 1e-20}}},
                          {"out", {ACL_FLOAT, {2}, {0.5, 1e-20}}}},
                         {{"weight", 1}}, 1e-7);
}

}  // namespace
}  // namespace portacl::ops::ternary
