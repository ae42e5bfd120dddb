// SPDX-License-Identifier: Apache-2.0
//
// Exp on every instruction set, compared with an exponential of a wider type in the C library.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/target.h"
#include "calls/ulp_error.h"
#include "simd/simd_lanes_fixture.h"
#include "testing/sample_size.h"
#include "testing/target_loop.h"

namespace portacl::simd {
namespace {

class Exp : public ::testing::TestWithParam<int64_t> {
 protected:
  // The largest error in ULP over the range of Exp, including its ends.
  static double LargestError(void (*exp)(const float*, float*)) {
    const size_t lanes = LaneFunctionsFor(GetParam()).tail.float_lanes;
    constexpr float kLow = -0x1.5d589ep6f;
    constexpr float kHigh = 88.3f;
    constexpr auto kSteps = static_cast<int>(testing::SampleSize(300'000));
    std::vector<float> x(lanes), got(lanes);
    double largest = 0;
    for (int step = 0; step <= kSteps; step += static_cast<int>(lanes)) {
      for (size_t lane = 0; lane < lanes; ++lane) {
        const int at = std::min(step + static_cast<int>(lane), kSteps);
        x[lane] = std::clamp(kLow + (kHigh - kLow) * (static_cast<float>(at) / kSteps), kLow, kHigh);
        if (at % 3 == 1) x[lane] /= 256;  // denser near 0
      }
      exp(x.data(), got.data());
      for (size_t lane = 0; lane < lanes; ++lane) {
        largest = std::max(largest, calls::UlpError(got[lane], std::exp(double{x[lane]})));
        EXPECT_TRUE(std::isnormal(got[lane])) << x[lane];
      }
    }
    return largest;
  }

  // The largest relative error in float64.
  static double LargestErrorOfDouble(void (*exp)(const double*, double*)) {
    const size_t lanes = LaneFunctionsFor(GetParam()).tail.double_lanes;
    constexpr auto kSteps = static_cast<int>(testing::SampleSize(300'000));
    std::vector<double> x(lanes), got(lanes);
    long double largest = 0;
    for (int step = 0; step <= kSteps; step += static_cast<int>(lanes)) {
      for (size_t lane = 0; lane < lanes; ++lane) {
        const int at = std::min(step + static_cast<int>(lane), kSteps);
        x[lane] = 708 * (2.0 * at / kSteps - 1);
        if (at % 3 == 1) x[lane] /= 1024;  // denser near 0
      }
      exp(x.data(), got.data());
      for (size_t lane = 0; lane < lanes; ++lane) {
        const long double want = std::exp(static_cast<long double>(x[lane]));
        largest = std::max(largest, std::abs(got[lane] / want - 1));
      }
    }
    return static_cast<double>(largest);
  }
};

TEST_P(Exp, StaysWithinItsUlp) {
  EXPECT_LE(LargestError(LaneFunctionsFor(GetParam()).exp.wide), HasFusedMultiplyAdd(GetParam()) ? 1.0 : 1.2);
}

TEST_P(Exp, StaysWithinThreeUlpForNarrowResults) {
  EXPECT_LE(LargestError(LaneFunctionsFor(GetParam()).exp.narrow), 3.0);
}

TEST_P(Exp, OfDoubleStaysWithinItsRelativeError) {
  EXPECT_LE(LargestErrorOfDouble(LaneFunctionsFor(GetParam()).exp.wide_double), 1.1 * 0x1p-52);
  EXPECT_LE(LargestErrorOfDouble(LaneFunctionsFor(GetParam()).exp.narrow_double), 5.3e-11);
}

TEST_P(Exp, OfNanIsNan) {
  const size_t lanes = LaneFunctionsFor(GetParam()).tail.float_lanes;
  for (const uint32_t bits : {0x7FC00000u, 0x7FC00001u, 0xFFFFFFFFu, 0x7FC001FFu, 0xFFC00081u}) {
    const std::vector<float> x(lanes, std::bit_cast<float>(bits));
    std::vector<float> got(lanes);
    LaneFunctionsFor(GetParam()).exp.wide(x.data(), got.data());
    for (const float value : got) EXPECT_TRUE(std::isnan(value)) << bits;
  }
}

TEST_P(Exp, OfZeroIsOne) {
  const std::vector<float> x(LaneFunctionsFor(GetParam()).tail.float_lanes, 0.0f);
  std::vector<float> got(x.size());
  LaneFunctionsFor(GetParam()).exp.wide(x.data(), got.data());
  for (const float value : got) EXPECT_EQ(value, 1.0f);
}

// The accuracy limits depend on this.
TEST_P(Exp, FusesAsTheTableOfTargetsSays) {
  EXPECT_EQ(LaneFunctionsFor(GetParam()).fused, HasFusedMultiplyAdd(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Targets, Exp,
                         ::testing::ValuesIn(testing::TestedTargets().begin(), testing::TestedTargets().end()),
                         [](const auto& parameter) { return TargetName(parameter.param); });

}  // namespace
}  // namespace portacl::simd
