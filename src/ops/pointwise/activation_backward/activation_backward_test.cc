// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/tuning.h"
#include "calls/call.h"
#include "exec/bind.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/cost.h"
#include "testing/operator_contract.h"
#include "testing/random.h"

ROW_CONTRACT_TESTS(ActivationBackward, activation_backward);

namespace portacl::ops::activation_backward {
namespace {

void ExpectDerivatives(std::string_view api, const std::vector<double>& out) {
  const std::vector<double> x = {-3, -1, -0.5, -0.0, 0.5, 1, 3};
  testing::ExpectExample(testing::FindRow(Operators(), api),
                         {{"gradOutput", {ACL_FLOAT, {7}, std::vector<double>(7, 1)}},
                          {"self", {ACL_FLOAT, {7}, x}},
                          {"gradInput", {ACL_FLOAT, {7}, out}}},
                         {}, 1e-5);
}

TEST(ActivationBackward, GivesTheDocumentedResults) {
  ExpectDerivatives("aclnnGeluBackward", {-0.0115842, -0.0829641, 0.1326301, 0.5, 0.8673699, 1.0829641, 1.0115842});
  ExpectDerivatives("aclnnGeluBackwardV2", {-0.0119456, -0.0833155, 0.1325049, 0.5, 0.8674951, 1.0833155, 1.0119456});
  ExpectDerivatives("aclnnSiluBackward", {-0.0881041, 0.0723295, 0.2600388, 0.5, 0.7399612, 0.9276705, 1.0881041});
}

// e^90 / 16 is a BFLOAT16, e^90 is none.
TEST(ActivationBackward, EluIsFiniteWhereItsExponentialIsNot) {
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnEluBackward"),
                         {{"gradOutput", {ACL_BF16, {3}, {1, 1, 1}}},
                          {"selfOrResult", {ACL_BF16, {3}, {-90, -1, 1}}},
                          {"gradInput", {ACL_BF16, {3}, {7.6275e37, 0.16989, 1}}}},
                         {{"alpha", -0.0625}, {"scale", 1}, {"inputScale", -1}, {"isResult", 0}}, 0.004);
}

TEST(ActivationBackward, GeluTakesTheFormThatIsNamed) {
  for (const exec::OperatorEntry& entry : Operators()) {
    if (entry.schema->Find("approximate") < 0) continue;
    testing::Random random;
    calls::Call call = testing::DrawCall(entry, {40, 33}, testing::DtypesOf(entry)[0], random);
    call.argument("approximate").text = "tanh";
    testing::ExpectRight(call);
    call.argument("approximate").text = "Tanh";
    EXPECT_EQ(testing::StatusOf(call), 161002);
  }
}

// At 25 GB/s.
TEST(ActivationBackward, EstimatesThatSimpleDerivativesTakeTheTimeOfTheirMemory) {
  for (const auto& [api, dtype] : {std::pair("aclnnTanhBackward", ACL_DOUBLE), {"aclnnThresholdBackward", ACL_FLOAT}}) {
    SCOPED_TRACE(api);
    constexpr int64_t kElements = 32'768;
    calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), api));
    for (calls::TensorSpec* tensor : call.Tensors()) {
      tensor->dtype = dtype;
      tensor->shape = {kElements};
    }
    EXPECT_NEAR(static_cast<double>(testing::EstimateOf(call)),
                static_cast<double>(kElements * 3) * static_cast<double>(aclDataTypeSize(dtype)) /
                    CurrentTuning().core_bytes_per_ns,
                500);
  }
}

}  // namespace
}  // namespace portacl::ops::activation_backward
