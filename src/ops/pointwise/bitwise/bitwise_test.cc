// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "testing/conformance.h"
#include "testing/operator_contract.h"

ROW_CONTRACT_TESTS(Bitwise, bitwise);

namespace portacl::ops::bitwise {
namespace {

void Expect(std::string_view api, const std::map<std::string, testing::Example>& tensors, double other = 0) {
  SCOPED_TRACE(api);
  testing::ExpectExample(testing::FindRow(Operators(), api), tensors, {{"other", other}}, 0);
}

TEST(Bitwise, CombinesTheBitsOfTheCommonType) {
  const testing::Example self = {ACL_INT8, {4}, {12, -1, -128, 5}};
  const testing::Example other = {ACL_INT32, {4}, {10, 300, 127, -6}};
  Expect("aclnnBitwiseAndTensor", {{"self", self}, {"other", other}, {"out", {ACL_INT32, {4}, {8, 300, 0, 0}}}});
  Expect("aclnnBitwiseOrTensor", {{"self", self}, {"other", other}, {"out", {ACL_INT32, {4}, {14, -1, -1, -1}}}});
  Expect("aclnnBitwiseXorTensor", {{"self", self}, {"other", other}, {"out", {ACL_INT32, {4}, {6, -301, -1, -1}}}});
}

TEST(Bitwise, IsLogicalForBool) {
  const testing::Example self = {ACL_BOOL, {2, 1}, {0, 1}};
  const testing::Example other = {ACL_BOOL, {2}, {0, 1}};
  Expect("aclnnBitwiseAndTensor", {{"self", self}, {"other", other}, {"out", {ACL_BOOL, {2, 2}, {0, 0, 0, 1}}}});
  Expect("aclnnBitwiseOrTensor", {{"self", self}, {"other", other}, {"out", {ACL_BOOL, {2, 2}, {0, 1, 1, 1}}}});
  Expect("aclnnBitwiseXorTensor", {{"self", self}, {"other", other}, {"out", {ACL_BOOL, {2, 2}, {0, 1, 1, 0}}}});
}

// A scalar of INT64 does not widen a tensor of INT32.
TEST(Bitwise, TakesTheLowBitsOfAScalar) {
  const testing::Example self = {ACL_INT32, {3}, {0, 7, -1}};
  Expect("aclnnBitwiseAndScalar", {{"self", self}, {"out", {ACL_INT32, {3}, {0, 5, 5}}}}, 0x1p32 + 5);
  Expect("aclnnBitwiseOrScalar", {{"self", self}, {"out", {ACL_FLOAT, {3}, {8, 15, -1}}}}, 8);
  Expect("aclnnBitwiseXorScalar", {{"self", self}, {"out", {ACL_INT32, {3}, {-1, -8, 0}}}}, -1);
}

}  // namespace
}  // namespace portacl::ops::bitwise
