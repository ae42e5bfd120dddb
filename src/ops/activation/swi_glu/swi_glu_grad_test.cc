// SPDX-License-Identifier: Apache-2.0
//
// aclnnSwiGluGrad through the C API: what it accepts, its documented results, and that it is the gradient of
// aclnnSwiGlu.
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/product.h"
#include "ops/activation/swi_glu/swi_glu_oracle.h"
#include "ops/activation/swi_glu/swi_glu_test_support.h"

namespace portacl::ops::swi_glu {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using calls::TensorHandle;
using testing::ForEachTarget;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class SwiGluGrad : public DeviceTest {};

struct Example {
  aclDataType dtype;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> grad;
  std::vector<double> out_a;
  std::vector<double> out_b;
};

const std::vector<Example>& Examples() {
  static const std::vector<Example> examples = {
      {ACL_FLOAT,
       {1, -1, 0, 3},
       {2, 2, 2, -1},
       {1, 1, 1, 1},
       {1.855341, 0.1446590, 1, -1.088104},
       {0.7310586, -0.2689414, 0, 2.857722}},
      // Told apart by the formula that older documents printed: 0.5, -0.857463, 0.335405, 0.2214324.
      {ACL_FLOAT,
       {0, 0.5, 2, -2},
       {1, -1, 0.5, 3},
       {1, 2, -1, 0.5},
       {0.5, -1.479922, -0.5453921, -0.1361764},
       {0, 0.6224593, -1.761594, -0.1192029}},
      {ACL_FLOAT, {kInf, -kInf, kNan}, {2, 2, 2}, {1, 1, 1}, {kNan, kNan, kNan}, {kInf, kNan, kNan}},
      {ACL_FLOAT, {kInf, -kInf, kNan}, {0, 0, 0}, {0, 0, 0}, {kNan, kNan, kNan}, {kNan, kNan, kNan}},
      {ACL_FLOAT,
       {100, -100, -1000, 1e30, -1e30},
       {2, 2, 2, 2, 2},
       {1, 1, 1, 1, 1},
       {2, 0, 0, 2, 0},
       {100, 0, 0, 1e30, 0}},
      {ACL_FLOAT, {1, 0, -1}, {kInf, kInf, kInf}, {1, 1, 1}, {kInf, kInf, kInf}, {0.7310586, 0, -0.2689414}},
      {ACL_FLOAT, {1, 1, 1}, {2, 2, 2}, {0, kInf, kNan}, {0, kInf, kNan}, {0, kInf, kNan}},
      {ACL_FLOAT, {1, 0, -1}, {kNan, kInf, 0}, {1, 0, kInf}, {kNan, kNan, kNan}, {0.7310586, 0, -kInf}},
      // The first A has the smallest sigmoid that is a normal float32, the others subnormal ones or less.
      {ACL_FLOAT,
       {-0x1.5d589ep6, -0x1.5d58ap6, -88, -100, -200, -250},
       {1e30, 1e30, 1e38, 1e10, 3e38, -3e38},
       {1e-30, 1e-30, 3e-30, -1e10, 3e38, 3e38},
       {-1.01488577e-36, -1.01487811e-36, -1.58025105e-28, 3.68287522e-22, -2.47855869e-8, 5.98165529e-30},
       {0, 0, 0, 3.72007598e-32, 0, 0}},
      {ACL_FLOAT,
       {-88, -709, -710, -88},
       {kInf, 1, kInf, 1},
       {1, kInf, 1, 0},
       {-kInf, -kInf, kNan, 0},
       {-5.32804967e-37, -kInf, 0, 0}},
      {ACL_FLOAT16, {0.1, 0.7}, {0.3, -0.5}, {1, 1}, {0.1650391, -0.4116211}, {0.05249023, 0.4677734}},
      {ACL_BF16, {0.1, 0.7}, {0.3, -0.5}, {1, 1}, {0.1650391, -0.4121094}, {0.05249023, 0.4667969}},
  };
  return examples;
}

TEST_F(SwiGluGrad, GivesTheDocumentedResults) {
  ForEachTarget([] {
    for (const Example& example : Examples()) {
      const std::vector<double> got = SwiGluGradValues(example.dtype, example.grad, example.a, example.b);
      for (size_t i = 0; i < example.a.size(); ++i) {
        SCOPED_TRACE(::testing::Message()
                     << "A = " << example.a[i] << ", B = " << example.b[i] << ", yGrad = " << example.grad[i]);
        EXPECT_TRUE(Near(example.out_a[i], got[i], 5e-7));
        EXPECT_TRUE(Near(example.out_b[i], got[example.a.size() + i], 5e-7));
      }
    }
  });
}

TEST_F(SwiGluGrad, IsZeroAtTheMinimumOfSwish) {
  ForEachTarget([] {
    const std::vector<double> got = SwiGluGradValues(ACL_FLOAT, {1}, {-1.27846454}, {1});
    EXPECT_LT(std::abs(got[0]), 1e-7);
    EXPECT_TRUE(Near(-0.2784645, got[1], 5e-7));
  });
}

TEST_F(SwiGluGrad, SplitsAlongDim) {
  const Bytes x = Encode(ACL_FLOAT, {1, 2, 3, 4});
  const Bytes ones = Encode(ACL_FLOAT, {1, 1});
  const double along_0[] = {2.783012, 4.363137, 0.7310586, 1.761594};
  const double along_1[] = {1.855341, 0.7310586, 4.352416, 2.857722};
  for (const int64_t dim : {0, -2, 1, -1}) {
    const std::vector<double> got = Decode(ACL_FLOAT, SwiGluGradBytes(ACL_FLOAT, {2, 2}, dim, ones, x));
    const double* const want = dim % 2 == 0 ? along_0 : along_1;
    for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(Near(want[i], got[i], 5e-7)) << "dim " << dim << ", element " << i;
  }
}

TEST_F(SwiGluGrad, IsTheDerivativeOfTheForwardFormula) {
  for (double a = -20; a <= 20; a += 0.37) {
    for (const double b : {-3.0, 0.01, 1.5}) {
      const double step = 1e-6;
      const double by_a = (SwiGluReference(a + step, b) - SwiGluReference(a - step, b)) / (2 * step);
      const double by_b = (SwiGluReference(a, b + step) - SwiGluReference(a, b - step)) / (2 * step);
      EXPECT_NEAR(SwiGluGradAReference(a, b, 0.7), 0.7 * by_a, 1e-8) << a << ", " << b;
      EXPECT_NEAR(SwiGluGradBReference(a, 0.7), 0.7 * by_b, 1e-8) << a << ", " << b;
    }
  }
}

// A network with the loss sum(y^2) / 2, y = SwiGLU(x): its gradient is SwiGluGrad(y, x). PyTorch 2.13 in float64, with
// torch.nn.functional.silu and autograd, gives these.
TEST_F(SwiGluGrad, ComposesWithTheForwardToAutogradsGradient) {
  struct Row {
    std::vector<double> a, b, out_a, out_b;
  };
  const Row rows[] = {
      {{1, -1, 0, 3},
       {2, 2, 2, -1},
       {2.71272594, -0.0778095814, 0, 3.10949946},
       {1.06889329, 0.144658976, 0, -8.1665772}},
      {{0, 0.5, 2, -2},
       {1, -1, 0.5, 3},
       {0, 0.230297873, 0.48037979, 0.194791459},
       {0, -0.0968639048, 1.55160699, 0.170512039}},
  };
  ForEachTarget([&] {
    for (const Row& row : rows) {
      const std::vector<double> y = SwiGluValues(ACL_FLOAT, row.a, row.b);
      const std::vector<double> got = SwiGluGradValues(ACL_FLOAT, y, row.a, row.b);
      for (size_t i = 0; i < row.a.size(); ++i) {
        EXPECT_TRUE(Near(row.out_a[i], got[i], 1e-6)) << "A = " << row.a[i];
        EXPECT_TRUE(Near(row.out_b[i], got[row.a.size() + i], 1e-6)) << "A = " << row.a[i];
      }
    }
  });
}

aclnnStatus Status(const Dims& grad, const Dims& x, int64_t dim, const Dims& out, aclDataType dtype = ACL_FLOAT) {
  return SwiGluGradPhase1(TensorBuilder(dtype, grad).Build().get(), TensorBuilder(dtype, x).Build().get(), dim,
                          TensorBuilder(dtype, out).Build().get());
}

TEST_F(SwiGluGrad, GivesTheDocumentedStatus) {
  const TensorHandle x = TensorBuilder(ACL_FLOAT, {4, 6}).Build();
  const TensorHandle grad = TensorBuilder(ACL_FLOAT, {4, 3}).Build();
  const TensorHandle half = TensorBuilder(ACL_FLOAT16, {4, 3}).Build();
  EXPECT_EQ(SwiGluGradPhase1(nullptr, x.get(), 1, x.get()), 161001);
  EXPECT_EQ(SwiGluGradPhase1(grad.get(), nullptr, 1, x.get()), 161001);
  EXPECT_EQ(SwiGluGradPhase1(grad.get(), x.get(), 1, nullptr), 161001);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnSwiGluGradGetWorkspaceSize(grad.get(), x.get(), 1, x.get(), nullptr, &executor), 161001);
  EXPECT_EQ(aclnnSwiGluGradGetWorkspaceSize(grad.get(), x.get(), 1, x.get(), &bytes, nullptr), 161001);
  EXPECT_EQ(SwiGluGradPhase1(half.get(), x.get(), 1, x.get()), 161002);
  EXPECT_EQ(Status({4, 3}, {4, 6}, 1, {4, 6}), 0);
  EXPECT_EQ(Status({2, 6}, {4, 6}, -2, {4, 6}), 0);
  EXPECT_EQ(Status({4, 3}, {4, 6}, 1, {4, 6}, ACL_DOUBLE), 161002);
  EXPECT_EQ(Status({4, 3}, {4, 6}, 1, {4, 6}, ACL_INT32), 161002);
  EXPECT_EQ(Status({4, 3}, {4, 6}, 2, {4, 6}), 161002);
  EXPECT_EQ(Status({4, 3}, {4, 6}, -3, {4, 6}), 161002);
  EXPECT_EQ(Status({2, 6}, {4, 6}, 1, {4, 6}), 161002);
  EXPECT_EQ(Status({4, 6}, {4, 6}, 1, {4, 6}), 161002);
  EXPECT_EQ(Status({4, 3}, {4, 6}, 1, {4, 3}), 161002);
  EXPECT_EQ(Status({4, 3}, {4, 6}, 1, {24}), 161002);
  EXPECT_EQ(Status({4, 2}, {4, 5}, 1, {4, 5}), 161002);
  EXPECT_EQ(Status({}, {}, 0, {}), 161002);
  EXPECT_EQ(Status({0, 3}, {0, 6}, 1, {0, 6}), 161002);
  EXPECT_EQ(Status({4, 0}, {4, 0}, 1, {4, 0}), 161002);
}

TEST_F(SwiGluGrad, FollowsTheRulesOfItsProducts) {
  for (const Product& product : kProducts) {
    SCOPED_TRACE(product.full_name);
    SetCurrentProductForTest(&product);
    const bool is_310p = product.family == Family::kAscend310P;
    const bool has = is_310p || product.family == Family::kAscend910B || product.family == Family::kAscend910_93 ||
                     product.family == Family::kAscend950;
    EXPECT_EQ(Status({4, 16}, {4, 32}, 1, {4, 32}), has ? 0 : 561003);
    EXPECT_EQ(Status({4, 16}, {4, 32}, 1, {4, 32}, ACL_INT32), has ? 161002 : 561003);
    EXPECT_EQ(SwiGluGradPhase1(nullptr, nullptr, 1, nullptr), 161001);
    if (!is_310p) continue;
    EXPECT_EQ(Status({4, 16}, {4, 32}, 1, {4, 32}, ACL_FLOAT16), 561002) << "32 bytes";
    EXPECT_EQ(Status({2, 32}, {4, 32}, 0, {4, 32}, ACL_FLOAT16), 0) << "128 bytes";
    EXPECT_EQ(Status({4, 32}, {4, 64}, 1, {4, 64}, ACL_BF16), 161002);
    EXPECT_EQ(Status({0, 16}, {0, 32}, 1, {0, 32}), 161002) << "empty comes before alignment";
  }
  SetCurrentProductForTest(nullptr);
}

}  // namespace
}  // namespace portacl::ops::swi_glu
