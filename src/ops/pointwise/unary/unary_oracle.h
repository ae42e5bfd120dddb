// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the documented formulas in long double.
#pragma once

#include <cmath>
#include <span>
#include <string_view>

#include "calls/element.h"
#include "calls/pointwise_oracle.h"

namespace portacl::ops::unary {

using calls::Complex;
using calls::Int128;
using calls::LongDouble;

inline LongDouble SincReference(const LongDouble* x) {
  constexpr LongDouble kPi = 3.14159265358979323846264338327950288L;
  if (x[0] == 0) return 1;
  const LongDouble turn = std::remainder(x[0], 2.0L);
  return std::sin(kPi * (std::abs(turn) > 0.5L ? std::copysign(1.0L, turn) - turn : turn)) / (kPi * x[0]);
}

inline constexpr calls::PointwiseFormula kFormulas[] = {
    {.api = "aclnnAbs",
     .real = [](const LongDouble* x) { return std::abs(x[0]); },
     .whole = [](const Int128* x) { return x[0] < 0 ? -x[0] : x[0]; },
     .complex = [](const Complex* x) { return Complex(std::abs(x[0])); }},
    {.api = "aclnnNeg",
     .real = [](const LongDouble* x) { return -x[0]; },
     .whole = [](const Int128* x) { return -x[0]; },
     .complex = [](const Complex* x) { return -x[0]; }},
    {.api = "aclnnBitwiseNot", .whole = [](const Int128* x) { return -1 - x[0]; }},
    {.api = "aclnnSign",
     .real = [](const LongDouble* x) { return LongDouble((x[0] > 0) - (x[0] < 0)); },
     .whole = [](const Int128* x) { return Int128{x[0] > 0} - Int128{x[0] < 0}; },
     .complex = [](const Complex* x) { return x[0] == Complex() ? Complex() : x[0] / std::abs(x[0]); }},
    {.api = "aclnnSqrt",
     .real = [](const LongDouble* x) { return std::sqrt(x[0]); },
     .complex = [](const Complex* x) { return std::sqrt(x[0]); }},
    {.api = "aclnnRsqrt",
     .real = [](const LongDouble* x) { return 1 / std::sqrt(x[0]); },
     .complex = [](const Complex* x) { return Complex(1) / std::sqrt(x[0]); }},
    {.api = "aclnnExp",
     .real = [](const LongDouble* x) { return std::exp(x[0]); },
     .complex = [](const Complex* x) { return std::exp(x[0]); }},
    {.api = "aclnnLog",
     .real = [](const LongDouble* x) { return std::log(x[0]); },
     .complex = [](const Complex* x) { return std::log(x[0]); }},
    {.api = "aclnnSin",
     .real = [](const LongDouble* x) { return std::sin(x[0]); },
     .complex = [](const Complex* x) { return std::sin(x[0]); }},
    {.api = "aclnnCos",
     .real = [](const LongDouble* x) { return std::cos(x[0]); },
     .complex = [](const Complex* x) { return std::cos(x[0]); }},
    {.api = "aclnnAcos", .real = [](const LongDouble* x) { return std::acos(x[0]); }},
    {.api = "aclnnAsin", .real = [](const LongDouble* x) { return std::asin(x[0]); }},
    {.api = "aclnnAtan", .real = [](const LongDouble* x) { return std::atan(x[0]); }},
    {.api = "aclnnAcosh", .real = [](const LongDouble* x) { return std::acosh(x[0]); }},
    {.api = "aclnnAsinh",
     .real = [](const LongDouble* x) { return std::asinh(x[0]); },
     .complex = [](const Complex* x) { return std::asinh(x[0]); }},
    {.api = "aclnnAtanh", .real = [](const LongDouble* x) { return std::atanh(x[0]); }},
    {.api = "aclnnSinh",
     .real = [](const LongDouble* x) { return std::sinh(x[0]); },
     .complex = [](const Complex* x) { return std::sinh(x[0]); }},
    {.api = "aclnnCosh",
     .real = [](const LongDouble* x) { return std::cosh(x[0]); },
     .complex = [](const Complex* x) { return std::cosh(x[0]); }},
    {.api = "aclnnTan",
     .real = [](const LongDouble* x) { return std::tan(x[0]); },
     .complex = [](const Complex* x) { return std::tan(x[0]); }},
    {.api = "aclnnErf", .real = [](const LongDouble* x) { return std::erf(x[0]); }},
    {.api = "aclnnErfc", .real = [](const LongDouble* x) { return std::erfc(x[0]); }},
    {.api = "aclnnExp2", .real = [](const LongDouble* x) { return std::exp2(x[0]); }},
    {.api = "aclnnExpm1", .real = [](const LongDouble* x) { return std::expm1(x[0]); }},
    {.api = "aclnnLog1p", .real = [](const LongDouble* x) { return std::log1p(x[0]); }},
    {.api = "aclnnLog10",
     .real = [](const LongDouble* x) { return std::log10(x[0]); },
     .complex = [](const Complex* x) { return std::log10(x[0]); }},
    {.api = "aclnnLog2",
     .real = [](const LongDouble* x) { return std::log2(x[0]); },
     .complex = [](const Complex* x) { return std::log(x[0]) / std::log(2.0L); }},
    {.api = "aclnnCeil", .real = [](const LongDouble* x) { return std::ceil(x[0]); }},
    {.api = "aclnnFloor",
     .real = [](const LongDouble* x) { return std::floor(x[0]); },
     .whole = [](const Int128* x) { return x[0]; }},
    {.api = "aclnnRound",
     .real = [](const LongDouble* x) { return std::nearbyint(x[0]); },
     .whole = [](const Int128* x) { return x[0]; }},
    {.api = "aclnnTrunc", .real = [](const LongDouble* x) { return std::trunc(x[0]); }},
    {.api = "aclnnReciprocal",
     .real = [](const LongDouble* x) { return 1 / x[0]; },
     .complex = [](const Complex* x) { return Complex(1) / x[0]; }},
    {.api = "aclnnSinc", .real = SincReference},
    {.api = "aclnnSignbit", .real = [](const LongDouble* x) { return LongDouble(std::signbit(x[0])); }},
    {.api = "aclnnIsFinite", .real = [](const LongDouble* x) { return LongDouble(std::isfinite(x[0])); }},
    {.api = "aclnnIsPosInf", .real = [](const LongDouble* x) { return LongDouble(std::isinf(x[0]) && x[0] > 0); }},
    {.api = "aclnnIsNegInf", .real = [](const LongDouble* x) { return LongDouble(std::isinf(x[0]) && x[0] < 0); }},
    {.api = "aclnnIsInf", .real = [](const LongDouble* x) { return LongDouble(std::isinf(x[0])); }},
};

// For decimals > 0; the function below is for others.
template <class T>
LongDouble RoundUpToDecimals(const LongDouble* x) {
  const T power = static_cast<T>(std::pow(10.0, static_cast<double>(x[1])));
  const T scaled = std::nearbyint(static_cast<T>(x[0]) * power);
  return scaled / power;
}
template <class T>
LongDouble RoundToTens(const LongDouble* x) {
  const T power = static_cast<T>(std::pow(10.0, static_cast<double>(-x[1])));
  const T scaled = std::nearbyint(static_cast<T>(x[0]) / power);
  return scaled * power;
}
inline constexpr calls::PointwiseFormula kDecimals[] = {{.api = "aclnnRoundDecimals",
                                                         .real = RoundUpToDecimals<double>,
                                                         .single = RoundUpToDecimals<float>,
                                                         .whole = [](const Int128* x) { return x[0]; }}};
inline constexpr calls::PointwiseFormula kTens[] = {
    {.api = "aclnnRoundDecimals", .real = RoundToTens<double>, .single = RoundToTens<float>}};

inline constexpr calls::PointwiseFormula kOfBool[] = {
    {.api = "aclnnBitwiseNot", .whole = [](const Int128* x) { return Int128{x[0] == 0}; }}};

inline bool Oracle(calls::OracleCall& call) {
  const bool is_bool = call.Tensor(call.schema().args[0].name).dtype == ACL_BOOL;
  if (is_bool && calls::ComputePointwise(call, kOfBool)) return true;
  if (call.schema().Find("decimals") < 0) return calls::ComputePointwise(call, kFormulas);
  return calls::ComputePointwise(call, call.Integer("decimals") < 0 ? std::span(kTens) : std::span(kDecimals));
}

/// For aclnnAbs's check of its output.
inline void CompleteCall(calls::Call& call, calls::Random*, int64_t) {
  if (std::string_view(call.schema().api) == "aclnnAbs")
    call.tensor("out").dtype = calls::PartDtype(call.tensor("self").dtype);
}

}  // namespace portacl::ops::unary
