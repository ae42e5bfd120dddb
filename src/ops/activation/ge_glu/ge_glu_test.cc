// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, worked examples, and difficult values.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "exec/bind.h"
#include "ops/activation/ge_glu/ge_glu_oracle.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(GeGlu, ge_glu);

namespace portacl::ops::ge_glu {
namespace {

using testing::Example;
using Values = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const exec::OperatorEntry& GeGlu() { return Operators()[0]; }
const exec::OperatorEntry& GeGluV3() { return Operators()[1]; }
const exec::OperatorEntry& GeGluV3Backward() { return Operators()[3]; }

Example Floats(const Values& values) { return {ACL_FLOAT, {static_cast<int64_t>(values.size())}, values}; }

TEST(GeGlu, GivesTheWorkedExamples) {
  const Example self = Floats({1, -1, 2, 3});
  testing::ExpectExample(
      GeGluV3(),
      {{"self", self}, {"out", Floats({1.6826895, -0.4759658})}, {"outGelu", Floats({0.84134475, -0.15865525})}},
      {{"dim", 0}, {"approximate", 0}, {"activateLeft", 1}}, 5e-7);
  testing::ExpectExample(
      GeGluV3(), {{"self", self}, {"out", Floats({1.682384, -0.476424})}, {"outGelu", Floats({0.841192, -0.158808})}},
      {{"dim", 0}, {"approximate", 1}, {"activateLeft", 1}}, 1e-6);
  testing::ExpectExample(
      GeGluV3(),
      {{"self", self}, {"out", Floats({1.9544997, -2.9959503})}, {"outGelu", Floats({1.9544997, 2.9959503})}},
      {{"dim", 0}, {"approximate", 0}, {"activateLeft", 0}}, 5e-7);
}

TEST(GeGlu, ActivatesTheSecondHalf) {
  testing::ExpectExample(GeGlu(),
                         {{"self", Floats({1, -1, 2, 3})},
                          {"out", Floats({1.9544997, -2.9959503})},
                          {"outGelu", Floats({1.9544997, 2.9959503})}},
                         {{"dim", -1}, {"approximate", 0}}, 5e-7);
}

TEST(GeGlu, GivesZeroOfMinusInfinity) {
  testing::ExpectExample(GeGlu(),
                         {{"self", Floats({2, 2, 2, kInf, -kInf, kInf, kNan, -kInf})},
                          {"out", Floats({0, kInf, kNan, kNan})},
                          {"outGelu", Floats({0, kInf, kNan, 0})}},
                         {{"dim", 0}, {"approximate", 0}}, 0);
}

TEST(GeGluBackward, TakesGeluAsGiven) {
  for (const bool is_left : {false, true}) {
    const Values activated = {0.75 * 2 * 1.0833155, 0.75 * 3 * -0.0833155};
    const Values other = {7, 8};
    Values gradient = is_left ? activated : other;
    const Values& second = is_left ? other : activated;
    gradient.insert(gradient.end(), second.begin(), second.end());
    const Example self = is_left ? Floats({1, -1, 2, 3}) : Floats({2, 3, 1, -1});
    testing::ExpectExample(GeGluV3Backward(),
                           {{"gradOutput", Floats({0.75, 0.75})},
                            {"self", self},
                            {"gelu", Floats({7 / 0.75, 8 / 0.75})},
                            {"gradInput", Floats(gradient)}},
                           {{"dim", 0}, {"approximate", 0}, {"activateLeft", is_left ? 1.0 : 0.0}}, 1e-6);
  }
}

// A test of the oracle itself.
TEST(GeGluBackward, IsTheDerivativeOfGelu) {
  for (const bool is_tanh : {false, true}) {
    for (LongDouble x = -6; x <= 6; x += 0.37L) {
      const LongDouble step = 1e-6L;
      const LongDouble slope = (GeluReference(x + step, is_tanh) - GeluReference(x - step, is_tanh)) / (2 * step);
      EXPECT_NEAR(static_cast<double>(GeluSlopeReference(x, is_tanh)), static_cast<double>(slope), 1e-9);
    }
  }
}

TEST(GeGlu, StaysWithinItsUlpsForEveryActivatedElement) {
  for (const double approximate : {0, 1}) {
    Values self, grad;
    const auto add = [&](double x) { self.push_back(double{static_cast<float>(x)}); };
    for (double x = -15; x < 15; x += 0.00137) add(x);
    for (double x = 1e-30; x < 1; x *= 1.7) add(x), add(-x);
    for (double x = -0.7517915; x < -0.7517890; x += 1e-9) add(x);  // the slope is zero there
    const size_t n = self.size();
    for (size_t i = 0; i < n; ++i) self.push_back(1 + 0.9 * std::sin(static_cast<double>(i)));
    for (size_t i = 0; i < n; ++i) grad.push_back(double{static_cast<float>(std::cos(static_cast<double>(i)))});
    for (double& x : self) x = double{static_cast<float>(x)};
    testing::ExpectRight(GeGluV3(), ACL_FLOAT, {{"self", self}},
                         {{"dim", 0}, {"approximate", approximate}, {"activateLeft", 1}});
    testing::ExpectRight(GeGluV3Backward(), ACL_FLOAT, {{"self", self}, {"gradOutput", grad}, {"gelu", grad}},
                         {{"dim", 0}, {"approximate", approximate}, {"activateLeft", 1}});
  }
}

class GeGluStatus : public testing::DeviceTest {};

TEST_F(GeGluStatus, RefusesOddHalvesAndOtherForms) {
  const auto status = [](const exec::OperatorEntry& entry, const calls::Dims& self, int64_t dim, int64_t approximate,
                         const calls::Dims& half) {
    calls::Call call = calls::MakeValidCall(entry);
    for (const char* const name : {"self", "gradInput"}) {
      if (call.schema().Find(name) >= 0) call.tensor(name).shape = self;
    }
    for (const char* const name : {"out", "outGelu", "gradOutput", "gelu"}) {
      if (call.schema().Find(name) >= 0) call.tensor(name).shape = half;
    }
    call.argument("dim").integer = dim;
    call.argument("approximate").integer = approximate;
    return testing::StatusOf(call);
  };
  for (const exec::OperatorEntry& entry : Operators()) {
    EXPECT_EQ(status(entry, {4, 6}, 1, 0, {4, 3}), 0);
    EXPECT_EQ(status(entry, {4, 6}, -2, 1, {2, 6}), 0);
    EXPECT_EQ(status(entry, {4, 6}, 1, 2, {4, 3}), 161002);
    EXPECT_EQ(status(entry, {4, 6}, 1, -1, {4, 3}), 161002);
    EXPECT_EQ(status(entry, {4, 6}, 2, 0, {4, 3}), 161002);
    EXPECT_EQ(status(entry, {4, 5}, 1, 0, {4, 2}), 161002) << "odd";
    EXPECT_EQ(status(entry, {}, 0, 0, {}), 161002) << "rank 0";
    EXPECT_EQ(status(entry, {0, 6}, 1, 0, {0, 3}), 0) << "empty";
  }
}

}  // namespace
}  // namespace portacl::ops::ge_glu
