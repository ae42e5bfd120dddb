// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "testing/conformance.h"
#include "testing/operator_contract.h"

ROW_CONTRACT_TESTS(Binary, binary);

namespace portacl::ops::binary {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

void ExpectValues(std::string_view api, const std::vector<double>& self, const std::vector<double>& other,
                  const std::vector<double>& out) {
  const auto count = std::ssize(self);
  testing::ExpectExample(testing::FindRow(Operators(), api),
                         {{"self", {ACL_FLOAT, {count}, self}},
                          {"other", {ACL_FLOAT, {count}, other}},
                          {"out", {ACL_FLOAT, {count}, out}}},
                         {}, 1e-6);
}

TEST(Binary, TakesZerosAndInfinities) {
  ExpectValues("aclnnAtan2", {1, 1, -1, 0, -0.0, kInf, kNan}, {1, -1, 0, -1, -1, -kInf, 1},
               {kPi / 4, 3 * kPi / 4, -kPi / 2, kPi, -kPi, 3 * kPi / 4, kNan});
  ExpectValues("aclnnLogAddExp", {0, 1000, -kInf, kInf, -kInf, kNan, kNan, 3},
               {0, 1000, -kInf, kInf, 3, -kInf, 3, kNan},
               {std::log(2), 1000 + std::log(2), -kInf, kInf, 3, kNan, kNan, kNan});
  ExpectValues("aclnnLogAddExp2", {0, 1000, -kInf, kInf, -kInf, 3}, {0, 1000, -kInf, -kInf, kNan, 4},
               {1, 1001, -kInf, kInf, kNan, std::log2(24.0)});
}

}  // namespace
}  // namespace portacl::ops::binary
