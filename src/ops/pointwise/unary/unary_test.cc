// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_exp2.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_tan.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Unary, unary);

namespace portacl::ops::unary {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void ExpectRounded(aclDataType dtype, double decimals, const std::vector<double>& self,
                   const std::vector<double>& out) {
  const auto count = std::ssize(self);
  testing::ExpectExample(testing::FindRow(Operators(), "aclnnRoundDecimals"),
                         {{"self", {dtype, {count}, self}}, {"out", {dtype, {count}, out}}}, {{"decimals", decimals}},
                         0);
}

TEST(Unary, RoundsToDecimals) {
  ExpectRounded(ACL_FLOAT, 2, {1.234F, -1.235F, 0.125F}, {1.23F, -1.24F, 0.12F});
  ExpectRounded(ACL_FLOAT, -2, {1250, 1350, 49}, {1200, 1400, 0});
  ExpectRounded(ACL_DOUBLE, 0, {2.5, -3.5}, {2, -4});
  ExpectRounded(ACL_INT64, -2, {1250, 1350, -49}, {1200, 1400, 0});
  ExpectRounded(ACL_INT64, 3, {1250, -1}, {1250, -1});
}

void ExpectComplex(std::string_view api, const std::vector<double>& in, const std::vector<double>& want) {
  const auto count = std::ssize(in) / 2;
  const exec::OperatorEntry& entry = testing::FindRow(Operators(), api);
  for (const aclDataType dtype : {ACL_COMPLEX64, ACL_COMPLEX128}) {
    const double relative = dtype == ACL_COMPLEX64 ? 1e-7 : 1e-15;
    testing::ExpectExample(
        entry,
        {{entry.schema->args[0].name, {dtype, {count}, in}}, {entry.schema->args[1].name, {dtype, {count}, want}}}, {},
        relative);
  }
}

// Zeros, infinities and NaN as in annex G of C99.
TEST(Unary, HasComplexNumbers) {
  ExpectComplex("aclnnNeg", {1, -2, kInf, kNan}, {-1, 2, -kInf, kNan});
  ExpectComplex("aclnnSign", {3, -4, 0, 0}, {0.6, -0.8, 0, 0});
  ExpectComplex("aclnnSqrt", {-1, 0, -1, -0.0, 3, 4, kNan, kInf, -kInf, 1}, {0, 1, 0, -1, 2, 1, kInf, kInf, 0, kInf});
  ExpectComplex("aclnnExp", {0, 1, kInf, 0, -kInf, kNan, 0, kInf},
                {0.54030230586813971740, 0.84147098480789650665, kInf, 0, 0, 0, kNan, kNan});
  ExpectComplex("aclnnLog", {-1, 0, 0, 0, kInf, kNan, 0, 2},
                {0, 3.14159265358979323846, -kInf, 0, kInf, kNan, 0.69314718055994530942, 1.57079632679489661923});
  ExpectComplex("aclnnSin", {0, 1, 1, 0, 0, kInf}, {0, 1.17520119364380145688, 0.84147098480789650665, 0, 0, kInf});
  ExpectComplex("aclnnCos", {0, 1, 1, 0, 0, kInf}, {1.54308063481524377848, 0, 0.54030230586813971740, 0, kInf, 0});
  ExpectComplex("aclnnTan", {0, 1, 1, 0, 0, kInf}, {0, 0.76159415595576488812, 1.55740772465490223051, 0, 0, 1});
  ExpectComplex("aclnnSinh", {0, 1, 1, 0, kInf, 0}, {0, 0.84147098480789650665, 1.17520119364380145688, 0, kInf, 0});
  ExpectComplex("aclnnCosh", {0, 1, 1, 0, kInf, 0}, {0.54030230586813971740, 0, 1.54308063481524377848, 0, kInf, 0});
  ExpectComplex("aclnnAsinh", {0, 1, 1, 0, kInf, 0}, {0, 1.57079632679489661923, 0.88137358701954302523, 0, kInf, 0});
  ExpectComplex("aclnnLog2", {-1, 0, 0, 0, 0, 2}, {0, 4.53236014182719380963, -kInf, 0, 1, 2.26618007091359690481});
  ExpectComplex("aclnnLog10", {-1, 0, 0, 0, 0, 10}, {0, 1.36437635384184134749, -kInf, 0, 1, 0.68218817692092067374});
  ExpectComplex("aclnnReciprocal", {3, -4, kInf, kNan, 0, 2}, {0.12, 0.16, 0, 0, 0, -0.5});
}

void ExpectOf(std::string_view api, aclDataType dtype, const std::vector<double>& self, const std::vector<double>& out,
              double relative = 1e-15) {
  const auto count = std::ssize(self);
  testing::ExpectExample(testing::FindRow(Operators(), api),
                         {{"self", {dtype, {count}, self}}, {"out", {dtype, {count}, out}}}, {}, relative);
}

TEST(Unary, TheFloorOfAnIntegerIsItself) {
  for (const aclDataType dtype : {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64})
    ExpectOf("aclnnFloor", dtype, {-128, -1, 0, 127}, {-128, -1, 0, 127});
  ExpectOf("aclnnFloor", ACL_UINT8, {0, 128, 255}, {0, 128, 255});
}

TEST(Unary, InvertsBits) {
  for (const aclDataType dtype : {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64})
    ExpectOf("aclnnBitwiseNot", dtype, {-128, -1, 0, 127}, {127, 0, -1, -128});
  ExpectOf("aclnnBitwiseNot", ACL_UINT8, {0, 128, 255}, {255, 127, 0});
  ExpectOf("aclnnBitwiseNot", ACL_UINT32, {0, 1}, {4294967295, 4294967294});
  ExpectOf("aclnnBitwiseNot", ACL_BOOL, {0, 1, 255}, {1, 0, 0});
}

// Also where pi times self is so large that it has no fraction bits.
TEST(Unary, HasTheSincOfDouble) {
  ExpectOf("aclnnSinc", ACL_DOUBLE, {0, 0.5, -1.5, 3, 0x1p51 + 0.5, 1e-300, kInf},
           {1, 0.63661977236758134308, -0.21220659078919378103, 0, 1.4135798584282297e-16, 1, kNan});
}

TEST(Unary, HasTheErrorFunction) {
  ExpectOf("aclnnErf", ACL_FLOAT, {-3, -1, -0.5, -0.0, 0.5, 1, 3, kInf, -kInf, kNan},
           {-0.9999779, -0.8427008, -0.5204999, -0.0, 0.5204999, 0.8427008, 0.9999779, 1, -1, kNan}, 5e-7);
  ExpectOf("aclnnErfc", ACL_FLOAT, {-1, 0.0, 0.5, 1, 3, 9, 11, kInf, -kInf, kNan},
           {1.8427008, 1, 0.47950012, 0.15729921, 2.2090497e-05, 4.1370317e-37, 0, 0, 2, kNan}, 5e-7);
}

TEST(Unary, HasTheReciprocalSquareRoot) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE})
    ExpectOf("aclnnRsqrt", dtype, {4, 0.25, 0.0, -0.0, -1, kInf, kNan}, {0.5, 2, kInf, -kInf, kNan, 0, kNan});
}

// More elements than fit in the caches, as tests configure them, and a last register that is not full. In-place results
// have the same bits as others, for lanes of the dtype itself and for lanes with converted operands.
template <class T, class PhaseOne, class PhaseTwo, class PhaseOneInPlace, class PhaseTwoInPlace>
void ExpectSameInPlace(aclDataType dtype, PhaseOne phase_one, PhaseTwo phase_two, PhaseOneInPlace phase_one_in_place,
                       PhaseTwoInPlace phase_two_in_place) {
  constexpr int64_t kCount = 700'005;
  std::vector<T> in;
  for (int64_t i = 0; i < kCount; ++i) in.push_back(static_cast<T>(i * 7919));
  const testing::DeviceArray<T> self(in), out(kCount);
  const auto tensor = [&](const testing::DeviceArray<T>& of) {
    return calls::TensorBuilder(dtype, {kCount}).Data(of.data()).Build();
  };
  testing::RunPhases(phase_one, phase_two, tensor(self).get(), tensor(out).get());
  testing::RunPhases(phase_one_in_place, phase_two_in_place, tensor(self).get());
  EXPECT_TRUE(self.ToHost() == out.ToHost());
  EXPECT_FALSE(self.ToHost() == in);
}

TEST(Unary, WritesOverLargeOperands) {
  testing::ForEachTarget([] {
    ExpectSameInPlace<uint32_t>(ACL_FLOAT, aclnnTanGetWorkspaceSize, aclnnTan, aclnnInplaceTanGetWorkspaceSize,
                                aclnnInplaceTan);
    ExpectSameInPlace<uint16_t>(ACL_BF16, aclnnTanGetWorkspaceSize, aclnnTan, aclnnInplaceTanGetWorkspaceSize,
                                aclnnInplaceTan);
    ExpectSameInPlace<uint16_t>(ACL_BF16, aclnnLogGetWorkspaceSize, aclnnLog, aclnnInplaceLogGetWorkspaceSize,
                                aclnnInplaceLog);
  });
}

// Registers of ordinary numbers take shorter forms, which have the same bits as the others.
template <class PhaseOne, class PhaseTwo>
void ExpectSameBesideOthers(float limit, PhaseOne phase_one, PhaseTwo phase_two) {
  constexpr int64_t kCount = 5001, kStep = 7;
  const auto results = [&](const std::vector<float>& in) {
    const testing::DeviceArray<float> self(in), out(kCount);
    const auto tensor = [&](const testing::DeviceArray<float>& of) {
      return calls::TensorBuilder(ACL_FLOAT, {kCount}).Data(of.data()).Build();
    };
    testing::RunPhases(phase_one, phase_two, tensor(self).get(), tensor(out).get());
    return out.ToHost();
  };
  std::vector<float> in;
  for (int64_t i = 0; i < kCount; ++i) in.push_back((static_cast<float>(i) / 2500 - 1) * limit);
  const std::vector<float> want = results(in);
  for (size_t i = 0; i < kCount; i += kStep) in[i] = -1e4F;
  const std::vector<float> got = results(in);
  for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(got[i], i % kStep == 0 ? 0 : want[i]) << in[i];
}

TEST(Unary, HasTheSameBitsBesideOtherNumbers) {
  testing::ForEachTarget([] {
    ExpectSameBesideOthers(87, aclnnExpGetWorkspaceSize, aclnnExp);
    ExpectSameBesideOthers(126, aclnnExp2GetWorkspaceSize, aclnnExp2);
  });
}

TEST(Unary, TheModulusIsReal) {
  testing::ExpectExample(Operators()[0],
                         {{"self", {ACL_COMPLEX64, {4}, {3, -4, kInf, kNan, kNan, 1, 3e38, 3e38}}},
                          {"out", {ACL_FLOAT, {4}, {5, kInf, kNan, kInf}}}},
                         {}, 0);
}

}  // namespace
}  // namespace portacl::ops::unary
