// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, worked examples, and difficult values.
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "calls/call.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(RmsNorm, rms_norm);

namespace portacl::ops::rms_norm {
namespace {

using testing::Example;
using testing::StatusOf;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

void ExpectNorm(std::string_view api, const std::map<std::string, Example>& tensors, double epsilon,
                double relative = 0) {
  testing::ExpectExample(testing::FindRow(Operators(), api), tensors, {{"epsilon", epsilon}}, relative);
}

Example Floats(const calls::Dims& shape, const std::vector<double>& values) { return {ACL_FLOAT, shape, values}; }

TEST(RmsNorm, GivesTheDocumentedResults) {
  ExpectNorm("aclnnRmsNorm",
             {{"x", Floats({3, 4}, {1, 2, 3, 4, 0, 0, 0, 0, 1, -1, 2, -2})},
              {"gamma", Floats({4}, {1, 2, 0.5, 1})},
              {"yOut", Floats({3, 4}, {0.3651483, 1.4605934, 0.5477225, 1.4605934, 0, 0, 0, 0, 0.6324554, -1.2649108,
                                       0.6324554, -1.2649108})},
              {"rstdOut", Floats({3, 1}, {0.3651483, 1000, 0.6324554})}},
             1e-6, 5e-7);
}

TEST(RmsNorm, WritesRstdInRowMajorOrderOfAnyShape) {
  ExpectNorm("aclnnRmsNorm",
             {{"x", Floats({2, 2, 1}, {1, 2, 4, 8})},
              {"gamma", Floats({1}, {3})},
              {"yOut", Floats({2, 2, 1}, {3, 3, 3, 3})},
              {"rstdOut", Floats({2, 2}, {1, 0.5, 0.25, 0.125})}},
             0);
}

TEST(RmsNorm, LeavesNothingBesideAnInfiniteElement) {
  ExpectNorm("aclnnRmsNorm",
             {{"x", Floats({2, 2}, {kInf, 1, kNan, 1})},
              {"gamma", Floats({2}, {1, 1})},
              {"yOut", Floats({2, 2}, {kNan, 0, kNan, kNan})},
              {"rstdOut", Floats({2}, {0, kNan})}},
             1e-6);
}

TEST(RmsNorm, TakesElementsWhoseSquaresFloat32DoesNotHold) {
  ExpectNorm("aclnnRmsNorm",
             {{"x", Floats({2, 2}, {1e30, 1e30, 1e-30, -1e-30})},
              {"gamma", Floats({2}, {1, 2})},
              {"yOut", Floats({2, 2}, {1, 2, 1, -2})},
              {"rstdOut", Floats({2}, {1e-30, 1e30})}},
             0, 5e-7);
}

TEST(AddRmsNorm, GivesTheDocumentedResults) {
  ExpectNorm("aclnnAddRmsNorm",
             {{"x1", Floats({1, 4}, {1, 2, 3, 4})},
              {"x2", Floats({1, 4}, {1, -2, 0, 4})},
              {"gamma", Floats({4}, {1, 2, 0.5, 1})},
              {"yOut", Floats({1, 4}, {0.4558423, 0, 0.3418817, 1.8233692})},
              {"rstdOut", Floats({1, 1}, {0.2279211})},
              {"xOut", Floats({1, 4}, {2, 0, 3, 8})}},
             1e-6, 5e-7);
}

TEST(RmsNormGrad, IsZeroAlongX) {
  testing::ExpectExample(Operators()[2],
                         {{"dy", Floats({2, 2}, {1, -1, 3, 3})},
                          {"x", Floats({2, 2}, {1, -1, 2, 2})},
                          {"rstd", Floats({2}, {1, 0.5})},
                          {"gamma", Floats({2}, {1, 1})},
                          {"dxOut", Floats({2, 2}, {0, 0, 0, 0})},
                          {"dgammaOut", Floats({2}, {4, 4})}},
                         {}, 0);
}

class RmsNormStatus : public testing::DeviceTest {};

TEST_F(RmsNormStatus, WantsRstdOfAddRmsNorm) {
  calls::Call call = calls::MakeLargeCall(Operators()[1], 64, ACL_FLOAT);
  EXPECT_EQ(StatusOf(call), 0);
  call.argument("xOut").null = true;
  EXPECT_EQ(StatusOf(call), 161001);
  call.argument("rstdOut").null = true;
  EXPECT_EQ(StatusOf(call), 161001);
}

TEST_F(RmsNormStatus, NeedsOnlyTheNormWithRowsOfGammaIn16Bits) {
  for (const bool has_sum : {true, false}) {
    calls::Call call = calls::MakeLargeCall(Operators()[1], 4096, ACL_FLOAT16);
    calls::Dims& gamma = call.tensor("gamma").shape;
    gamma.insert(gamma.begin(), 1);
    call.argument("rstdOut").null = true;
    call.argument("xOut").null = !has_sum;
    testing::ExpectRight(call);
  }
}

TEST_F(RmsNormStatus, LeavesTheNormWhereBothResultsOfAddRmsNormAreOne) {
  using calls::TensorBuilder;
  const testing::DeviceArray<float> x1({3, 3, 0, 0}), x2({0, 1, 0, 5}), gamma({1, 2}), out(4), rstd(2);
  // Also with columns that are not contiguous.
  for (const bool transposed : {false, true}) {
    const auto built = [&](const testing::DeviceArray<float>& data) {
      TensorBuilder tensor(ACL_FLOAT, {2, 2});
      if (transposed) tensor.Strides({1, 2});
      return tensor.Data(data.data()).Build();
    };
    const auto a = built(x1), b = built(x2), y = built(out), x = built(out);
    const auto g = TensorBuilder(ACL_FLOAT, {2}).Data(gamma.data()).Build();
    const auto r = TensorBuilder(ACL_FLOAT, {2, 1}).Data(rstd.data()).Build();
    testing::RunPhases(aclnnAddRmsNormGetWorkspaceSize, aclnnAddRmsNorm, a.get(), b.get(), g.get(), 0.0, y.get(),
                       r.get(), x.get());
    // Before transposing, the rows are 3 4 and 0 5; transposed, 3 0 and 4 5.
    const std::vector<float> got = out.ToHost();
    const double expected[2][4] = {{3 / std::sqrt(12.5), 8 / std::sqrt(12.5), 0, 10 / std::sqrt(12.5)},
                                   {3 / std::sqrt(4.5), 4 / std::sqrt(20.5), 0, 10 / std::sqrt(20.5)}};
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(got[static_cast<size_t>(i)], expected[transposed][i], 1e-6) << i;
  }
}

TEST_F(RmsNormStatus, WantsGammaAndRstdThatFitX) {
  calls::Call call = calls::MakeLargeCall(Operators()[0], 4096, ACL_FLOAT16);
  EXPECT_EQ(StatusOf(call), 0);
  ++call.tensor("gamma").shape.back();
  EXPECT_EQ(StatusOf(call), 161002);
  --call.tensor("gamma").shape.back();
  call.tensor("gamma").dtype = ACL_BF16;
  EXPECT_EQ(StatusOf(call), 161002);
  call.tensor("gamma").dtype = ACL_FLOAT;
  call.tensor("rstdOut").shape.push_back(2);
  EXPECT_EQ(StatusOf(call), 161002);
}

}  // namespace
}  // namespace portacl::ops::rms_norm
