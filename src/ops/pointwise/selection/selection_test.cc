// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"

ROW_CONTRACT_TESTS(Selection, selection);

namespace portacl::ops::selection {
namespace {

using testing::Example;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void ExpectCall(std::string_view api, const std::map<std::string, Example>& tensors,
                const std::map<std::string, double>& scalars = {}) {
  testing::ExpectExample(testing::FindRow(Operators(), api), tensors, scalars, 0);
}

TEST(Selection, GivesTheDocumentedResults) {
  const Example self = {ACL_FLOAT, {3}, {0, 5, kNan}};
  ExpectCall("aclnnClamp", {{"self", self}, {"out", {ACL_FLOAT, {3}, {1, 1, kNan}}}},
             {{"clipValueMin", 2}, {"clipValueMax", 1}});
  ExpectCall("aclnnClamp", {{"self", self}, {"out", {ACL_FLOAT, {3}, {2, 5, kNan}}}}, {{"clipValueMin", 2}});
  ExpectCall("aclnnClamp", {{"self", self}, {"out", {ACL_FLOAT, {3}, {0, 2, kNan}}}}, {{"clipValueMax", 2}});
  ExpectCall("aclnnClamp", {{"self", self}, {"out", {ACL_FLOAT, {3}, {0, 2, kNan}}}},
             {{"clipValueMin", -kInf}, {"clipValueMax", 2}});
  ExpectCall("aclnnClamp", {{"self", self}, {"out", {ACL_FLOAT, {3}, {kNan, kNan, kNan}}}},
             {{"clipValueMin", kNan}, {"clipValueMax", 2}});
  ExpectCall("aclnnThreshold", {{"self", self}, {"out", {ACL_FLOAT, {3}, {-7, 5, kNan}}}},
             {{"threshold", 0}, {"value", -7}});
}

TEST(Selection, LeavesOutABoundThatIsNull) {
  const Example self = {ACL_INT32, {3}, {-1, 5, 9}};
  ExpectCall("aclnnClampTensor",
             {{"self", self}, {"clipValueMin", {ACL_INT32, {1}, {3}}}, {"out", {ACL_INT32, {3}, {3, 5, 9}}}});
  ExpectCall("aclnnClampTensor",
             {{"self", self}, {"clipValueMax", {ACL_INT64, {}, {6}}}, {"out", {ACL_INT32, {3}, {-1, 5, 6}}}});
}

TEST(Selection, ReplacesWhatIsNoFiniteNumber) {
  ExpectCall("aclnnNanToNum",
             {{"self", {ACL_FLOAT16, {4}, {kNan, kInf, -kInf, 2}}}, {"out", {ACL_FLOAT16, {4}, {0.5, kInf, -1, 2}}}},
             {{"nan", 0.5}, {"posinf", 1e6}, {"neginf", -1}});
  ExpectCall("aclnnHeaviside", {{"input", {ACL_FLOAT, {4}, {-2, 0, 3, kNan}}},
                                {"values", {ACL_FLOAT, {1}, {0.5}}},
                                {"out", {ACL_FLOAT, {4}, {0, 0.5, 1, kNan}}}});
}

TEST(Selection, TakesAnyByteThatIsNotZeroForTrue) {
  ExpectCall("aclnnSWhere", {{"condition", {ACL_UINT8, {4}, {0, 1, 2, 255}}},
                             {"self", {ACL_INT8, {1}, {7}}},
                             {"other", {ACL_FLOAT16, {4}, {0.5, 0.5, 0.5, 0.5}}},
                             {"out", {ACL_FLOAT, {4}, {0.5, 7, 7, 7}}}});
}

}  // namespace
}  // namespace portacl::ops::selection
