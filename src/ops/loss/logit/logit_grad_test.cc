// SPDX-License-Identifier: Apache-2.0
//
// aclnnLogitGrad through the C API: what it accepts, and its documented results. Sweeps are in
// logit_grad_accuracy_test.cc, views in logit_grad_layout_test.cc, what the schema promises in logit_contract_test.cc.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ops/loss/logit/logit_test_support.h"

namespace portacl::ops::logit {
namespace {

using calls::TensorBuilder;
using calls::TensorHandle;
using testing::ForEachTarget;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class LogitGrad : public DeviceTest {};

// A documented example: limits of x, and pairs of operands with what must come out.
struct Example {
  const char* name;
  aclDataType dtype;
  double eps;
  std::vector<double> x;
  std::vector<double> dy;  // one element: the same for all
  std::vector<double> out;
};

const std::vector<Example>& Examples() {
  static const std::vector<double> special = {kNan, -kInf, kInf, -0.5, -0.0, 0, 1, 0.25, 0.5, 1.5};
  static const double mid = 32.0 / 3;  // 2 / (0.25 * 0.75)
  static const std::vector<Example> examples = {
      {"no limits", ACL_FLOAT, -1, {0.1f, 0.2f, 0.3f, 0.4f}, {1, 2, 3, 4}, {11.11111, 12.5, 14.28571, 16.66667}},
      {"special x, eps < 0", ACL_FLOAT, -1, special, {2}, {kNan, kNan, kNan, kNan, kInf, kInf, kInf, mid, 8, kNan}},
      {"special x, eps = 0", ACL_FLOAT, 0, special, {2}, {kNan, 0, 0, 0, kInf, kInf, kInf, mid, 8, 0}},
      {"limits are inclusive",
       ACL_FLOAT,
       0.25,
       {kNan, -kInf, 0, 0.1f, 0.25, 0.5, 0.75, 0.9f, 1, kInf},
       {2},
       {kNan, 0, 0, 0, mid, 8, mid, 0, 0, 0}},
      {"eps = 0.5 leaves one point", ACL_FLOAT, 0.5, {0.4f, 0.5, 0.6f}, {2}, {0, 8, 0}},
      {"crossed limits leave none", ACL_FLOAT, 0.6, {0.3f, 0.5, 0.6f, 0.7f, kNan}, {2}, {0, 0, 0, 0, kNan}},
      {"eps = 1", ACL_FLOAT, 1, {0, 0.5, 1, 2, kNan}, {2}, {kInf, kInf, kInf, kInf, kNan}},
      {"eps = 1, sign of dy",
       ACL_FLOAT,
       1,
       {0.5, 0.5, 0.5, kInf, -kInf},
       {-2, 0, kNan, 2, -2},
       {-kInf, kNan, kNan, kInf, -kInf}},
      {"eps > 1", ACL_FLOAT, 1.5, {0, 0.5, 1, kNan, kInf, -kInf}, {2}, {kNan, kNan, kNan, kNan, kNan, kNan}},
      {"eps = Inf", ACL_FLOAT, kInf, {0, 0.5, 1, kNan, kInf, -kInf}, {2}, {0, 0, 0, kNan, 0, 0}},
      {"eps = Inf, any dy", ACL_FLOAT, kInf, {0.5, 0.5, 0.5}, {kInf, -kInf, kNan}, {0, 0, 0}},
      {"eps is NaN", ACL_FLOAT, kNan, {0, 0.5, 1, kInf, -kInf}, {2}, {kNan, kNan, kNan, kNan, kNan}},
      {"eps = -Inf", ACL_FLOAT, -kInf, {-1, 0, 0.5}, {2}, {kNan, kInf, 8}},
      {"special dy, eps < 0",
       ACL_FLOAT,
       -1,
       {0, 0, 0.5, 0.5, 0.5, 0.1f, 0.1f},
       {0, -2, kInf, -kInf, kNan, kNan, kInf},
       {kNan, -kInf, kInf, -kInf, kNan, kNan, kInf}},
      {"special dy outside the limits",
       ACL_FLOAT,
       0.25,
       {0.1f, 0.1f, 0.5, 0.5},
       {kNan, kInf, kNan, kInf},
       {0, 0, kNan, kInf}},
      {"limits are float32", ACL_FLOAT, 1e-6, {1e-6f, 9e-7f, 0.999999f, 0.9999995f}, {1}, {1000001, 0, 986896.1, 0}},
      {"FLOAT16", ACL_FLOAT16, -1, {0.1, 0.2, 0.3, 0.4}, {1, 2, 3, 4}, {11.1171875, 12.5, 14.28125, 16.671875}},
      {"BFLOAT16", ACL_BF16, -1, {0.1, 0.2, 0.3, 0.4}, {1, 2, 3, 4}, {11.125, 12.5, 14.25, 16.625}},
      // Between 0 and 2^-25 the upper limit rounds to 1, which is then inside.
      {"eps below half an ULP of 1", ACL_FLOAT, std::ldexp(1.0, -25), {1, 0}, {2}, {kInf, 0}},
      {"eps of twice that", ACL_FLOAT, std::ldexp(1.0, -24), {1, 1 - std::ldexp(1.0, -24)}, {1}, {0, 16777217}},
      {"a negative eps that rounds to -0", ACL_FLOAT, -1e-300, {0, -0.5, 1}, {2}, {kInf, 0, kInf}},
      {"an eps that rounds to Inf", ACL_FLOAT, 1e39, {0.5, kNan}, {2}, {0, kNan}},
      {"an eps that rounds to -Inf", ACL_FLOAT, -1e39, {0.5, 2}, {2}, {8, kNan}},
      {"an eps that rounds to 1", ACL_FLOAT, 1 + 1e-9, {0.5}, {2}, {kInf}},
      {"an eps just above 1", ACL_FLOAT, 1 + 1e-6, {0.5}, {2}, {kNan}},
      {"x = -0 with negative dy", ACL_FLOAT, -1, {-0.0}, {-2}, {-kInf}},
  };
  return examples;
}

TEST_F(LogitGrad, GivesTheDocumentedResults) {
  ForEachTarget([] {
    for (const Example& example : Examples()) {
      SCOPED_TRACE(example.name);
      std::vector<double> dy = example.dy;
      dy.resize(example.x.size(), example.dy.back());
      const std::vector<double> got = LogitGradValues(example.dtype, example.x, dy, example.eps);
      for (size_t i = 0; i < got.size(); ++i) {
        const double want = example.out[i];
        SCOPED_TRACE("x = " + std::to_string(example.x[i]) + ", dy = " + std::to_string(dy[i]));
        if (std::isnan(want) || std::isinf(want) || want == 0) {
          EXPECT_TRUE(got[i] == want || (std::isnan(want) && std::isnan(got[i])))
              << "want " << want << ", got " << got[i];
        } else {
          // Seven digits are printed; 16-bit results are exact.
          EXPECT_NEAR(got[i], want, example.dtype == ACL_FLOAT ? std::abs(want) * 5e-7 : 0);
        }
      }
    }
  });
}

TEST_F(LogitGrad, TellsTheFirstOfTwoMistakes) {
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const TensorHandle i32 = TensorBuilder(ACL_INT32, {2, 3}).Build();
  EXPECT_EQ(LogitGradPhase1(nullptr, i32.get(), f.get()), 161001);
  EXPECT_EQ(LogitGradPhase1(f.get(), nullptr, i32.get()), 161001);
  EXPECT_EQ(LogitGradPhase1(f.get(), f.get(), nullptr), 161001);
}

TEST_F(LogitGrad, RejectsDtypesItDoesNotHave) {
  for (const aclDataType dtype : {ACL_INT32, ACL_DOUBLE, ACL_BOOL, ACL_COMPLEX64}) {
    const TensorHandle t = TensorBuilder(dtype, {2, 3}).Build();
    EXPECT_EQ(LogitGradPhase1(t.get(), t.get(), t.get()), 161002);
  }
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const TensorHandle h = TensorBuilder(ACL_FLOAT16, {2, 3}).Build();
  EXPECT_EQ(LogitGradPhase1(f.get(), h.get(), f.get()), 161002);
  EXPECT_EQ(LogitGradPhase1(f.get(), f.get(), h.get()), 161002);
}

TEST_F(LogitGrad, DoesNotBroadcast) {
  const TensorHandle full = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const TensorHandle row = TensorBuilder(ACL_FLOAT, {3}).Build();
  EXPECT_EQ(LogitGradPhase1(full.get(), row.get(), full.get()), 161002);
  EXPECT_EQ(LogitGradPhase1(full.get(), full.get(), row.get()), 161002);
}

TEST_F(LogitGrad, RejectsRankNineAndPrivateFormats) {
  const TensorHandle nine = TensorBuilder(ACL_FLOAT, {1, 1, 1, 1, 1, 1, 1, 1, 1}).Build();
  EXPECT_EQ(LogitGradPhase1(nine.get(), nine.get(), nine.get()), 161002);
  const TensorHandle nz = TensorBuilder(ACL_FLOAT, {16, 16}).Format(ACL_FORMAT_FRACTAL_NZ).Build();
  EXPECT_EQ(LogitGradPhase1(nz.get(), nz.get(), nz.get()), 161002);
}

TEST_F(LogitGrad, IsAbsentFromProductsThatLackIt) {
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2}).Build();
  const TensorHandle i32 = TensorBuilder(ACL_INT32, {2}).Build();
  for (const Product& product : kProducts) {
    SetCurrentProductForTest(&product);
    const bool has = product.family == Family::kAscend910B || product.family == Family::kAscend910_93 ||
                     product.family == Family::kAscend950;
    EXPECT_EQ(LogitGradPhase1(f.get(), f.get(), f.get()), has ? 0 : 561003) << product.full_name;
    EXPECT_EQ(LogitGradPhase1(i32.get(), f.get(), f.get()), has ? 161002 : 561003) << product.full_name;
    EXPECT_EQ(LogitGradPhase1(nullptr, f.get(), f.get()), 161001) << product.full_name;
  }
  SetCurrentProductForTest(nullptr);
}

TEST_F(LogitGrad, AcceptsEveryEps) {
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  for (const double eps : {-kInf, -1.0, -0.0, 0.0, 1e-300, 0.5, 1.0, 1e300, kInf, kNan}) {
    EXPECT_EQ(LogitGradPhase1(f.get(), f.get(), f.get(), eps), 0) << eps;
  }
}

TEST_F(LogitGrad, SucceedsWithoutWorkOnEmptyTensors) {
  const TensorHandle empty = TensorBuilder(ACL_FLOAT, {0, 4}).Build();
  EXPECT_EQ(LogitGradPhase1(empty.get(), empty.get(), empty.get()), 0);
  RunLogitGrad(empty.get(), empty.get(), -1, empty.get());
}

}  // namespace
}  // namespace portacl::ops::logit
