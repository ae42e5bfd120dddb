// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, worked examples, and shape rules that no word of the schema
// expresses.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "exec/bind.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"

OP_CONTRACT_TESTS(LinalgCross, cross, 0);

namespace portacl::ops::cross {
namespace {

TEST(Cross, IsTheVectorProduct) {
  const exec::OperatorEntry& entry = Operators()[0];
  testing::ExpectExample(entry,
                         {{"self", {ACL_FLOAT, {2, 3}, {1, 0, 0, 1, 2, 3}}},
                          {"other", {ACL_FLOAT, {3}, {0, 1, 0}}},
                          {"out", {ACL_FLOAT, {2, 3}, {0, 0, 1, -3, 0, 1}}}},
                         {{"dim", -1}}, 0);
  testing::ExpectExample(entry,
                         {{"self", {ACL_INT8, {3, 1}, {100, 2, 3}}},
                          {"other", {ACL_INT8, {3, 1}, {4, 100, 6}}},
                          {"out", {ACL_INT8, {3, 1}, {-32, -76, 8}}}},
                         {{"dim", 0}}, 0);
}

// The exact difference is slightly below the middle of two values, to which float32 rounds it.
TEST(Cross, RoundsBfloat16Once) {
  const double small = 0x1p-20;
  testing::ExpectExample(Operators()[0],
                         {{"self", {ACL_BF16, {3}, {0, 7, small}}},
                          {"other", {ACL_BF16, {3}, {0, small, 37.0 / 256}}},
                          {"out", {ACL_BF16, {3}, {1.0078125, 0, 0}}}},
                         {{"dim", 0}}, 0);
}

TEST(Cross, IsTheProductOfComplexVectors) {
  for (const aclDataType dtype : {ACL_COMPLEX64, ACL_COMPLEX128}) {
    testing::ExpectExample(Operators()[0],
                           {{"self", {dtype, {3}, {1, 1, 0, 2, 3, 0}}},
                            {"other", {dtype, {3}, {0, 1, 1, -1, 2, 0}}},
                            {"out", {dtype, {3}, {-3, 7, -2, 1, 4, 0}}}},
                           {{"dim", 0}}, 0);
  }
}

// More vectors than are computed at a time, contiguous ones and strided ones.
TEST(Cross, IsTheProductOfManyVectors) {
  std::vector<double> self, other, out;
  for (int i = 0; i < 300; ++i) {
    const double vectors[3][3] = {
        {1.0 * i, 2, 3}, {4, 5.0 - i, 6}, {12 - 3 * (5.0 - i), 12 - 6.0 * i, i * (5.0 - i) - 8}};
    self.insert(self.end(), vectors[0], vectors[0] + 3);
    other.insert(other.end(), vectors[1], vectors[1] + 3);
    out.insert(out.end(), vectors[2], vectors[2] + 3);
  }
  const auto transposed = [](const std::vector<double>& rows) {
    std::vector<double> columns;
    for (size_t i = 0; i < 3; ++i) {
      for (size_t row = 0; row < 300; ++row) columns.push_back(rows[3 * row + i]);
    }
    return columns;
  };
  testing::ExpectExample(Operators()[0],
                         {{"self", {ACL_FLOAT, {300, 3}, self}},
                          {"other", {ACL_FLOAT, {300, 3}, other}},
                          {"out", {ACL_FLOAT, {300, 3}, out}}},
                         {{"dim", 1}}, 0);
  testing::ExpectExample(Operators()[0],
                         {{"self", {ACL_FLOAT, {3, 300}, transposed(self)}},
                          {"other", {ACL_FLOAT, {3, 300}, transposed(other)}},
                          {"out", {ACL_FLOAT, {3, 300}, transposed(out)}}},
                         {{"dim", 0}}, 0);
}

aclnnStatus PlanOf(const calls::Dims& self, const calls::Dims& other, int64_t dim) {
  calls::Call call = calls::MakeValidCall(Operators()[0]);
  call.tensor("self").shape = call.tensor("out").shape = self;
  call.tensor("other").shape = other;
  call.argument("dim").integer = dim;
  return testing::StatusOf(call);
}

TEST(Cross, RefusesWhatAreNoVectorsOfThree) {
  EXPECT_EQ(PlanOf({3, 4}, {3, 1}, -2), exec::kSuccess);
  EXPECT_EQ(PlanOf({3, 4}, {3, 1}, 1), exec::kInvalid);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'self'"), std::string_view::npos);
  EXPECT_EQ(PlanOf({3, 3}, {3}, 0), exec::kInvalid) << "other lacks the axis";
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'other'"), std::string_view::npos);
  for (const int64_t dim : {2, -3}) {
    EXPECT_EQ(PlanOf({3, 3}, {3, 3}, dim), exec::kInvalid);
    EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'dim'"), std::string_view::npos);
  }
  EXPECT_EQ(PlanOf({}, {}, 0), exec::kInvalid);
}

}  // namespace
}  // namespace portacl::ops::cross
