// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, worked examples, and outputs that share memory.
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_group_norm.h"
#include "calls/call.h"
#include "calls/tensor_builder.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(GroupNorm, group_norm);

namespace portacl::ops::group_norm {
namespace {

using calls::TensorBuilder;
using testing::DeviceArray;
using testing::Example;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void ExpectGroupNorm(const std::map<std::string, Example>& tensors, const calls::Dims& sizes, double group, double eps,
                     double relative = 0) {
  testing::ExpectExample(Operators()[0], tensors,
                         {{"N", static_cast<double>(sizes[0])},
                          {"C", static_cast<double>(sizes[1])},
                          {"HxW", static_cast<double>(sizes[2])},
                          {"group", group},
                          {"eps", eps}},
                         relative);
}

Example Floats(const calls::Dims& shape, const std::vector<double>& values) { return {ACL_FLOAT, shape, values}; }

TEST(GroupNorm, GivesTheDocumentedResults) {
  ExpectGroupNorm({{"self", Floats({1, 4, 2}, {0, 1, 2, 3, 4, 5, 10, -10})},
                   {"gamma", Floats({4}, {1, 2, 1, 0.5})},
                   {"beta", Floats({4}, {0, 0, 1, 1})},
                   {"out", Floats({1, 4, 2}, {-1.3416354, -0.4472118, 0.8944236, 2.6832708, 1.2355687, 1.3701794,
                                              1.5216165, 0.1755094})},
                   {"meanOut", Floats({1, 2}, {1.5, 2.25})},
                   {"rstdOut", Floats({1, 2}, {0.8944236, 0.1346107})}},
                  {1, 4, 2}, 2, 1e-5, 1e-6);
}

TEST(GroupNorm, TakesOneElementAChannel) {
  ExpectGroupNorm({{"self", Floats({1, 4}, {1, -1, 7, 5})},
                   {"gamma", Floats({4}, {1, 2, 3, 4})},
                   {"out", Floats({1, 4}, {0.5, -1, 1.5, -2})},
                   {"meanOut", Floats({1, 2}, {0, 6})},
                   {"rstdOut", Floats({1, 2}, {0.5, 0.5})}},
                  {1, 4, 1}, 2, 3);
}

TEST(GroupNorm, OfNothingHasNoMean) {
  ExpectGroupNorm({{"self", Floats({1, 2, 0}, {})},
                   {"out", Floats({1, 2, 0}, {})},
                   {"meanOut", Floats({1, 2}, {kNan, kNan})},
                   {"rstdOut", Floats({1, 2}, {kNan, kNan})}},
                  {1, 2, 0}, 2, 1e-5);
}

TEST(GroupNorm, WantsChannelsAsTheSecondAxis) {
  const std::pair<aclFormat, aclnnStatus> rows[] = {
      {ACL_FORMAT_ND, 0},        {ACL_FORMAT_NCHW, 0},       {ACL_FORMAT_NCDHW, 0},       {ACL_FORMAT_NHWC, 161002},
      {ACL_FORMAT_HWCN, 161002}, {ACL_FORMAT_NDHWC, 161002}, {ACL_FORMAT_NC1HWC0, 161002}};
  for (const auto& [format, status] : rows) {
    calls::Call call = calls::MakeValidCall(Operators()[0]);
    for (calls::TensorSpec* const tensor : call.Tensors()) tensor->format = format;
    EXPECT_EQ(testing::StatusOf(call), status) << format;
  }
}

class GroupNormCalls : public testing::DeviceTest {};

// As a client passes them: rstd starts as many bytes after mean as mean has elements.
TEST_F(GroupNormCalls, LetsStatisticsShareMemory) {
  const std::vector<float> x = {1, -1, 5, 3, 2, -2, 0, 4};
  const DeviceArray<float> self(x);
  const DeviceArray<float> out(std::vector<float>(8));
  const DeviceArray<float> statistics(std::vector<float>(8));
  auto* const rstd = reinterpret_cast<std::byte*>(statistics.data()) + 4;
  testing::RunPhases(aclnnGroupNormGetWorkspaceSize, aclnnGroupNorm,
                     TensorBuilder(ACL_FLOAT, {1, 4, 2}).Data(self.data()).Build().get(),
                     static_cast<const aclTensor*>(nullptr), static_cast<const aclTensor*>(nullptr), 1, 4, 2, 4, 3.0,
                     TensorBuilder(ACL_FLOAT, {1, 4, 2}).Data(out.data()).Build().get(),
                     TensorBuilder(ACL_FLOAT, {1, 4}).Data(statistics.data()).Build().get(),
                     TensorBuilder(ACL_FLOAT, {1, 4}).Data(rstd).Build().get());
  const std::vector<float> got = out.ToHost();
  EXPECT_EQ(std::vector<float>(got.begin(), got.begin() + 4), std::vector<float>({0.5F, -0.5F, 0.5F, -0.5F}));
  const std::vector<float> stored = statistics.ToHost();
  EXPECT_EQ(std::vector<float>(stored.begin() + 5, stored.end()), std::vector<float>(3));
}

}  // namespace
}  // namespace portacl::ops::group_norm
