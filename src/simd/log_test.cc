// SPDX-License-Identifier: Apache-2.0
//
// Logarithms on every instruction set, compared with one of a wider type in the C library.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/target.h"
#include "calls/ulp_error.h"
#include "simd/simd_lanes_fixture.h"
#include "testing/sample_size.h"
#include "testing/target_loop.h"

namespace portacl::simd {
namespace {

class Log : public ::testing::TestWithParam<int64_t> {
 protected:
  // The error of ln(m 2^n), for m from 2^-600 to 2^600, relative to the larger term.
  static double LargestErrorOfScaled(void (*log)(const double*, const double*, double*)) {
    const size_t lanes = LaneFunctionsFor(GetParam()).tail.double_lanes;
    std::vector<double> m(lanes), n(lanes), got(lanes);
    long double largest = 0;
    constexpr auto kSteps = static_cast<int>(testing::SampleSize(300'000));
    for (int step = 0; step < kSteps; step += static_cast<int>(lanes)) {
      for (size_t lane = 0; lane < lanes; ++lane) {
        const int at = step + static_cast<int>(lane);
        m[lane] = std::exp2(at % 3 == 0 ? 1200.0 * at / kSteps - 600 : 2.0 * at / kSteps - 1);
        n[lane] = at % 2 == 0 ? 0 : 256.0 * (at % 801 - 400);
      }
      log(m.data(), n.data(), got.data());
      for (size_t lane = 0; lane < lanes; ++lane) {
        const long double of_m = std::log(static_cast<long double>(m[lane]));
        const long double of_n = n[lane] * std::log(2.0L);
        const long double term = std::max(std::abs(of_m), std::abs(of_n));
        if (term > 0) largest = std::max(largest, std::abs(got[lane] - (of_m + of_n)) / term);
      }
    }
    return static_cast<double>(largest);
  }
};

TEST_P(Log, OfFloatStaysWithinItsUlp) {
  const size_t lanes = LaneFunctionsFor(GetParam()).tail.float_lanes;
  std::vector<float> x(lanes), got(lanes);
  double largest = 0;
  constexpr uint32_t kStep = testing::kTestsAreSlow ? 30'011 : 3001;
  for (uint32_t bits = 0x00800000; bits < 0x7F800000; bits += kStep) {
    for (size_t lane = 0; lane < lanes; ++lane) {
      const uint32_t at = std::min(bits + static_cast<uint32_t>(lane) * 200, uint32_t{0x7F7FFFFF});
      // Half of the values are near 1.
      x[lane] = std::bit_cast<float>(lane % 2 == 0 ? at : 0x3F800000 + (at >> 6) - (uint32_t{0x40000000} >> 6));
    }
    LaneFunctionsFor(GetParam()).log.of_float(x.data(), got.data());
    for (size_t lane = 0; lane < lanes; ++lane)
      largest = std::max(largest, calls::UlpError(got[lane], std::log(double{x[lane]})));
  }
  EXPECT_LE(largest, 1.1);
}

TEST_P(Log, OfScaledStaysWithinItsError) {
  EXPECT_LE(LargestErrorOfScaled(LaneFunctionsFor(GetParam()).log.wide), 3.3e-16);
  EXPECT_LE(LargestErrorOfScaled(LaneFunctionsFor(GetParam()).log.narrow), 3e-9);
}

TEST_P(Log, OfScaledKnowsZeroInfinityAndNan) {
  const size_t lanes = LaneFunctionsFor(GetParam()).tail.double_lanes;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (auto* log : {LaneFunctionsFor(GetParam()).log.wide, LaneFunctionsFor(GetParam()).log.narrow}) {
    const auto of = [&](double m, double n) {
      std::vector<double> got(lanes);
      log(std::vector<double>(lanes, m).data(), std::vector<double>(lanes, n).data(), got.data());
      EXPECT_TRUE(std::all_of(got.begin(), got.end(), [&](double x) { return x == got[0] || std::isnan(got[0]); }));
      return got[0];
    };
    for (const double n : {0.0, -256.0, -2.56e302}) {
      EXPECT_EQ(of(0, n), -kInfinity);
      EXPECT_EQ(of(kInfinity, n), kInfinity);
      EXPECT_TRUE(std::isnan(of(std::numeric_limits<double>::quiet_NaN(), n)));
    }
    EXPECT_EQ(of(1, 0), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Log,
                         ::testing::ValuesIn(testing::TestedTargets().begin(), testing::TestedTargets().end()),
                         [](const auto& parameter) { return TargetName(parameter.param); });

}  // namespace
}  // namespace portacl::simd
