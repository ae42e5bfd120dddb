// SPDX-License-Identifier: Apache-2.0
//
// Functions of any float32 on every instruction set, against those of the C library in float64.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/target.h"
#include "calls/ulp_error.h"
#include "simd/functions_lanes_fixture.h"

namespace portacl::simd {
namespace {

constexpr float kInfiniteFloat = std::numeric_limits<float>::infinity();
constexpr float kLeastFloat = std::numeric_limits<float>::denorm_min();
constexpr float kMostFloat = std::numeric_limits<float>::max();

struct FunctionRow {
  const char* name;
  RealFunctions::Function RealFunctions::* lanes;
  double (*exact)(double x);
  double ulp;
  double ulp_without_fma;
};

double LogisticInDouble(double x) { return 1 / (1 + std::exp(-x)); }

double SiluInDouble(double x) { return x == -HUGE_VAL ? -0.0 : x * LogisticInDouble(x); }

const FunctionRow kFunctionRows[] = {
    {"Exp", &RealFunctions::exp, std::exp, 0.9, 1.2},
    {"Log", &RealFunctions::log, std::log, 1.0, 1.1},
    {"Log1p", &RealFunctions::log1p, std::log1p, 1.6, 1.6},
    {"Sigmoid", &RealFunctions::sigmoid, LogisticInDouble, 1.6, 1.9},
    {"Silu", &RealFunctions::silu, SiluInDouble, 1.8, 2.4},
    {"Tanh", &RealFunctions::tanh, std::tanh, 1.6, 1.6},
};

class FunctionOfAny : public ::testing::TestWithParam<std::tuple<FunctionRow, int64_t>> {
 protected:
  std::vector<float> Of(const std::vector<float>& x) const {
    std::vector<float> got(x.size());
    function_(x.data(), got.data());
    return got;
  }

  void ExpectRight(const std::vector<float>& x) {
    const std::vector<float> got = Of(x);
    for (size_t lane = 0; lane < lanes_; ++lane) {
      const double exact = row_.exact(double{x[lane]});
      ASSERT_LE(calls::UlpError(got[lane], exact), limit_) << x[lane] << " gives " << got[lane] << " not " << exact;
      ASSERT_TRUE(got[lane] != 0 || std::signbit(got[lane]) == std::signbit(exact))
          << x[lane] << " gives " << got[lane];
    }
  }

  const FunctionRow row_ = std::get<0>(GetParam());
  const int64_t target_ = std::get<1>(GetParam());
  const size_t lanes_ = RealFunctionsFor(target_).float_lanes;
  const RealFunctions::Function function_ = RealFunctionsFor(target_).*row_.lanes;
  const double limit_ = HasFusedMultiplyAdd(target_) ? row_.ulp : row_.ulp_without_fma;
};

TEST_P(FunctionOfAny, StaysWithinItsUlp) {
  std::vector<float> x(lanes_);
  constexpr uint32_t kStep = 10007;  // coprime to 2^32: every pattern of the last bits appears
  uint32_t bits = 0;
  for (uint64_t at = 0; at < uint64_t{1} << 32; at += kStep * lanes_) {
    for (float& element : x) element = std::bit_cast<float>(bits += kStep);
    ASSERT_NO_FATAL_FAILURE(ExpectRight(x));
  }
}

TEST_P(FunctionOfAny, KnowsSpecialValues) {
  for (const float x : {0.0f, kLeastFloat, 0x1.FFp-130f, 0x1p-126f, 1.0f, 2.0f, 0x1p24f, kMostFloat, kInfiniteFloat}) {
    ASSERT_NO_FATAL_FAILURE(ExpectRight(std::vector<float>(lanes_, x)));
    ASSERT_NO_FATAL_FAILURE(ExpectRight(std::vector<float>(lanes_, -x)));
  }
}

TEST_P(FunctionOfAny, OfNanIsNanWhateverItsNeighbours) {
  for (const uint32_t bits : {0x7FC00000u, 0x7FC00001u, 0xFFFFFFFFu, 0x7FC001FFu, 0xFFC00081u}) {
    for (const float neighbour : {1.0f, -kInfiniteFloat}) {
      std::vector<float> x(lanes_, neighbour);
      x.back() = std::bit_cast<float>(bits);
      EXPECT_TRUE(std::isnan(Of(x).back())) << bits;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FunctionOfAny,
                         ::testing::Combine(::testing::ValuesIn(kFunctionRows),
                                            ::testing::ValuesIn(UsableTargets().begin(), UsableTargets().end())),
                         [](const auto& parameter) {
                           return std::string(std::get<0>(parameter.param).name) + "_" +
                                  TargetName(std::get<1>(parameter.param));
                         });

}  // namespace
}  // namespace portacl::simd
