// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, worked examples, and typical calls of clients.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "calls/views.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

OP_CONTRACT_TESTS(RotaryPositionEmbedding, rotary_position_embedding, 0);

namespace portacl::ops::rotary_position_embedding {
namespace {

using Values = std::vector<double>;
using calls::Dims;
using testing::ExpectRight;
using testing::StatusOf;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

void ExpectRotation(double mode, const Values& cos, const Values& sin, const Values& y) {
  testing::ExpectExample(Operators()[0],
                         {{"x", {ACL_FLOAT, {1, 1, 1, 4}, {1, 2, 3, 4}}},
                          {"cos", {ACL_FLOAT, {1, 1, 1, 4}, cos}},
                          {"sin", {ACL_FLOAT, {1, 1, 1, 4}, sin}},
                          {"yOut", {ACL_FLOAT, {1, 1, 1, 4}, y}}},
                         {{"mode", mode}}, 5e-7);
}

TEST(RotaryPositionEmbedding, GivesTheWorkedExamples) {
  const double c0 = std::cos(0.5), c1 = std::cos(0.25), s0 = std::sin(0.5), s1 = std::sin(0.25);
  const Values cos = {c0, c1, c0, c1}, sin = {s0, s1, s0, s1};
  ExpectRotation(0, cos, sin, {-0.5606941, 0.948209, 3.1121732, 4.3704576});
  ExpectRotation(1, {c0, c0, c1, c1}, {s0, s0, s1, s1}, {-0.0812685153, 2.2345907, 1.9171214, 4.6178616});
  ExpectRotation(2, cos, sin, {-0.0812685153, 2.1852288, 0.7150455, 4.6178616});
  ExpectRotation(3, cos, sin, {-0.0812685153, 1.9171214, 2.2345907, 4.6178616});
}

TEST(RotaryPositionEmbedding, ASinOfZeroStillMeetsInfinities) {
  testing::ExpectExample(Operators()[0],
                         {{"x", {ACL_FLOAT16, {1, 1, 1, 4}, {kInf, 1, 2, kNan}}},
                          {"cos", {ACL_FLOAT16, {1, 1, 1, 4}, {1, 1, 1, 1}}},
                          {"sin", {ACL_FLOAT16, {1, 1, 1, 4}, {0, 0, 0, 0}}},
                          {"yOut", {ACL_FLOAT16, {1, 1, 1, 4}, {kInf, kNan, kNan, kNan}}}},
                         {{"mode", 0}}, 0);
}

class RotaryPositionEmbeddingCall : public testing::DeviceTest {
 protected:
  // Heads of D elements, cos and sin of the tokens.
  static calls::Call Call(aclDataType dtype, int64_t mode, const Dims& x, const Dims& cos) {
    calls::Call call = calls::MakeLargeCall(Operators()[0], 64, dtype);
    for (const char* const name : {"x", "yOut"}) call.tensor(name).shape = x;
    for (const char* const name : {"cos", "sin"}) call.tensor(name).shape = cos;
    call.argument("mode").integer = mode;
    return call;
  }
};

TEST_F(RotaryPositionEmbeddingCall, RotatesHeadsOfEverySize) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const int64_t mode : {0, 1, 2, 3}) {
      for (const int64_t columns : {4, 12, 20, 36, 64, 100, 128, 256, 896, 1024}) {
        calls::Call call = Call(dtype, mode, {2, 3, 5, columns}, {1, 3, 1, columns});
        ExpectRight(call);
      }
    }
  }
}

TEST_F(RotaryPositionEmbeddingCall, TakesHeadsBeforeTokensAndPartsOfRows) {
  for (const int64_t mode : {0, 1, 2, 3}) {
    calls::Call call = Call(ACL_FLOAT, mode, {2, 5, 3, 64}, {2, 5, 3, 64});
    call.tensor("x").strides = Dims{5 * 3 * 96, 96, 5 * 96, 1};  // heads and tokens transposed, 64 of 96 columns
    call.tensor("cos").strides = Dims{0, 64, 0, 1};
    call.tensor("sin").strides = Dims{0, 64, 0, 1};
    call.tensor("yOut").strides = Dims{5 * 3 * 96, 96, 5 * 96, 1};
    ExpectRight(call);
  }
}

TEST_F(RotaryPositionEmbeddingCall, WorksInPlace) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const int64_t mode : {0, 1, 2, 3}) {
      calls::Call call = Call(dtype, mode, {1, 7, 4, 72}, {1, 7, 1, 72});
      call.AllocateData();
      call.tensor("yOut").data = call.tensor("x").data;
      calls::Random random(1);
      calls::DrawContents(call, random, 0);
      testing::ExpectConformance(call);
    }
  }
}

TEST_F(RotaryPositionEmbeddingCall, RefusesModesAndSizesOfNone) {
  const auto status = [](int64_t mode, const Dims& x, const Dims& cos) {
    return StatusOf(Call(ACL_FLOAT, mode, x, cos));
  };
  EXPECT_EQ(status(0, {2, 3, 4, 6}, {2, 3, 4, 6}), 0);
  EXPECT_EQ(status(0, {2, 3, 4, 6}, {1, 1, 1, 6}), 0);
  EXPECT_EQ(status(4, {2, 3, 4, 8}, {2, 3, 4, 8}), 161002);
  EXPECT_EQ(status(-1, {2, 3, 4, 8}, {2, 3, 4, 8}), 161002);
  EXPECT_EQ(status(0, {2, 3, 4, 7}, {2, 3, 4, 7}), 161002) << "odd";
  EXPECT_EQ(status(2, {2, 3, 4, 6}, {2, 3, 4, 6}), 161002) << "no quarters";
  EXPECT_EQ(status(2, {2, 3, 4, 8}, {2, 3, 4, 8}), 0);
  EXPECT_EQ(status(0, {1, 1, 1, 1024}, {1, 1, 1, 1024}), 0);
  EXPECT_EQ(status(0, {1, 1, 1, 1026}, {1, 1, 1, 1026}), 161002);
  EXPECT_EQ(status(0, {2, 3, 4, 8}, {2, 3, 4, 4}), 161002) << "the last axis is not broadcast";
  EXPECT_EQ(status(0, {2, 3, 4, 8}, {2, 3, 4, 1}), 161002);
  EXPECT_EQ(status(0, {2, 3, 4, 8}, {2, 2, 4, 8}), 161002);
  EXPECT_EQ(status(0, {0, 3, 4, 8}, {1, 3, 4, 8}), 0) << "empty";
  calls::Call call = Call(ACL_FLOAT, 0, {2, 3, 4, 8}, {1, 3, 1, 8});
  call.tensor("sin").shape = {2, 3, 1, 8};
  EXPECT_EQ(StatusOf(call), 161002) << "cos and sin differ";
}

}  // namespace
}  // namespace portacl::ops::rotary_position_embedding
