// SPDX-License-Identifier: Apache-2.0
//
// aclnnLogit and aclnnLogitGrad: the promises that follow from schemas and oracle, documented results and statuses, and
// values that are difficult for the kernels.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "base/soc.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"

OP_CONTRACT_TESTS(Logit, logit, 0);
OP_CONTRACT_TESTS(LogitGrad, logit, 1);

namespace portacl::ops::logit {
namespace {

using calls::TensorBuilder;
using calls::TensorHandle;
using testing::ForEachTarget;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Logit : public testing::DeviceTest {};
class LogitGrad : public testing::DeviceTest {};

aclnnStatus LogitPhase1(const aclTensor* input, const aclTensor* out, double eps = -1) {
  return testing::PhaseOne(aclnnLogitGetWorkspaceSize, input, eps, out);
}

aclnnStatus LogitGradPhase1(const aclTensor* x, const aclTensor* dy, const aclTensor* out, double eps = -1) {
  return testing::PhaseOne(aclnnLogitGradGetWorkspaceSize, x, dy, eps, out);
}

std::vector<double> LogitValues(aclDataType dtype, const std::vector<double>& input, double eps) {
  const testing::DeviceArray<std::byte> in(calls::Encode(dtype, input)), out(in.size());
  TensorBuilder builder(dtype, {std::ssize(input)});
  testing::RunPhases(aclnnLogitGetWorkspaceSize, aclnnLogit, builder.Data(in.data()).Build().get(), eps,
                     builder.Data(out.data()).Build().get());
  return calls::Decode(dtype, out.ToHost());
}

// The documents print seven digits; 16-bit results are exact.
double Printed(aclDataType dtype) { return dtype == ACL_FLOAT ? 5e-7 : 0; }

TEST_F(Logit, GivesTheDocumentedResults) {
  const std::vector<double> row = {kNan, -kInf, -0.5, 0, 1e-30f, 0.1f, 0.25, 0.5, 0.75, 1, 1.5, kInf};
  const std::vector<double> nan_for_all(row.size(), kNan);
  const double third = std::log(3);  // -logit(0.25)
  const double low = -13.81551;      // logit of 1e-6
  const double high = 13.80232;      // logit of the float32 0.999999, hence the asymmetry
  const double sixty = 0.4054652;    // logit(0.6)
  const std::vector<double> unlimited = {kNan,   kNan, kNan,  -kInf, -69.07755, -2.197225,
                                         -third, 0,    third, kInf,  kNan,      kNan};
  const auto expect = [](const char* name, aclDataType dtype, double eps, const std::vector<double>& input,
                         const std::vector<double>& out) {
    SCOPED_TRACE(name);
    const int64_t count = std::ssize(input);
    testing::ExpectExample(Operators()[0], {{"input", {dtype, {count}, input}}, {"out", {dtype, {count}, out}}},
                           {{"eps", eps}}, Printed(dtype));
  };
  expect("no limits", ACL_FLOAT, -1, row, unlimited);
  expect("eps = 0", ACL_FLOAT, 0, row,
         {kNan, -kInf, -kInf, -kInf, -69.07755, -2.197225, -third, 0, third, kInf, kInf, kInf});
  expect("eps = 1e-6", ACL_FLOAT, 1e-6, row, {kNan, low, low, low, low, -2.197225, -third, 0, third, high, high, high});
  expect("eps = 0.25", ACL_FLOAT, 0.25, row,
         {kNan, -third, -third, -third, -third, -third, -third, 0, third, third, third, third});
  expect("crossed limits, the lower is tested first", ACL_FLOAT, 0.6, row,
         {kNan, sixty, sixty, sixty, sixty, sixty, sixty, sixty, -sixty, -sixty, -sixty, -sixty});
  expect("eps = 0.5 leaves one value", ACL_FLOAT, 0.5, {0, 0.4f, 0.5, 0.6f, 1, kNan}, {0, 0, 0, 0, 0, kNan});
  expect("eps = 1", ACL_FLOAT, 1, row, {kNan, kInf, kInf, kInf, kInf, kInf, kInf, kInf, kInf, -kInf, -kInf, -kInf});
  expect("eps > 1", ACL_FLOAT, 1.5, row, nan_for_all);
  expect("eps = Inf", ACL_FLOAT, kInf, row, nan_for_all);
  expect("eps is NaN", ACL_FLOAT, kNan, row, unlimited);
  expect("eps = -Inf", ACL_FLOAT, -kInf, row, unlimited);
  expect("x = -0", ACL_FLOAT, -1, {-0.0}, {-kInf});
  expect("x = -0, eps = 0", ACL_FLOAT, 0, {-0.0}, {-kInf});
  expect("subnormals", ACL_FLOAT, -1, {0x1p-149, 0x1p-127}, {-103.2789, -88.02969});
  expect("a subnormal eps", ACL_FLOAT, 0x1p-149, {-1, 0, 2}, {-103.2789, -103.2789, kInf});
  // Up to 2^-25 the upper limit rounds to 1, and no input below 1 exceeds it.
  expect("eps of half an ULP of 1", ACL_FLOAT, 0x1p-25, {0, 1 - 0x1p-24, 1, 2}, {-17.32868, 16.63553, kInf, kInf});
  expect("eps of twice that", ACL_FLOAT, 0x1p-24, {0, 1, 2}, {-16.63553, 16.63553, 16.63553});
  expect("a negative eps that rounds to -0", ACL_FLOAT, -1e-300, {0, -0.5, 1, 2}, {-kInf, -kInf, kInf, kInf});
  expect("an eps that rounds to Inf", ACL_FLOAT, 1e39, {0.5}, {kNan});
  expect("an eps that rounds to 1", ACL_FLOAT, 1 + 1e-9, {0.5, 1}, {kInf, -kInf});
  expect("an eps just above 1", ACL_FLOAT, 1 + 1e-6, {0.5, 1}, {kNan, kNan});
  expect("an eps just below 1", ACL_FLOAT, 1 - 0x1p-24, {0.5, 1}, {16.63553, -16.63553});
  expect("FLOAT16", ACL_FLOAT16, -1, {0.1, 0.2, 0.3, 0.4}, {-2.197265625, -1.38671875, -0.84716796875, -0.40576171875});
  expect("BFLOAT16", ACL_BF16, -1, {0.1, 0.2, 0.3, 0.4}, {-2.203125, -1.3828125, -0.84375, -0.404296875});
}

TEST_F(LogitGrad, GivesTheDocumentedResults) {
  const std::vector<double> special = {kNan, -kInf, kInf, -0.5, -0.0, 0, 1, 0.25, 0.5, 1.5};
  const double mid = 32.0 / 3;  // 2 / (0.25 * 0.75)
  // One element of dy is that of all.
  const auto expect = [](const char* name, aclDataType dtype, double eps, const std::vector<double>& x,
                         std::vector<double> dy, const std::vector<double>& out) {
    SCOPED_TRACE(name);
    dy.resize(x.size(), dy.back());
    const int64_t count = std::ssize(x);
    testing::ExpectExample(Operators()[1],
                           {{"x", {dtype, {count}, x}}, {"dy", {dtype, {count}, dy}}, {"out", {dtype, {count}, out}}},
                           {{"eps", eps}}, Printed(dtype));
  };
  expect("no limits", ACL_FLOAT, -1, {0.1f, 0.2f, 0.3f, 0.4f}, {1, 2, 3, 4}, {11.11111, 12.5, 14.28571, 16.66667});
  expect("special x, eps < 0", ACL_FLOAT, -1, special, {2}, {kNan, kNan, kNan, kNan, kInf, kInf, kInf, mid, 8, kNan});
  expect("special x, eps = 0", ACL_FLOAT, 0, special, {2}, {kNan, 0, 0, 0, kInf, kInf, kInf, mid, 8, 0});
  expect("limits are inclusive", ACL_FLOAT, 0.25, {kNan, -kInf, 0, 0.1f, 0.25, 0.5, 0.75, 0.9f, 1, kInf}, {2},
         {kNan, 0, 0, 0, mid, 8, mid, 0, 0, 0});
  expect("eps = 0.5 leaves one point", ACL_FLOAT, 0.5, {0.4f, 0.5, 0.6f}, {2}, {0, 8, 0});
  expect("crossed limits leave none", ACL_FLOAT, 0.6, {0.3f, 0.5, 0.6f, 0.7f, kNan}, {2}, {0, 0, 0, 0, kNan});
  expect("eps = 1", ACL_FLOAT, 1, {0, 0.5, 1, 2, kNan}, {2}, {kInf, kInf, kInf, kInf, kNan});
  expect("eps = 1, sign of dy", ACL_FLOAT, 1, {0.5, 0.5, 0.5, kInf, -kInf}, {-2, 0, kNan, 2, -2},
         {-kInf, kNan, kNan, kInf, -kInf});
  expect("eps > 1", ACL_FLOAT, 1.5, {0, 0.5, 1, kNan, kInf, -kInf}, {2}, {kNan, kNan, kNan, kNan, kNan, kNan});
  expect("eps = Inf", ACL_FLOAT, kInf, {0, 0.5, 1, kNan, kInf, -kInf}, {2}, {0, 0, 0, kNan, 0, 0});
  expect("eps = Inf, any dy", ACL_FLOAT, kInf, {0.5, 0.5, 0.5}, {kInf, -kInf, kNan}, {0, 0, 0});
  expect("eps is NaN", ACL_FLOAT, kNan, {0, 0.5, 1, kInf, -kInf}, {2}, {kNan, kNan, kNan, kNan, kNan});
  expect("eps = -Inf", ACL_FLOAT, -kInf, {-1, 0, 0.5}, {2}, {kNan, kInf, 8});
  expect("special dy, eps < 0", ACL_FLOAT, -1, {0, 0, 0.5, 0.5, 0.5, 0.1f, 0.1f},
         {0, -2, kInf, -kInf, kNan, kNan, kInf}, {kNan, -kInf, kInf, -kInf, kNan, kNan, kInf});
  expect("special dy outside the limits", ACL_FLOAT, 0.25, {0.1f, 0.1f, 0.5, 0.5}, {kNan, kInf, kNan, kInf},
         {0, 0, kNan, kInf});
  expect("limits are float32", ACL_FLOAT, 1e-6, {1e-6f, 9e-7f, 0.999999f, 0.9999995f}, {1}, {1000001, 0, 986896.1, 0});
  expect("FLOAT16", ACL_FLOAT16, -1, {0.1, 0.2, 0.3, 0.4}, {1, 2, 3, 4}, {11.1171875, 12.5, 14.28125, 16.671875});
  expect("BFLOAT16", ACL_BF16, -1, {0.1, 0.2, 0.3, 0.4}, {1, 2, 3, 4}, {11.125, 12.5, 14.25, 16.625});
  // Between 0 and 2^-25 the upper limit rounds to 1, which then is not outside.
  expect("eps below half an ULP of 1", ACL_FLOAT, std::ldexp(1.0, -25), {1, 0}, {2}, {kInf, 0});
  expect("eps of twice that", ACL_FLOAT, std::ldexp(1.0, -24), {1, 1 - std::ldexp(1.0, -24)}, {1}, {0, 16777217});
  expect("a negative eps that rounds to -0", ACL_FLOAT, -1e-300, {0, -0.5, 1}, {2}, {kInf, 0, kInf});
  expect("an eps that rounds to Inf", ACL_FLOAT, 1e39, {0.5, kNan}, {2}, {0, kNan});
  expect("an eps that rounds to -Inf", ACL_FLOAT, -1e39, {0.5, 2}, {2}, {8, kNan});
  expect("an eps that rounds to 1", ACL_FLOAT, 1 + 1e-9, {0.5}, {2}, {kInf});
  expect("an eps just above 1", ACL_FLOAT, 1 + 1e-6, {0.5}, {2}, {kNan});
  expect("x = -0 with negative dy", ACL_FLOAT, -1, {-0.0}, {-2}, {-kInf});
}

// What the documents say about each operand, in their order.
TEST_F(Logit, AnswersWithTheDocumentedStatus) {
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const TensorHandle h = TensorBuilder(ACL_FLOAT16, {2, 3}).Build();
  const TensorHandle row = TensorBuilder(ACL_FLOAT, {3}).Build();
  const TensorHandle i32 = TensorBuilder(ACL_INT32, {2, 3}).Build();
  const TensorHandle nine = TensorBuilder(ACL_FLOAT, calls::Dims(9, 1)).Build();
  const TensorHandle nz = TensorBuilder(ACL_FLOAT, {16, 16}).Format(ACL_FORMAT_FRACTAL_NZ).Build();
  EXPECT_EQ(LogitPhase1(nullptr, i32.get()), 161001);
  EXPECT_EQ(LogitPhase1(i32.get(), nullptr), 161001);
  EXPECT_EQ(LogitGradPhase1(nullptr, i32.get(), f.get()), 161001);
  EXPECT_EQ(LogitGradPhase1(f.get(), nullptr, i32.get()), 161001);
  EXPECT_EQ(LogitGradPhase1(i32.get(), f.get(), nullptr), 161001);
  for (const aclDataType dtype : {ACL_INT32, ACL_DOUBLE, ACL_BOOL, ACL_COMPLEX64}) {
    const TensorHandle t = TensorBuilder(dtype, {2, 3}).Build();
    EXPECT_EQ(LogitPhase1(t.get(), t.get()), 161002);
    EXPECT_EQ(LogitGradPhase1(t.get(), t.get(), t.get()), 161002);
  }
  for (const TensorHandle* other : {&h, &row, &nine, &nz}) {
    EXPECT_EQ(LogitPhase1(f.get(), other->get()), 161002);
    EXPECT_EQ(LogitPhase1(other->get(), f.get()), 161002);
    EXPECT_EQ(LogitGradPhase1(f.get(), other->get(), f.get()), 161002);
    EXPECT_EQ(LogitGradPhase1(f.get(), f.get(), other->get()), 161002);
  }
  for (const TensorHandle* same : {&nine, &nz}) {
    EXPECT_EQ(LogitPhase1(same->get(), same->get()), 161002);
    EXPECT_EQ(LogitGradPhase1(same->get(), same->get(), same->get()), 161002);
  }
  for (const double eps : {-kInf, -1.0, -0.0, 0.0, 1e-300, 0.5, 1.0, 1e300, kInf, kNan}) {
    EXPECT_EQ(LogitPhase1(f.get(), f.get(), eps), 0) << eps;
    EXPECT_EQ(LogitGradPhase1(f.get(), f.get(), f.get(), eps), 0) << eps;
  }
}

TEST_F(Logit, IsAbsentFromProductsThatLackIt) {
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2}).Build();
  const TensorHandle i32 = TensorBuilder(ACL_INT32, {2}).Build();
  for (const Soc& soc : kSocs) {
    SetCurrentSocForTest(&soc);
    const bool has = soc.family == SocFamily::kAscend910B || soc.family == SocFamily::kAscend910_93 ||
                     soc.family == SocFamily::kAscend950;
    EXPECT_EQ(LogitPhase1(f.get(), f.get()), has ? 0 : 561003) << soc.full_name;
    EXPECT_EQ(LogitPhase1(i32.get(), f.get()), has ? 161002 : 561003) << soc.full_name;
    EXPECT_EQ(LogitPhase1(nullptr, f.get()), 161001) << soc.full_name;
    EXPECT_EQ(LogitGradPhase1(f.get(), f.get(), f.get()), has ? 0 : 561003) << soc.full_name;
    EXPECT_EQ(LogitGradPhase1(i32.get(), f.get(), f.get()), has ? 161002 : 561003) << soc.full_name;
    EXPECT_EQ(LogitGradPhase1(nullptr, f.get(), f.get()), 161001) << soc.full_name;
  }
  SetCurrentSocForTest(nullptr);
}

// Every `step`-th float from `first` to `end`, all of one sign.
std::vector<double> Floats(float first, float end, uint32_t step) {
  std::vector<double> values;
  for (uint32_t bits = std::bit_cast<uint32_t>(first); bits < std::bit_cast<uint32_t>(end); bits += step) {
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

TEST_F(Logit, StaysWithinItsUlpsWhereItIsHardest) {
  const std::vector<double> ranges[] = {Floats(0x1p-126f, 1, 9973),
                                        Floats(0.25f, 1, 97),
                                        Floats(0.5f - 0x1p-11f, 0.5f + 0x1p-11f, 1),  // the result crosses zero
                                        Floats(1 - 0x1p-10f, 1, 1),
                                        Floats(0.41f, 0.4167f, 3),  // the largest errors measured over all floats
                                        Floats(0x1p-149f, 0x1p-126f, 997),
                                        Floats(0x1p-149f, 0x1p-139f, 1)};
  for (const std::vector<double>& input : ranges)
    testing::ExpectRight(Operators()[0], ACL_FLOAT, {{"input", input}}, {{"eps", -1}});
}

TEST_F(LogitGrad, StaysWithinItsUlpsWhereItIsHardest) {
  std::vector<double> x = Floats(0x1p-126f, 1, 9973);
  for (int i = 0; i < 200000; ++i) x.push_back((i + 0.37) / 200000);
  for (const double value : Floats(1 - 0x1.4p-10f, 1, 1)) x.push_back(value);
  std::vector<double> dy;
  for (size_t i = 0; i < x.size(); ++i)
    dy.push_back(std::bit_cast<float>(static_cast<uint32_t>(0x3F800000 + i * 2654435761u % 0x800000)));
  testing::ExpectRight(Operators()[1], ACL_FLOAT, {{"x", x}, {"dy", dy}}, {{"eps", -1}});
}

// A register of ordinary inputs takes another code path than one with a special value.
TEST_F(Logit, NoResultDependsOnTheNeighbours) {
  for (const double eps : {-1.0, 0.01}) {
    ForEachTarget([eps] {
      const std::vector<double> ordinary = Floats(0.011f, 0.989f, 4999);
      std::vector<double> mixed;
      for (const double value : ordinary) mixed.insert(mixed.end(), {value, mixed.size() % 4 == 0 ? 0.0 : kNan});
      const std::vector<double> want = LogitValues(ACL_FLOAT, ordinary, eps);
      const std::vector<double> got = LogitValues(ACL_FLOAT, mixed, eps);
      for (size_t i = 0; i < ordinary.size(); ++i) ASSERT_EQ(want[i], got[2 * i]) << "input = " << ordinary[i];
    });
  }
}

// An input beyond a limit gives the result of the limit itself.
TEST_F(Logit, LimitedInputsGiveTheResultOfTheLimit) {
  for (const double eps : {1e-6, 0.1, 0.25}) {
    ForEachTarget([eps] {
      const float lo = static_cast<float>(eps);
      const float hi = 1 - lo;
      const std::vector<double> limits = LogitValues(ACL_FLOAT, std::vector<double>(64, lo), eps);
      const std::vector<double> got = LogitValues(ACL_FLOAT, {-1, lo, 0, hi, 1, kInf}, eps);
      EXPECT_EQ(got[0], limits[0]);
      EXPECT_EQ(got[2], got[1]);
      EXPECT_EQ(got[4], got[3]);
      EXPECT_EQ(got[5], got[3]);
    });
  }
}

}  // namespace
}  // namespace portacl::ops::logit
