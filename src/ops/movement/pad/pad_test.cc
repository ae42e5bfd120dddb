// SPDX-License-Identifier: Apache-2.0
//
// ConstantPadNd and ReflectionPad1d: the promises that follow from schemas and oracle, worked examples, and the valid
// ranges of attributes.

#include <gtest/gtest.h>

#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_reflection_pad1d.h"
#include "exec/bind.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Pad, pad);

namespace portacl::ops::pad {
namespace {

using calls::Dims;

class Pad : public testing::DeviceTest {};

// The status of a call with these shapes and values.
aclnnStatus Status(const exec::OperatorEntry& entry, const char* array, const Dims& self, const Dims& numbers,
                   const Dims& out) {
  calls::Call call = calls::MakeValidCall(entry);
  call.tensor("self").shape = self;
  call.argument(array).integers = numbers;
  call.tensor("out").shape = out;
  return testing::StatusOf(call);
}

TEST_F(Pad, GivesTheDocumentedResults) {
  testing::ExpectExample(
      Operators()[0], {{"self", {ACL_FLOAT, {2, 2}, {1, 2, 3, 4}}}, {"out", {ACL_FLOAT, {2, 3}, {9, 3, 4, 9, 9, 9}}}},
      {{"value", 9}}, 0, {{"pad", {1, 0, -1, 1}}});
  testing::ExpectExample(Operators()[0], {{"self", {ACL_UINT8, {1}, {7}}}, {"out", {ACL_UINT8, {2}, {44, 7}}}},
                         {{"value", 300}}, 0, {{"pad", {1, 0}}});
  testing::ExpectExample(
      Operators()[1],
      {{"self", {ACL_INT32, {1, 4}, {10, 20, 30, 40}}}, {"out", {ACL_INT32, {1, 8}, {20, 10, 20, 30, 40, 30, 20, 10}}}},
      {}, 0, {{"padding", {1, 3}}});
}

TEST_F(Pad, ConstantPadCropsNoMoreThanThereIs) {
  const auto status = [](const Dims& self, const Dims& pad, const Dims& out) {
    return Status(Operators()[0], "pad", self, pad, out);
  };
  EXPECT_EQ(status({2, 3}, {}, {2, 3}), 0);
  EXPECT_EQ(status({2, 3}, {1, 1}, {2, 5}), 0);
  EXPECT_EQ(status({2, 3}, {1, 1}, {4, 3}), 161002) << "the last axis comes first";
  EXPECT_EQ(status({2, 3}, {-1, -2}, {2, 0}), 0);
  EXPECT_EQ(status({2, 3}, {-2, -2}, {2, 0}), 161002);
  EXPECT_EQ(status({2, 3}, {-4, 4}, {2, 3}), 161002);
  EXPECT_EQ(status({2, 3}, {-1, -2, 1, 0}, {3, 0}), 161002) << "nothing in a tensor that is padded";
  EXPECT_EQ(status({2, 3}, {1}, {2, 4}), 161002);
  EXPECT_EQ(status({2, 3}, {0, 0, 0, 0, 0, 0}, {2, 3}), 161002);
  EXPECT_EQ(status({}, {}, {}), 0);
  EXPECT_EQ(status({1}, {std::numeric_limits<int64_t>::max(), 0}, {1}), 161002);
}

TEST_F(Pad, ReflectionPadIsShorterThanTheAxis) {
  const auto status = [](const Dims& self, const Dims& padding, const Dims& out) {
    return Status(Operators()[1], "padding", self, padding, out);
  };
  EXPECT_EQ(status({2, 3}, {2, 0}, {2, 5}), 0);
  EXPECT_EQ(status({0, 2, 3}, {2, 0}, {0, 2, 5}), 0);
  EXPECT_EQ(status({2, 3}, {3, 0}, {2, 6}), 161002);
  EXPECT_EQ(status({2, 3}, {-1, 0}, {2, 2}), 161002);
  EXPECT_EQ(status({2, 3}, {1}, {2, 4}), 161002);
  EXPECT_EQ(status({0, 3}, {1, 1}, {0, 5}), 161002);
  EXPECT_EQ(status({2, 0}, {0, 0}, {2, 0}), 161002);
}

}  // namespace
}  // namespace portacl::ops::pad
