// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_softmax.h"
#include "calls/call.h"
#include "calls/tensor_builder.h"
#include "calls/views.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

namespace portacl::ops::softmax {

std::span<const exec::OperatorEntry> Operators();

namespace {

using calls::TensorBuilder;
using testing::Example;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const exec::OperatorEntry& Entry(std::string_view api) {
  for (const exec::OperatorEntry& entry : Operators()) {
    if (api == entry.schema->api) return entry;
  }
  ADD_FAILURE() << "no " << api;
  return Operators()[0];
}

void ExpectAlong(const char* api, aclDataType dtype, const calls::Dims& shape, int dim, const std::vector<double>& self,
                 const std::vector<double>& out) {
  testing::ExpectExample(Entry(api), {{"self", {dtype, shape, self}}, {"out", {dtype, shape, out}}}, {{"dim", dim}},
                         dtype == ACL_BF16 ? 0x1p-8 : 1e-6);
}

TEST(Softmax, GivesTheDocumentedResults) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE, ACL_BF16}) {
    ExpectAlong("aclnnSoftmax", dtype, {3}, 0, {1, 2, 3}, {0.090030573, 0.24472847, 0.66524096});
    ExpectAlong("aclnnSoftmax", dtype, {1, 2}, -1, {1000, 1000}, {0.5, 0.5});
    ExpectAlong("aclnnSoftmax", dtype, {3}, -1, {-kInf, 0, -kInf}, {0, 1, 0});
    ExpectAlong("aclnnSoftmax", dtype, {2}, -1, {-kInf, -kInf}, {kNan, kNan});
    ExpectAlong("aclnnSoftmax", dtype, {}, 0, {7}, {1});
    ExpectAlong("aclnnLogSoftmax", dtype, {2, 2}, 0, {0, 1, 0, -kInf}, {-0.69314718, 0, -0.69314718, -kInf});
  }
  ExpectAlong("aclnnSoftmax", ACL_FLOAT, {2}, 0, {1000, 1001}, {0.26894142, 0.73105858});
}

// The same axis as rows and as columns, with few neighbours and with many.
TEST(Softmax, HoldsForRowsOfAnyLengthAlongAnyAxis) {
  testing::Random random;
  for (const exec::OperatorEntry& entry : Operators()) {
    const testing::Dtypes& dtypes = testing::DtypesOf(entry)[0];
    for (const int64_t n : {1, 2, 5, 16, 31, 32, 33, 100, 513, 2049}) {
      for (const calls::Dims& shape : {calls::Dims{3, n}, {n, 3}, {n, 80}, {2, n, 17}, {2, n, 2, 300}}) {
        calls::Call call = testing::DrawCall(entry, shape, dtypes, random);
        call.argument("dim").integer = shape[0] == n ? 0 : 1;
        call.AllocateData();
        calls::DrawContents(call, random, 0);
        testing::ExpectConformance(call);
      }
    }
  }
}

// What exponentials that float32 holds lose to those beside them is no error of theirs.
TEST(Softmax, SmallSharesHaveTheirOwnAccuracy) {
  for (const double center : {0.0, 90.0, -7000.0, 1e6, -3e38}) {
    std::vector<double> row;
    for (int i = 0; i < 90; ++i) row.push_back(double{static_cast<float>(center)} - i * 1.17);
    for (const char* api : {"aclnnSoftmax", "aclnnLogSoftmax"}) {
      for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE})
        testing::ExpectRight(Entry(api), dtype, {{"self", row}}, {{"dim", 0}});
    }
  }
  testing::ExpectRight(Entry("aclnnLogSoftmax"), ACL_FLOAT, {{"self", {30, 0, 1, 30 - 0x1p-19}}}, {{"dim", 0}});
  testing::ExpectRight(Entry("aclnnLogSoftmax"), ACL_FLOAT, {{"self", {40, 0, 1}}}, {{"dim", 0}});
}

TEST(Softmax, AnEmptySelfSucceedsWhateverItsDtype) {
  const auto status = [](aclDataType dtype, const calls::Dims& shape, int64_t dim) {
    return testing::PhaseOne(aclnnSoftmaxGetWorkspaceSize, TensorBuilder(dtype, shape).Build().get(), dim,
                             TensorBuilder(dtype, shape).Build().get());
  };
  EXPECT_EQ(status(ACL_INT32, {0, 3}, 7), 0);
  EXPECT_EQ(status(ACL_INT32, {2, 3}, 1), 161002);
  EXPECT_EQ(status(ACL_FLOAT, {2, 3}, 2), 161002);
  EXPECT_EQ(status(ACL_FLOAT, {2, 3}, -2), 0);
  EXPECT_EQ(status(ACL_FLOAT, {}, -1), 0);
}

}  // namespace
}  // namespace portacl::ops::softmax

ROW_CONTRACT_TESTS(Softmax, portacl::ops::softmax::Operators());
