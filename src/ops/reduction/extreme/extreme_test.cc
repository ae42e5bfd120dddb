// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_argmax.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Extreme, extreme);

namespace portacl::ops::extreme {
namespace {

using calls::TensorBuilder;
using testing::Example;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void ExpectCall(std::string_view api, const std::map<std::string, Example>& tensors,
                const std::map<std::string, double>& attributes) {
  testing::ExpectExample(testing::FindRow(Operators(), api), tensors, attributes, 0);
}

TEST(Extreme, GivesTheDocumentedPlaces) {
  const std::map<std::string, double> last = {{"dim", -1}, {"keepdim", 0}};
  ExpectCall("aclnnArgMax", {{"self", {ACL_FLOAT, {4}, {1, 5, 5, 2}}}, {"out", {ACL_INT32, {}, {1}}}}, last);
  ExpectCall("aclnnArgMax", {{"self", {ACL_FLOAT, {3}, {1, kNan, 7}}}, {"out", {ACL_INT64, {1}, {1}}}}, last);
  ExpectCall("aclnnArgMin", {{"self", {ACL_INT8, {2, 3}, {3, -1, -1, 0, 7, 0}}}, {"out", {ACL_INT64, {2}, {1, 0}}}},
             last);
  ExpectCall("aclnnMaxDim",
             {{"self", {ACL_FLOAT16, {2, 2}, {3, 4, kNan, 9}}},
              {"out", {ACL_FLOAT16, {1, 2}, {kNan, 9}}},
              {"indices", {ACL_INT32, {1, 2}, {1, 1}}}},
             {{"dim", 0}, {"keepdim", 1}});
}

TEST(Extreme, ANanWinsOverAllNumbers) {
  ExpectCall("aclnnAmax", {{"self", {ACL_BF16, {3}, {1, kNan, 7}}}, {"out", {ACL_BF16, {1}, {kNan}}}},
             {{"dim", 0}, {"keepDim", 1}});
  ExpectCall("aclnnMin", {{"self", {ACL_DOUBLE, {3}, {1, kNan, 7}}}, {"out", {ACL_DOUBLE, {}, {kNan}}}}, {});
  ExpectCall("aclnnAll", {{"self", {ACL_FLOAT, {2}, {kNan, 1}}}, {"out", {ACL_UINT8, {}, {1}}}},
             {{"dim", 0}, {"keepdim", 0}});
}

TEST(Extreme, OverNothingAllIsTrueAndAnyFalse) {
  const std::map<std::string, double> first = {{"dim", 0}, {"keepdim", 0}};
  ExpectCall("aclnnAll", {{"self", {ACL_FLOAT, {0, 2}, {}}}, {"out", {ACL_BOOL, {2}, {1, 1}}}}, first);
  ExpectCall("aclnnAny", {{"self", {ACL_INT32, {0, 2}, {}}}, {"out", {ACL_UINT8, {2}, {0, 0}}}}, first);
}

TEST(Extreme, RefusesNothingToChooseFromUnlessNothingIsAskedFor) {
  const auto status = [](calls::Dims self, int64_t dim, calls::Dims out) {
    return testing::PhaseOne(aclnnArgMaxGetWorkspaceSize, TensorBuilder(ACL_FLOAT, std::move(self)).Build().get(), dim,
                             false, TensorBuilder(ACL_INT64, std::move(out)).Build().get());
  };
  EXPECT_EQ(status({0, 3}, 0, {3}), 161002);
  EXPECT_EQ(status({0, 3}, 1, {0}), 0);
  EXPECT_EQ(status({2, 3}, 2, {2}), 161002);
  EXPECT_EQ(status({}, -1, {}), 0);
  EXPECT_EQ(status({}, 1, {}), 161002);
}

}  // namespace
}  // namespace portacl::ops::extreme
