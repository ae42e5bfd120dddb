// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and worked examples.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_pow.h"
#include "calls/call.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/cost.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Power, power);

namespace portacl::ops::power {
namespace {

using testing::Example;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const exec::OperatorEntry& Find(std::string_view api) { return testing::FindRow(Operators(), api); }

void ExpectCall(std::string_view api, const std::map<std::string, Example>& tensors,
                const std::map<std::string, double>& scalars = {}) {
  testing::ExpectExample(Find(api), tensors, scalars, 0);
}

TEST(Power, GivesTheDocumentedResults) {
  ExpectCall("aclnnPowScalarTensor",
             {{"exponent", {ACL_FLOAT, {3}, {1, 2, 3}}}, {"out", {ACL_FLOAT16, {3}, {0.70703125, 0.5, 0.353515625}}}},
             {{"self", std::sqrt(0.5F)}});
  ExpectCall("aclnnPowTensorScalar",
             {{"self", {ACL_FLOAT, {4}, {-3, -0.0, kInf, kNan}}}, {"out", {ACL_FLOAT, {4}, {9, 0, kInf, kNan}}}},
             {{"exponent", 2}});
  ExpectCall("aclnnPowTensorScalar", {{"self", {ACL_FLOAT, {2}, {0, kNan}}}, {"out", {ACL_FLOAT, {2}, {1, 1}}}},
             {{"exponent", 0}});
}

// Every second register takes another code path.
TEST(Power, TakesRootsOfZerosAndInfinitiesInAllRegisters) {
  std::vector<double> self, out;
  for (int i = 0; i < 67; ++i) {
    const double cases[][2] = {{-kInf, kNan}, {kInf, kInf}, {4, 2}, {-4, kNan}, {0x1p-149, 0x1.6a09e6p-75}};
    self.push_back(cases[i % 5][0]);
    out.push_back(cases[i % 5][1]);
  }
  ExpectCall("aclnnPowTensorScalar", {{"self", {ACL_FLOAT, {67}, self}}, {"out", {ACL_FLOAT, {67}, out}}},
             {{"exponent", 0.5}});
}

// As in PyTorch; a power would give 0 and infinity.
TEST(Power, TheSquareRootKeepsTheSignOfZero) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    constexpr int64_t kCount = 37;
    const size_t bytes = calls::ElementBytes(dtype);
    const std::vector<double> zeros(kCount, -0.0);
    const testing::DeviceArray<std::byte> self(calls::Encode(dtype, zeros)), out(kCount * bytes);
    float half = 0.5F;
    aclScalar* const exponent = aclCreateScalar(&half, ACL_FLOAT);
    testing::ForEachTarget([&] {
      testing::RunPhases(aclnnPowTensorScalarGetWorkspaceSize, aclnnPowTensorScalar,
                         calls::TensorBuilder(dtype, {kCount}).Data(self.data()).Build().get(), exponent,
                         calls::TensorBuilder(dtype, {kCount}).Data(out.data()).Build().get());
      EXPECT_EQ(out.ToHost(), calls::Encode(dtype, zeros)) << dtype;
    });
    EXPECT_EQ(aclDestroyScalar(exponent), 0);
    const std::vector<double> infinities(kCount, -kInf), none(kCount, kNan);
    ExpectCall("aclnnPowTensorScalar", {{"self", {dtype, {kCount}, infinities}}, {"out", {dtype, {kCount}, none}}},
               {{"exponent", 0.5}});
  }
}

TEST(Power, CountsIntegersModuloTheirRange) {
  ExpectCall("aclnnPowTensorTensor", {{"self", {ACL_INT32, {6}, {1, -1, -1, 0, 5, 0}}},
                                      {"exponent", {ACL_INT32, {6}, {-3, -3, -2, -1, -1, 0}}},
                                      {"out", {ACL_INT32, {6}, {1, -1, 1, 0, 0, 1}}}});
  ExpectCall("aclnnPowTensorTensor", {{"self", {ACL_INT8, {3}, {3, -128, 2}}},
                                      {"exponent", {ACL_INT8, {3}, {5, 1, 8}}},
                                      {"out", {ACL_INT8, {3}, {-13, -128, 0}}}});
}

TEST(Power, HasComplexNumbers) {
  const auto expect = [](const std::vector<double>& self, const std::vector<double>& exponent,
                         const std::vector<double>& out) {
    const auto count = std::ssize(self) / 2;
    for (const aclDataType dtype : {ACL_COMPLEX64, ACL_COMPLEX128}) {
      testing::ExpectExample(
          Find("aclnnPowTensorTensor"),
          {{"self", {dtype, {count}, self}}, {"exponent", {dtype, {count}, exponent}}, {"out", {dtype, {count}, out}}},
          {}, dtype == ACL_COMPLEX64 ? 1e-7 : 1e-15);
    }
  };
  expect({0, 0, 0, 0, 0, 0, 5, 7, kNan, 1}, {0, 0, 2, 1, -1, 0, 0, 0, 0, 0}, {1, 0, 0, 0, kNan, kNan, 1, 0, 1, 0});
  expect({0, 1}, {0, 1}, {0.20787957635076190855, 0});
  expect({1, 1}, {0, 1}, {0.42882900629436784932, 0.15487175246424677819});
}

// The definition of powers would give rounding errors here.
TEST(Power, TakesComplexSquaresAndRoots) {
  const auto expect = [](double exponent, const std::vector<double>& self, const std::vector<double>& out) {
    const auto count = std::ssize(self) / 2;
    for (const aclDataType dtype : {ACL_COMPLEX64, ACL_COMPLEX128})
      ExpectCall("aclnnPowTensorScalar", {{"self", {dtype, {count}, self}}, {"out", {dtype, {count}, out}}},
                 {{"exponent", exponent}});
  };
  expect(2, {1, 2, 0, 0, kInf, 0}, {-3, 4, 0, 0, kInf, kNan});
  expect(0.5, {-4, 0, -4, -0.0, 3, 4}, {0, 2, 0, -2, 2, 1});
}

aclnnStatus PlanWithExponent(std::string_view api, aclDataType self, aclDataType exponent, double value) {
  calls::Call call = calls::MakeValidCall(Find(api));
  for (calls::TensorSpec* tensor : call.Tensors()) tensor->dtype = self;
  call.argument("exponent").number = exponent;
  call.argument("exponent").real = value;
  call.AllocateData();
  return testing::StatusOf(call);
}

TEST(Power, RefusesAnExponentBelowZeroForIntegers) {
  for (const char* api : {"aclnnPowTensorScalar", "aclnnInplacePowTensorScalar"}) {
    SCOPED_TRACE(api);
    EXPECT_EQ(PlanWithExponent(api, ACL_INT32, ACL_INT64, -1), exec::kInvalid);
    EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'exponent'"), std::string_view::npos);
    EXPECT_EQ(PlanWithExponent(api, ACL_INT32, ACL_INT64, 0), exec::kSuccess);
    EXPECT_EQ(PlanWithExponent(api, ACL_INT32, ACL_FLOAT, -1), exec::kSuccess) << "it is computed in FLOAT";
    EXPECT_EQ(PlanWithExponent(api, ACL_FLOAT, ACL_INT64, -1), exec::kSuccess);
  }
}

// Measured on a Xeon with AVX-512, 2026-11-26.
TEST(Power, EstimatesWhatItTakes) {
  calls::Call call = calls::MakeValidCall(Find("aclnnPowTensorScalar"));
  for (calls::TensorSpec* tensor : call.Tensors()) tensor->shape = {24'576};
  call.argument("exponent").real = 3;
  testing::ExpectEstimate(call, 6'300);
}

}  // namespace
}  // namespace portacl::ops::power
