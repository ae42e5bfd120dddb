// SPDX-License-Identifier: Apache-2.0
//
// aclnnSwiGlu through the C API: what it accepts, and its documented results. The promises of both operators
// that follow from schemas and oracle are made here, too; sweeps are in swi_glu_accuracy_test.cc.
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/product.h"
#include "exec/bind.h"
#include "ops/activation/swi_glu/swi_glu_test_support.h"
#include "testing/operator_contract.h"

namespace portacl::ops::swi_glu {
std::span<const exec::OperatorEntry> Operators();
}

OP_CONTRACT_TESTS(SwiGlu, portacl::ops::swi_glu::Operators()[0]);
OP_CONTRACT_TESTS(SwiGluGrad, portacl::ops::swi_glu::Operators()[1]);

namespace portacl::ops::swi_glu {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using calls::TensorHandle;
using testing::ForEachTarget;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class SwiGlu : public DeviceTest {};

struct Example {
  aclDataType dtype;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> out;
};

TEST_F(SwiGlu, GivesTheDocumentedResults) {
  const std::vector<Example> examples = {
      {ACL_FLOAT, {1, -1, 0, 3}, {2, 2, 2, -1}, {1.462117, -0.5378828, 0, -2.857722}},
      {ACL_FLOAT, {0, 0.5, 2, -2}, {1, -1, 0.5, 3}, {0, -0.3112297, 0.8807971, -0.7152175}},
      {ACL_FLOAT, {kInf, -kInf, kNan, 100, -1000, 1e30}, {2, 2, 2, 2, 2, 2}, {kInf, kNan, kNan, 200, 0, 2e30}},
      {ACL_FLOAT, {1, 0, -1}, {kInf, kInf, kInf}, {kInf, kNan, -kInf}},
      {ACL_FLOAT, {kInf, kInf, 2, 0}, {0, -1, kNan, kNan}, {kNan, -kInf, kNan, kNan}},
      // The first A has the smallest sigmoid that is a normal float32, the second a subnormal one.
      {ACL_FLOAT,
       {-0x1.5d589ep6, -0x1.5d58ap6, -88, -100, -104, -150, -200},
       {1e30, 1e30, 2, 1e10, 3e38, 3e38, 3e38},
       {-1.02664076e-6, -1.02663302e-6, -1.06560993e-36, -3.72007598e-32, -2.1258297e-5, -3.2287932e-25, 0}},
      {ACL_FLOAT, {-88, -709, -710, -1e30}, {kInf, -kInf, kInf, kInf}, {-kInf, kInf, kNan, kNan}},
      {ACL_FLOAT16, {-88, -700, -65504, -65504}, {65504, -kInf, 65504, kInf}, {0, kInf, 0, kNan}},
      {ACL_BF16, {-88, -104, -3e38}, {1e38, kInf, 3e38}, {-53, -kInf, 0}},
      {ACL_FLOAT16, {0.1, 0.7}, {0.3, -0.5}, {0.01574707, -0.2338867}},
      {ACL_BF16, {0.1, 0.7}, {0.3, -0.5}, {0.01574707, -0.2333984}},
  };
  ForEachTarget([&] {
    for (const Example& example : examples) {
      const std::vector<double> got = SwiGluValues(example.dtype, example.a, example.b);
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_TRUE(Near(example.out[i], got[i], 5e-7)) << "A = " << example.a[i] << ", B = " << example.b[i];
      }
    }
  });
}

TEST_F(SwiGlu, SplitsAlongDim) {
  const Bytes x = Encode(ACL_FLOAT, {1, 2, 3, 4});
  for (const int64_t dim : {0, -2}) {
    const std::vector<double> out = Decode(ACL_FLOAT, SwiGluBytes(ACL_FLOAT, {2, 2}, dim, x));
    EXPECT_TRUE(Near(2.193176, out[0], 5e-7) && Near(7.046377, out[1], 5e-7)) << out[0] << ", " << out[1];
  }
  for (const int64_t dim : {1, -1}) {
    const std::vector<double> out = Decode(ACL_FLOAT, SwiGluBytes(ACL_FLOAT, {2, 2}, dim, x));
    EXPECT_TRUE(Near(1.462117, out[0], 5e-7) && Near(11.43089, out[1], 5e-7)) << out[0] << ", " << out[1];
  }
}

aclnnStatus Status(const Dims& x, int64_t dim, const Dims& out, aclDataType dtype = ACL_FLOAT) {
  return SwiGluPhase1(TensorBuilder(dtype, x).Build().get(), dim, TensorBuilder(dtype, out).Build().get());
}

TEST_F(SwiGlu, GivesTheDocumentedStatus) {
  const TensorHandle x = TensorBuilder(ACL_FLOAT, {4, 6}).Build();
  const TensorHandle out = TensorBuilder(ACL_FLOAT, {4, 3}).Build();
  const TensorHandle half = TensorBuilder(ACL_FLOAT16, {4, 3}).Build();
  EXPECT_EQ(SwiGluPhase1(nullptr, 1, out.get()), 161001);
  EXPECT_EQ(SwiGluPhase1(x.get(), 1, nullptr), 161001);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnSwiGluGetWorkspaceSize(x.get(), 1, out.get(), nullptr, &executor), 161001);
  EXPECT_EQ(aclnnSwiGluGetWorkspaceSize(x.get(), 1, out.get(), &bytes, nullptr), 161001);
  EXPECT_EQ(SwiGluPhase1(x.get(), 1, half.get()), 161002);
  EXPECT_EQ(Status({4, 6}, 1, {4, 3}), 0);
  EXPECT_EQ(Status({4, 6}, -2, {2, 6}), 0);
  EXPECT_EQ(Status({4, 6}, 1, {4, 3}, ACL_DOUBLE), 161002);
  EXPECT_EQ(Status({4, 6}, 1, {4, 3}, ACL_INT32), 161002);
  EXPECT_EQ(Status({4, 6}, 2, {4, 3}), 161002);
  EXPECT_EQ(Status({4, 6}, -3, {4, 3}), 161002);
  EXPECT_EQ(Status({4, 6}, 1, {2, 6}), 161002);
  EXPECT_EQ(Status({4, 6}, 1, {12}), 161002);
  EXPECT_EQ(Status({4, 5}, 1, {4, 2}), 161002);
  EXPECT_EQ(Status({}, 0, {}), 161002);
  EXPECT_EQ(Status({}, -1, {}), 161002);
  EXPECT_EQ(Status({2, 1, 1, 1, 1, 1, 1, 1}, 0, {1, 1, 1, 1, 1, 1, 1, 1}), 0);
  EXPECT_EQ(Status({2, 1, 1, 1, 1, 1, 1, 1, 1}, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1}), 161002);
}

TEST_F(SwiGlu, SucceedsWithoutWorkOnEmptyTensors) {
  const TensorHandle x = TensorBuilder(ACL_FLOAT, {0, 6}).Build();
  const TensorHandle out = TensorBuilder(ACL_FLOAT, {0, 3}).Build();
  EXPECT_EQ(SwiGluPhase1(x.get(), 1, out.get()), 0);
  RunSwiGlu(x.get(), 1, out.get());
  EXPECT_EQ(Status({4, 0}, 1, {4, 0}), 0);
  EXPECT_EQ(Status({0, 5}, 1, {0, 2}), 161002) << "odd sizes come first";
}

TEST_F(SwiGlu, TakesLabelledFormatsAsNd) {
  const TensorHandle x = TensorBuilder(ACL_FLOAT, {2, 4, 3, 3}).Format(ACL_FORMAT_NCHW).Build();
  const TensorHandle out = TensorBuilder(ACL_FLOAT, {2, 2, 3, 3}).Format(ACL_FORMAT_NHWC).Build();
  const TensorHandle fractal = TensorBuilder(ACL_FLOAT, {2, 2, 3, 3}).Format(ACL_FORMAT_FRACTAL_NZ).Build();
  EXPECT_EQ(SwiGluPhase1(x.get(), 1, out.get()), 0);
  EXPECT_EQ(SwiGluPhase1(x.get(), 1, fractal.get()), 161002);
}

TEST_F(SwiGlu, FollowsTheRulesOfItsProducts) {
  for (const Product& product : kProducts) {
    SCOPED_TRACE(product.full_name);
    SetCurrentProductForTest(&product);
    const bool is_310p = product.family == Family::kAscend310P;
    const bool has = is_310p || product.family == Family::kAscend910B || product.family == Family::kAscend910_93 ||
                     product.family == Family::kAscend950;
    EXPECT_EQ(Status({4, 32}, 1, {4, 16}), has ? 0 : 561003);
    EXPECT_EQ(Status({4, 32}, 1, {4, 16}, ACL_INT32), has ? 161002 : 561003);
    EXPECT_EQ(SwiGluPhase1(nullptr, 1, nullptr), 161001);
    if (!is_310p) continue;
    EXPECT_EQ(Status({4, 32}, 1, {4, 16}, ACL_FLOAT16), 561002) << "32 bytes";
    EXPECT_EQ(Status({4, 32}, 0, {2, 32}, ACL_FLOAT16), 0) << "128 bytes";
    EXPECT_EQ(Status({4, 32}, -2, {2, 32}, ACL_FLOAT16), 0);
    EXPECT_EQ(Status({4, 64}, 1, {4, 32}, ACL_BF16), 161002);
    EXPECT_EQ(Status({0, 32}, 1, {0, 16}), 161002);
  }
  SetCurrentProductForTest(nullptr);
}

}  // namespace
}  // namespace portacl::ops::swi_glu
