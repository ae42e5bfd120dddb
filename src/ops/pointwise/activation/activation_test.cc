// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_softplus.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Activation, activation);

namespace portacl::ops::activation {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const exec::OperatorEntry& Find(std::string_view api) { return testing::FindRow(Operators(), api); }

void ExpectValues(std::string_view api, const std::vector<double>& in, const std::vector<double>& out,
                  const std::map<std::string, double>& attributes = {}) {
  const exec::OperatorEntry& entry = Find(api);
  const auto count = std::ssize(in);
  const exec::Schema& schema = *entry.schema;
  testing::ExpectExample(
      entry,
      {{schema.args.front().name, {ACL_FLOAT, {count}, in}}, {schema.args.back().name, {ACL_FLOAT, {count}, out}}},
      attributes, 2e-5);
}

TEST(Activation, GivesTheDocumentedResults) {
  const std::vector<double> x = {-3, -1, -0.5, -0.0, 0.5, 1, 3};
  const std::vector<double> tanh_form = {-0.0036374, -0.158808, -0.154286, 0, 0.345714, 0.841192, 2.9963626};
  ExpectValues("aclnnHardswish", x, {0, -0.3333333, -0.2083333, 0, 0.2916667, 0.6666667, 3});
  ExpectValues("aclnnSilu", x, {-0.1422776, -0.2689414, -0.1887703, 0, 0.3112297, 0.7310586, 2.8577224});
  ExpectValues("aclnnElu", x, {-0.9998766, -0.9502129, -0.7768698, 0, 0.25, 0.5, 1.5},
               {{"alpha", 2}, {"scale", 0.5}, {"inputScale", 3}});
  ExpectValues("aclnnGelu", x, tanh_form);
  ExpectValues("aclnnGeluV2", x, tanh_form, {{"approximate", 1}});
  ExpectValues("aclnnGeluV2", x, {-0.0040497, -0.1586553, -0.1542688, 0, 0.3457312, 0.8413447, 2.9959503},
               {{"approximate", 0}});
  ExpectValues("aclnnSoftplus", {-100, -1, 0, 20, 20.0001},
               {3.7835058536770061e-44, 0.3132617, 0.6931472, 20.0, 20.0001}, {{"beta", 1}, {"threshold", 20}});
  ExpectValues("aclnnSoftplus", {0, 0.5, 0.51, -1}, {0.3465736, 0.6566308, 0.51, 0.063464},
               {{"beta", 2}, {"threshold", 1}});
}

TEST(Activation, TakesInfinitiesAndNans) {
  const std::vector<double> x = {-kInf, kInf, kNan};
  for (const char* api : {"aclnnSilu", "aclnnGelu", "aclnnHardswish", "aclnnRelu"}) {
    SCOPED_TRACE(api);
    ExpectValues(api, x, {0, kInf, kNan});
  }
}

// Combined with FLOAT tensors, a scalar is used as FLOAT, whatever its own dtype.
TEST(Activation, TakesScalarsOfDoubleAsFloat) {
  const std::vector<float> x = {-2.5F, -0.7F, -1e-3F, 0.3F, 1.9F};
  const testing::DeviceArray<float> self(x), out(x.size());
  const auto run = [&](const auto& call, auto value, aclDataType dtype) {
    aclScalar* const scalar = aclCreateScalar(&value, dtype);
    call(calls::TensorBuilder(ACL_FLOAT, {5}).Data(self.data()).Build().get(), scalar,
         calls::TensorBuilder(ACL_FLOAT, {5}).Data(out.data()).Build().get());
    EXPECT_EQ(aclDestroyScalar(scalar), 0);
    return out.ToHost();
  };
  const auto elu = [](const aclTensor* in, const aclScalar* scalar, aclTensor* to) {
    testing::RunPhases(aclnnEluGetWorkspaceSize, aclnnElu, in, scalar, scalar, scalar, to);
  };
  const auto softplus = [](const aclTensor* in, const aclScalar* scalar, aclTensor* to) {
    testing::RunPhases(aclnnSoftplusGetWorkspaceSize, aclnnSoftplus, in, scalar, scalar, to);
  };
  const double third = 1.0 / 3;
  EXPECT_EQ(run(elu, third, ACL_DOUBLE), run(elu, static_cast<float>(third), ACL_FLOAT));
  EXPECT_EQ(run(softplus, third, ACL_DOUBLE), run(softplus, static_cast<float>(third), ACL_FLOAT));
}

}  // namespace
}  // namespace portacl::ops::activation
