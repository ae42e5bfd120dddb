// SPDX-License-Identifier: Apache-2.0
//
// Sigmoid on every instruction set, compared with the formula in float64.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/target.h"
#include "calls/ulp_error.h"
#include "simd/simd_lanes_fixture.h"
#include "testing/target_loop.h"

namespace portacl::simd {
namespace {

double ExactSigmoid(double x) { return 1 / (1 + std::exp(-x)); }

class Sigmoid : public ::testing::TestWithParam<int64_t> {
 protected:
  const SigmoidLanes& functions() const { return functions_; }

  // Calls f(x) with registers of values from `low` to `high`, denser near 0.
  template <class F>
  void Sweep(double low, double high, const F& f) const {
    std::vector<float> x(lanes_);
    for (int step = 0; step < 200'000; step += static_cast<int>(lanes_)) {
      for (size_t lane = 0; lane < lanes_; ++lane) {
        const double at = (step + static_cast<double>(lane)) / 200'000;
        x[lane] = static_cast<float>((low + (high - low) * at) / (step % 3 == 0 ? 256 : 1));
      }
      f(x);
    }
  }

  float Of(float x) const {
    std::vector<float> from(lanes_, x), to(lanes_);
    functions_.wide(from.data(), to.data());
    return to[0];
  }

  double LargestError(void (*sigmoid)(const float*, float*)) const {
    double largest = 0;
    std::vector<float> got(lanes_);
    Sweep(-87.33654, 110, [&](const std::vector<float>& x) {
      sigmoid(x.data(), got.data());
      for (size_t lane = 0; lane < lanes_; ++lane)
        largest = std::max(largest, calls::UlpError(got[lane], ExactSigmoid(double{x[lane]})));
    });
    return largest;
  }

  const size_t lanes_ = LaneFunctionsFor(GetParam()).tail.float_lanes;

 private:
  const SigmoidLanes functions_ = LaneFunctionsFor(GetParam()).sigmoid;
};

TEST_P(Sigmoid, StaysWithinItsUlp) { EXPECT_LE(LargestError(functions().wide), 2.5); }

TEST_P(Sigmoid, StaysWithinItsUlpForNarrowResults) { EXPECT_LE(LargestError(functions().narrow), 3.5); }

TEST_P(Sigmoid, GoesFromZeroToOne) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Of(0), 0.5f);
  for (const float x : {17.5f, 87.4f, 100.0f, 1e30f, infinity}) EXPECT_EQ(Of(x), 1.0f) << x;
  for (const float x : {-87.4f, -104.0f, -1e30f, -infinity}) EXPECT_EQ(Of(x), 0.0f) << x;
  EXPECT_TRUE(std::isnormal(Of(-87.33654f)));
  EXPECT_TRUE(std::isnan(Of(std::numeric_limits<float>::quiet_NaN())));
}

TEST_P(Sigmoid, IsExactAsANumberAndAPowerOfTwo) {
  std::vector<float> sigma(lanes_), e(lanes_), rest(lanes_);
  Sweep(-300, 110, [&](const std::vector<float>& x) {
    functions().scaled(x.data(), sigma.data(), e.data(), rest.data());
    for (size_t lane = 0; lane < lanes_; ++lane) {
      const double exact = double{x[lane]};
      const double scale = std::exp2(double{rest[lane]});
      ASSERT_TRUE(std::isnormal(sigma[lane])) << exact;
      ASSERT_LE(calls::UlpError(sigma[lane], ExactSigmoid(exact) * scale), 2.5) << exact;
      ASSERT_EQ(rest[lane] != 0, exact < -87.33654) << exact;
      ASSERT_NEAR(exact > 87.3 ? 1 : double{e[lane]} * scale / std::exp(-exact), 1, 0x1p-22) << exact;
    }
  });
}

// Products whose other factor makes them at least the smallest normal number, and products where it does not.
TEST_P(Sigmoid, ProductsAreNormalNumbersOrZero) {
  std::vector<float> sigma(lanes_), e(lanes_), rest(lanes_), product(lanes_), got(lanes_);
  for (const float factor : {1.0f, -3.0f, 0x1p40f, -0x1p20f}) {
    Sweep(-300, 20, [&](const std::vector<float>& x) {
      functions().scaled(x.data(), sigma.data(), e.data(), rest.data());
      for (size_t lane = 0; lane < lanes_; ++lane) product[lane] = factor * sigma[lane];
      functions().unscaled(product.data(), x.data(), rest.data(), got.data());
      for (size_t lane = 0; lane < lanes_; ++lane) {
        double want = double{factor} * ExactSigmoid(double{x[lane]});
        if (std::abs(want) < 0x1.FFFFp-127) want = 0;
        if (std::abs(want) >= 0x1.00001p-126 || want == 0) {
          ASSERT_LE(calls::UlpError(got[lane], want), 3) << x[lane];
        }
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Sigmoid,
                         ::testing::ValuesIn(testing::TestedTargets().begin(), testing::TestedTargets().end()),
                         [](const auto& parameter) { return TargetName(parameter.param); });

}  // namespace
}  // namespace portacl::simd
