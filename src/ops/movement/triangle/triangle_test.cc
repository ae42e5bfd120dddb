// SPDX-License-Identifier: Apache-2.0
//
// Tril and Triu: the promises that follow from schemas and oracle, worked examples, and diagonals beyond the matrix.
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/random.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Triangle, triangle);

namespace portacl::ops::triangle {
namespace {

class Triangle : public testing::DeviceTest {};

TEST_F(Triangle, GivesTheDocumentedResults) {
  const auto expect = [](size_t which, double diagonal, const std::vector<double>& out) {
    testing::ExpectExample(
        Operators()[which],
        {{"self", {ACL_FLOAT, {3, 3}, {9, 6, 3, 1, 2, 3, 3, 4, 1}}}, {"out", {ACL_FLOAT, {3, 3}, out}}},
        {{"diagonal", diagonal}}, 0);
  };
  expect(0, 1, {9, 6, 0, 1, 2, 3, 3, 4, 1});
  expect(0, -1, {0, 0, 0, 1, 0, 0, 3, 4, 0});
  expect(2, 1, {0, 6, 3, 0, 0, 3, 0, 0, 0});
  const std::vector<double> all = {9, 6, 3, 1, 2, 3, 3, 4, 1}, none(9);
  constexpr auto kMost = static_cast<double>(int64_t{1} << 62);
  expect(0, kMost, all);
  expect(0, -kMost, none);
  expect(2, kMost, none);
  expect(2, -kMost, all);
}

// In most rows, no elements or all elements are cleared.
TEST_F(Triangle, IsRightInPlaceOfTallMatrices) {
  for (const size_t which : {1, 3}) {
    for (const int64_t diagonal : {-80, -20, -1, 0, 3, 8, 9, 10}) {
      testing::Random random;
      calls::Call call = calls::MakeCallOfShape(Operators()[which], {2, 70, 9}, &random, ACL_FLOAT);
      call.argument("diagonal").integer = diagonal;
      testing::ExpectRight(call);
    }
  }
}

TEST_F(Triangle, TakesMatricesAndForTriuOneElement) {
  const auto status = [](size_t which, const calls::Dims& shape) {
    calls::Call call = calls::MakeValidCall(Operators()[which]);
    call.tensor("self").shape = call.tensor("out").shape = shape;
    return testing::StatusOf(call);
  };
  EXPECT_EQ(status(0, {2, 3}), 0);
  EXPECT_EQ(status(0, {3}), 161002);
  EXPECT_EQ(status(0, {}), 161002);
  EXPECT_EQ(status(2, {3}), 161002);
  EXPECT_EQ(status(2, {}), 0);
}

}  // namespace
}  // namespace portacl::ops::triangle
