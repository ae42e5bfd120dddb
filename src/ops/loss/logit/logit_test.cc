// SPDX-License-Identifier: Apache-2.0
//
// aclnnLogit through the C API: what it accepts, and its documented results. Sweeps are in logit_accuracy_test.cc,
// views in logit_layout_test.cc, what the schema promises in logit_contract_test.cc.
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

class Logit : public DeviceTest {};

struct Example {
  const char* name;
  aclDataType dtype;
  double eps;
  std::vector<double> input;
  std::vector<double> out;
};

const std::vector<Example>& Examples() {
  static const std::vector<double> row = {kNan, -kInf, -0.5, 0, 1e-30f, 0.1f, 0.25, 0.5, 0.75, 1, 1.5, kInf};
  static const std::vector<double> nan_for_all(row.size(), kNan);
  static const double third = std::log(3);  // -logit(0.25)
  static const double low = -13.81551;      // logit of 1e-6
  static const double high = 13.80232;      // logit of the float32 0.999999, hence the asymmetry
  static const double sixty = 0.4054652;    // logit(0.6)
  static const std::vector<double> unlimited = {kNan,   kNan, kNan,  -kInf, -69.07755, -2.197225,
                                                -third, 0,    third, kInf,  kNan,      kNan};
  static const std::vector<Example> examples = {
      {"no limits", ACL_FLOAT, -1, row, unlimited},
      {"eps = 0",
       ACL_FLOAT,
       0,
       row,
       {kNan, -kInf, -kInf, -kInf, -69.07755, -2.197225, -third, 0, third, kInf, kInf, kInf}},
      {"eps = 1e-6", ACL_FLOAT, 1e-6, row, {kNan, low, low, low, low, -2.197225, -third, 0, third, high, high, high}},
      {"eps = 0.25",
       ACL_FLOAT,
       0.25,
       row,
       {kNan, -third, -third, -third, -third, -third, -third, 0, third, third, third, third}},
      {"crossed limits, the lower is tested first",
       ACL_FLOAT,
       0.6,
       row,
       {kNan, sixty, sixty, sixty, sixty, sixty, sixty, sixty, -sixty, -sixty, -sixty, -sixty}},
      {"eps = 0.5 leaves one value", ACL_FLOAT, 0.5, {0, 0.4f, 0.5, 0.6f, 1, kNan}, {0, 0, 0, 0, 0, kNan}},
      {"eps = 1", ACL_FLOAT, 1, row, {kNan, kInf, kInf, kInf, kInf, kInf, kInf, kInf, kInf, -kInf, -kInf, -kInf}},
      {"eps > 1", ACL_FLOAT, 1.5, row, nan_for_all},
      {"eps = Inf", ACL_FLOAT, kInf, row, nan_for_all},
      {"eps is NaN", ACL_FLOAT, kNan, row, unlimited},
      {"eps = -Inf", ACL_FLOAT, -kInf, row, unlimited},
      {"x = -0", ACL_FLOAT, -1, {-0.0}, {-kInf}},
      {"x = -0, eps = 0", ACL_FLOAT, 0, {-0.0}, {-kInf}},
      {"subnormals", ACL_FLOAT, -1, {0x1p-149, 0x1p-127}, {-103.2789, -88.02969}},
      {"a subnormal eps", ACL_FLOAT, 0x1p-149, {-1, 0, 2}, {-103.2789, -103.2789, kInf}},
      // Up to 2^-25 the upper limit rounds to 1, which no input below it reaches.
      {"eps of half an ULP of 1", ACL_FLOAT, 0x1p-25, {0, 1 - 0x1p-24, 1, 2}, {-17.32868, 16.63553, kInf, kInf}},
      {"eps of twice that", ACL_FLOAT, 0x1p-24, {0, 1, 2}, {-16.63553, 16.63553, 16.63553}},
      {"a negative eps that rounds to -0", ACL_FLOAT, -1e-300, {0, -0.5, 1, 2}, {-kInf, -kInf, kInf, kInf}},
      {"an eps that rounds to Inf", ACL_FLOAT, 1e39, {0.5}, {kNan}},
      {"an eps that rounds to 1", ACL_FLOAT, 1 + 1e-9, {0.5, 1}, {kInf, -kInf}},
      {"an eps just above 1", ACL_FLOAT, 1 + 1e-6, {0.5, 1}, {kNan, kNan}},
      {"an eps just below 1", ACL_FLOAT, 1 - 0x1p-24, {0.5, 1}, {16.63553, -16.63553}},
      {"FLOAT16", ACL_FLOAT16, -1, {0.1, 0.2, 0.3, 0.4}, {-2.197265625, -1.38671875, -0.84716796875, -0.40576171875}},
      {"BFLOAT16", ACL_BF16, -1, {0.1, 0.2, 0.3, 0.4}, {-2.203125, -1.3828125, -0.84375, -0.404296875}},
  };
  return examples;
}

TEST_F(Logit, GivesTheDocumentedResults) {
  ForEachTarget([] {
    for (const Example& example : Examples()) {
      SCOPED_TRACE(example.name);
      const std::vector<double> got = LogitValues(example.dtype, example.input, example.eps);
      for (size_t i = 0; i < got.size(); ++i) {
        const double want = example.out[i];
        SCOPED_TRACE("input = " + std::to_string(example.input[i]));
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

TEST_F(Logit, TellsTheFirstOfTwoMistakes) {
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const TensorHandle i32 = TensorBuilder(ACL_INT32, {2, 3}).Build();
  const TensorHandle nine_i32 = TensorBuilder(ACL_INT32, {1, 1, 1, 1, 1, 1, 1, 1, 1}).Build();
  EXPECT_EQ(LogitPhase1(nullptr, i32.get()), 161001);
  EXPECT_EQ(LogitPhase1(i32.get(), nullptr), 161001);
  EXPECT_EQ(LogitPhase1(f.get(), nullptr), 161001);
  uint64_t bytes;
  aclOpExecutor* executor;
  EXPECT_EQ(aclnnLogitGetWorkspaceSize(i32.get(), -1, f.get(), &bytes, nullptr), 161001);
  EXPECT_EQ(aclnnLogitGetWorkspaceSize(i32.get(), -1, f.get(), nullptr, &executor), 161001);
  EXPECT_EQ(LogitPhase1(f.get(), nine_i32.get()), 161002);
}

TEST_F(Logit, RejectsDtypesItDoesNotHave) {
  for (const aclDataType dtype : {ACL_INT32, ACL_DOUBLE, ACL_BOOL, ACL_COMPLEX64}) {
    const TensorHandle t = TensorBuilder(dtype, {2, 3}).Build();
    EXPECT_EQ(LogitPhase1(t.get(), t.get()), 161002);
  }
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const TensorHandle h = TensorBuilder(ACL_FLOAT16, {2, 3}).Build();
  EXPECT_EQ(LogitPhase1(f.get(), h.get()), 161002);
  EXPECT_EQ(LogitPhase1(h.get(), f.get()), 161002);
}

TEST_F(Logit, DoesNotBroadcast) {
  const TensorHandle full = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const TensorHandle row = TensorBuilder(ACL_FLOAT, {3}).Build();
  EXPECT_EQ(LogitPhase1(row.get(), full.get()), 161002);
  EXPECT_EQ(LogitPhase1(full.get(), row.get()), 161002);
}

TEST_F(Logit, RejectsRankNineAndPrivateFormats) {
  const TensorHandle nine = TensorBuilder(ACL_FLOAT, {1, 1, 1, 1, 1, 1, 1, 1, 1}).Build();
  EXPECT_EQ(LogitPhase1(nine.get(), nine.get()), 161002);
  const TensorHandle nz = TensorBuilder(ACL_FLOAT, {16, 16}).Format(ACL_FORMAT_FRACTAL_NZ).Build();
  EXPECT_EQ(LogitPhase1(nz.get(), nz.get()), 161002);
}

TEST_F(Logit, IsAbsentFromProductsThatLackIt) {
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2}).Build();
  const TensorHandle i32 = TensorBuilder(ACL_INT32, {2}).Build();
  for (const Product& product : kProducts) {
    SetCurrentProductForTest(&product);
    const bool has = product.family == Family::kAscend910B || product.family == Family::kAscend910_93 ||
                     product.family == Family::kAscend950;
    EXPECT_EQ(LogitPhase1(f.get(), f.get()), has ? 0 : 561003) << product.full_name;
    EXPECT_EQ(LogitPhase1(i32.get(), f.get()), has ? 161002 : 561003) << product.full_name;
    EXPECT_EQ(LogitPhase1(nullptr, f.get()), 161001) << product.full_name;
  }
  SetCurrentProductForTest(nullptr);
}

TEST_F(Logit, AcceptsEveryEps) {
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  for (const double eps : {-kInf, -1.0, -0.0, 0.0, 1e-300, 0.5, 1.0, 1e300, kInf, kNan}) {
    EXPECT_EQ(LogitPhase1(f.get(), f.get(), eps), 0) << eps;
  }
}

TEST_F(Logit, SucceedsWithoutWorkOnEmptyTensors) {
  const TensorHandle empty = TensorBuilder(ACL_FLOAT, {0, 4}).Build();
  EXPECT_EQ(LogitPhase1(empty.get(), empty.get()), 0);
  RunLogit(empty.get(), -1, empty.get());
}

}  // namespace
}  // namespace portacl::ops::logit
