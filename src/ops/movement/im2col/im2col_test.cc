// SPDX-License-Identifier: Apache-2.0
//
// Im2col: the promises that follow from schema and oracle, the worked example, and the valid ranges of attributes.
#include <vector>

#include <gtest/gtest.h>

#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Im2col, im2col);

namespace portacl::ops::im2col {
namespace {

using calls::Dims;

class Im2col : public testing::DeviceTest {};

TEST_F(Im2col, GivesTheDocumentedResult) {
  testing::ExpectExample(Operators()[0],
                         {{"self", {ACL_FLOAT, {1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}},
                          {"out", {ACL_FLOAT, {4, 4}, {0, 2, 0, 5, 1, 3, 4, 6, 0, 5, 0, 8, 4, 6, 7, 9}}}},
                         {}, 0,
                         {{"kernelSize", {2, 2}}, {"dilation", {1, 1}}, {"padding", {0, 1}}, {"stride", {1, 2}}});
}

TEST_F(Im2col, WindowsFitIntoThePaddedImage) {
  const auto status = [](const Dims& self, const Dims& kernel, const Dims& dilation, const Dims& padding,
                         const Dims& stride, const Dims& out) {
    calls::Call call = calls::MakeValidCall(Operators()[0]);
    call.tensor("self").shape = self;
    call.argument("kernelSize").integers = kernel;
    call.argument("dilation").integers = dilation;
    call.argument("padding").integers = padding;
    call.argument("stride").integers = stride;
    call.tensor("out").shape = out;
    return testing::StatusOf(call);
  };
  EXPECT_EQ(status({2, 3, 4, 5}, {2, 2}, {1, 1}, {0, 0}, {1, 1}, {2, 12, 12}), 0);
  EXPECT_EQ(status({0, 3, 4, 5}, {2, 2}, {1, 1}, {0, 0}, {1, 1}, {0, 12, 12}), 0);
  EXPECT_EQ(status({3, 4, 5}, {4, 5}, {1, 1}, {0, 0}, {1, 1}, {60, 1}), 0);
  EXPECT_EQ(status({3, 4, 5}, {5, 5}, {1, 1}, {0, 0}, {1, 1}, {75, 1}), 161002);
  EXPECT_EQ(status({3, 4, 5}, {2, 2}, {4, 1}, {0, 0}, {1, 1}, {12, 4}), 161002);
  EXPECT_EQ(status({3, 4, 5}, {2, 2}, {1, 1}, {-1, 0}, {1, 1}, {12, 4}), 161002);
  EXPECT_EQ(status({3, 4, 5}, {2, 2}, {1, 1}, {0, 0}, {0, 1}, {12, 12}), 161002);
  EXPECT_EQ(status({3, 4, 5}, {2}, {1, 1}, {0, 0}, {1, 1}, {12, 12}), 161002);
  EXPECT_EQ(status({3, 0, 5}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {3, 14}), 161002);
  EXPECT_EQ(status({4, 5}, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {4, 5}), 161002);
}

}  // namespace
}  // namespace portacl::ops::im2col
