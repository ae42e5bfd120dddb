// SPDX-License-Identifier: Apache-2.0
//
// Functions of any float32 on every instruction set, compared with those of the C library in float64.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "base/target.h"
#include "calls/ulp_error.h"
#include "simd/functions_lanes_fixture.h"
#include "testing/target_loop.h"

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
  double (*term)(double x) = nullptr;  // one of two terms whose sum is the result: errors are in ULP of the larger term
};

double LogisticInDouble(double x) { return 1 / (1 + std::exp(-x)); }

// x f(x), where f(x) goes to 0 faster than x grows.
double TimesLogistic(double x, double u) { return std::isinf(u) && u < 0 ? -0.0 : x * LogisticInDouble(u); }

double SiluInDouble(double x) { return TimesLogistic(x, x); }

double SiluTerm(double x) { return std::isinf(x) ? 0.0 : x * LogisticInDouble(x) * LogisticInDouble(-x); }

double SiluSlopeInDouble(double x) { return LogisticInDouble(x) + SiluTerm(x); }

double SoftplusInDouble(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double NormalInDouble(double x) { return 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2); }

double GeluInDouble(double x) { return x == -HUGE_VAL ? -0.0 : x * NormalInDouble(x); }

double GeluTerm(double x) { return std::isinf(x) ? 0.0 : x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

double GeluSlopeInDouble(double x) { return NormalInDouble(x) + GeluTerm(x); }

const double kTwoU = 2 * std::sqrt(2 / std::numbers::pi);

double GeluOfTanhInDouble(double x) { return TimesLogistic(x, kTwoU * (x + 0.044715 * x * x * x)); }

double GeluOfTanhTerm(double x) {
  const double u = kTwoU * (x + 0.044715 * x * x * x);
  const double product = LogisticInDouble(u) * LogisticInDouble(-u);
  return product == 0 ? 0.0 : product * x * kTwoU * (1 + 3 * 0.044715 * x * x);
}

double GeluOfTanhSlopeInDouble(double x) {
  return LogisticInDouble(kTwoU * (x + 0.044715 * x * x * x)) + GeluOfTanhTerm(x);
}

double SincInDouble(double x) {
  const double turn = std::remainder(x, 2);
  const double half = std::abs(turn) > 0.5 ? std::copysign(1.0, turn) - turn : turn;
  return x == 0 ? 1 : std::sin(std::numbers::pi * half) / (std::numbers::pi * x);
}

const FunctionRow kFunctionRows[] = {
    {"Exp", &RealFunctions::exp, std::exp, 0.9, 1.2},
    {"Expm1", &RealFunctions::expm1, std::expm1, 1.4, 1.4},
    {"Log", &RealFunctions::log, std::log, 1.0, 1.1},
    {"Log1p", &RealFunctions::log1p, std::log1p, 1.6, 1.6},
    {"Sigmoid", &RealFunctions::sigmoid, LogisticInDouble, 1.7, 2.0},
    {"Silu", &RealFunctions::silu, SiluInDouble, 1.9, 2.5},
    {"SiluSlope", &RealFunctions::silu_slope, SiluSlopeInDouble, 5.0, 5.0, SiluTerm},
    {"Tanh", &RealFunctions::tanh, std::tanh, 1.6, 1.6},
    {"Softplus", &RealFunctions::softplus, SoftplusInDouble, 2.0, 2.0},
    {"SquareRoot", &RealFunctions::square_root, std::sqrt, 0.501, 0.501},
    {"Erf", &RealFunctions::erf, std::erf, 1.2, 1.4},
    {"Erfc", &RealFunctions::erfc, std::erfc, 1.7, 2.8},
    {"Sin", &RealFunctions::sin, std::sin, 1.6, 1.6},
    {"Cos", &RealFunctions::cos, std::cos, 1.6, 1.6},
    {"Tan", &RealFunctions::tan, std::tan, 1.9, 0.51},
    {"TanOfNarrow", &RealFunctions::tan_of_narrow, std::tan, 20, 20},
    {"Sinc", &RealFunctions::sinc, SincInDouble, 0.51, 0.51},
    {"SincOfNarrow", &RealFunctions::sinc_of_narrow, SincInDouble, 30, 30},
    {"Sinh", &RealFunctions::sinh, std::sinh, 0.51, 0.51},
    {"Cosh", &RealFunctions::cosh, std::cosh, 0.51, 0.51},
    {"Atanh", &RealFunctions::atanh, std::atanh, 0.51, 0.51},
    {"Asin", &RealFunctions::asin, std::asin, 1.4, 1.4},
    {"Acos", &RealFunctions::acos, std::acos, 1.4, 1.4},
    {"Atan", &RealFunctions::atan, std::atan, 1.2, 1.2},
    {"Log2", &RealFunctions::log2, std::log2, 1.6, 1.7},
    {"Log10", &RealFunctions::log10, std::log10, 1.6, 1.4},
    {"Gelu", &RealFunctions::gelu, GeluInDouble, 1.8, 2.6},
    {"GeluSlope", &RealFunctions::gelu_slope, GeluSlopeInDouble, 2.7, 3.6, GeluTerm},
    {"GeluOfTanh", &RealFunctions::gelu_of_tanh, GeluOfTanhInDouble, 1.9, 2.5},
    {"GeluOfTanhSlope", &RealFunctions::gelu_of_tanh_slope, GeluOfTanhSlopeInDouble, 5.5, 6.7, GeluOfTanhTerm},
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
      const double part = row_.term == nullptr ? 0 : row_.term(x[lane]);
      const double term = part == 0 ? 0 : std::max(std::abs(part), std::abs(exact - part));
      ASSERT_LE(calls::UlpError(ACL_FLOAT, &got[lane], exact, term), limit_)
          << x[lane] << " gives " << got[lane] << " not " << exact;
      ASSERT_TRUE(got[lane] != 0 || row_.term != nullptr || std::signbit(got[lane]) == std::signbit(exact))
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
  // Coprime to 2^32: every pattern of the last bits appears.
#ifdef PORTACL_SLOW_TESTS
  constexpr uint32_t kStep = 100'003;
#else
  constexpr uint32_t kStep = 10'007;
#endif
  uint32_t bits = 0;
  for (uint64_t at = 0; at < uint64_t{1} << 32; at += kStep * lanes_) {
    for (float& element : x) element = std::bit_cast<float>(bits += kStep);
    ASSERT_NO_FATAL_FAILURE(ExpectRight(x));
  }
}

TEST_P(FunctionOfAny, KnowsSpecialValues) {
  for (const float x : {0.0f, kLeastFloat, 0x1.FFp-130f, 0x1p-126f, 1.0f, 0x1.921fb6p0f, 0x1p17f, 0x1.000002p17f,
                        kMostFloat, kInfiniteFloat}) {
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
                                            ::testing::ValuesIn(testing::TestedTargets().begin(),
                                                                testing::TestedTargets().end())),
                         [](const auto& parameter) {
                           return std::string(std::get<0>(parameter.param).name) + "_" +
                                  TargetName(std::get<1>(parameter.param));
                         });

class SquareRoot : public ::testing::TestWithParam<int64_t> {};

// Powers of four do not change the result, so these are all mantissas.
TEST_P(SquareRoot, IsTheNearestNumberWhateverItsNeighbours) {
  const RealFunctions functions = RealFunctionsFor(GetParam());
  std::vector<float> x(functions.float_lanes), got(functions.float_lanes);
  for (uint32_t bits = std::bit_cast<uint32_t>(1.0f); bits != std::bit_cast<uint32_t>(4.0f);) {
    for (float& element : x) element = std::bit_cast<float>(bits++);
    functions.square_root(x.data(), got.data());
    for (size_t lane = 0; lane < x.size(); ++lane) ASSERT_EQ(got[lane], std::sqrt(x[lane])) << x[lane];
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, SquareRoot,
                         ::testing::ValuesIn(testing::TestedTargets().begin(), testing::TestedTargets().end()),
                         [](const auto& parameter) { return std::string(TargetName(parameter.param)); });

struct FunctionOfTwoRow {
  const char* name;
  RealFunctions::OfTwo RealFunctions::* lanes;
  double (*exact)(double x, double y);
  double ulp;
  bool is_sum = false;  // the result is the larger operand plus a term: errors are in ULP of the larger of both
};

template <double (*power)(double), double (*rest)(double)>
double LogAdd(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return x + y;
  return std::max(x, y) + rest(x == y ? 1 : power(-std::abs(x - y)));
}
double Log2Of1Plus(double x) { return std::log1p(x) / std::numbers::ln2; }

const FunctionOfTwoRow kFunctionOfTwoRows[] = {
    {"Pow", &RealFunctions::pow, std::pow, 0.51},
    {"Atan2", &RealFunctions::atan2, std::atan2, 0.501},
    {"Atan2OfNarrow", &RealFunctions::atan2_of_narrow, std::atan2, 8},
    {"LogAddExp", &RealFunctions::log_add_exp, LogAdd<std::exp, std::log1p>, 0.51, true},
    {"LogAddExp2", &RealFunctions::log_add_exp2, LogAdd<std::exp2, Log2Of1Plus>, 0.51, true},
};

class FunctionOfTwo : public ::testing::TestWithParam<std::tuple<FunctionOfTwoRow, int64_t>> {
 protected:
  void ExpectRight(const std::vector<float>& x, const std::vector<float>& y) {
    std::vector<float> got(lanes_);
    (functions_.*row_.lanes)(x.data(), y.data(), got.data());
    for (size_t lane = 0; lane < lanes_; ++lane) {
      const double exact = row_.exact(double{x[lane]}, double{y[lane]});
      const double larger = std::abs(double{std::max(x[lane], y[lane])});
      const double term = row_.is_sum && std::isfinite(larger) ? larger : 0;
      ASSERT_LE(calls::UlpError(ACL_FLOAT, &got[lane], exact, term), row_.ulp)
          << x[lane] << ", " << y[lane] << " give " << got[lane] << " not " << exact;
      ASSERT_TRUE(got[lane] != 0 || row_.is_sum || std::signbit(got[lane]) == std::signbit(exact))
          << x[lane] << ", " << y[lane];
    }
  }

  const FunctionOfTwoRow row_ = std::get<0>(GetParam());
  const RealFunctions functions_ = RealFunctionsFor(std::get<1>(GetParam()));
  const size_t lanes_ = functions_.float_lanes;
};

TEST_P(FunctionOfTwo, IsThatOfTheCLibraryForSpecialValues) {
  const float values[] = {0,
                          kLeastFloat,
                          0x1p-126f,
                          0.5f,
                          0x1.fffffep-1f,
                          1,
                          0x1.000002p0f,
                          1.5f,
                          2,
                          3,
                          0x1p23f,
                          0x1.000002p23f,
                          0x1p24f,
                          kMostFloat,
                          -2.5f,
                          1e-3f,
                          127,
                          149,
                          150,
                          kInfiniteFloat,
                          std::numeric_limits<float>::quiet_NaN()};
  for (const float a : values) {
    for (const float b : values) {
      for (const int signs : {0, 1, 2, 3}) {
        const float x = signs % 2 == 0 ? a : -a;
        const float y = signs / 2 == 0 ? b : -b;
        ASSERT_NO_FATAL_FAILURE(ExpectRight(std::vector<float>(lanes_, x), std::vector<float>(lanes_, y)));
      }
    }
  }
}

TEST_P(FunctionOfTwo, StaysWithinItsUlp) {
  std::vector<float> x(lanes_), y(lanes_);
  for (uint32_t step = 0; step < 100'000; step += static_cast<uint32_t>(lanes_)) {
    for (size_t lane = 0; lane < lanes_; ++lane) {
      const uint32_t at = step + static_cast<uint32_t>(lane);
      // Any positive x, half of them near 1, with exponents y that give any finite result.
      x[lane] = std::bit_cast<float>(at % 2 == 0 ? at * 21391 % 0x7F800000 : 0x3F000000 + at * 167);
      const double least = x[lane] == 1 ? 1 : 104 / std::log(double{x[lane]});
      y[lane] = static_cast<float>(least * (at % 997) / 997.0);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectRight(x, y));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FunctionOfTwo,
                         ::testing::Combine(::testing::ValuesIn(kFunctionOfTwoRows),
                                            ::testing::ValuesIn(testing::TestedTargets().begin(),
                                                                testing::TestedTargets().end())),
                         [](const auto& parameter) {
                           return std::string(std::get<0>(parameter.param).name) + "_" +
                                  TargetName(std::get<1>(parameter.param));
                         });

}  // namespace
}  // namespace portacl::simd
