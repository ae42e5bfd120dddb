// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/dtype.h"
#include "calls/pointwise_oracle.h"
#include "tensor/promote.h"

namespace portacl::ops::power {

using calls::Complex;
using calls::Int128;
using calls::LongDouble;

// powl of glibc 2.36 returns infinity for -inf to the power of -2^63.
inline LongDouble RealPower(LongDouble base, LongDouble exponent) {
  if (std::isinf(base)) return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  return std::pow(base, exponent);
}
inline Complex ComplexPower(Complex base, Complex exponent) {
  constexpr LongDouble kNan = std::numeric_limits<LongDouble>::quiet_NaN();
  if (exponent == Complex()) return 1;
  if (base == Complex()) return exponent.real() > 0 ? Complex() : Complex(kNan, kNan);
  return std::pow(base, exponent);
}
// Errors of the logarithm are errors of the angle, and relative errors of the modulus. If the angle is undetermined, or
// an intermediate float64 result leaves its range, any result is valid.
inline LongDouble ComplexPowerTerm(Complex base, Complex exponent) {
  if (exponent == Complex() || base == Complex()) return 0;
  const Complex log = exponent * std::log(base);
  const LongDouble size = std::abs(log);
  if (!(size < 0x1p20L)) return std::numeric_limits<LongDouble>::infinity();
  return std::abs(std::exp(log)) * size;
}
inline Int128 WholePower(Int128 base, Int128 exponent) {
  if (exponent < 0 && base == -1) return exponent % 2 == 0 ? 1 : -1;
  if (exponent < 0) return base == 1 ? 1 : 0;
  uint64_t result = 1;  // modulo 2^64
  for (int bit = 63; bit >= 0; --bit) {
    result *= result;
    if ((exponent >> bit & 1) != 0) result *= static_cast<uint64_t>(base);
  }
  return result;
}

inline constexpr calls::PointwiseFormula kFormulas[] = {
    {.api = "aclnnPowTensorTensor",
     .real = [](const LongDouble* x) { return RealPower(x[0], x[1]); },
     .whole = [](const Int128* x) { return WholePower(x[0], x[1]); },
     .complex = [](const Complex* x) { return ComplexPower(x[0], x[1]); },
     .complex_term = [](const Complex* x) { return ComplexPowerTerm(x[0], x[1]); }},
    {.api = "aclnnPowTensorScalar",
     .real = [](const LongDouble* x) { return x[1] == 0.5L ? std::sqrt(x[0]) : RealPower(x[0], x[1]); },
     .whole = [](const Int128* x) { return WholePower(x[0], x[1]); },
     .complex =
         [](const Complex* x) {
           if (x[1] == Complex(0.5L)) return std::sqrt(x[0]);
           return x[1] == Complex(2) ? x[0] * x[0] : ComplexPower(x[0], x[1]);
         },
     .complex_term = [](const Complex* x) { return ComplexPowerTerm(x[0], x[1]); },
     .promoting_scalars = 1},
    {.api = "aclnnPowScalarTensor",  // tensors come first
     .real = [](const LongDouble* x) { return RealPower(x[1], x[0]); },
     .whole = [](const Int128* x) { return WholePower(x[1], x[0]); },
     .complex = [](const Complex* x) { return ComplexPower(x[1], x[0]); },
     .complex_term = [](const Complex* x) { return ComplexPowerTerm(x[1], x[0]); },
     .promoting_scalars = 1},
    {.api = "aclnnForeachPowList",
     .real = [](const LongDouble* x) { return RealPower(x[0], x[1]); },
     .whole = [](const Int128* x) { return WholePower(x[0], x[1]); }},
    {.api = "aclnnForeachPowScalar",
     .real = [](const LongDouble* x) { return RealPower(x[0], x[1]); },
     .whole = [](const Int128* x) { return WholePower(x[0], x[1]); }},
    {.api = "aclnnForeachPowScalarAndTensor",
     .real = [](const LongDouble* x) { return RealPower(x[1], x[0]); },
     .whole = [](const Int128* x) { return WholePower(x[1], x[0]); }},
};

inline bool Oracle(calls::OracleCall& call) { return calls::ComputePointwise(call, kFormulas); }

// Integers have no powers with negative exponents.
inline void CompleteContents(calls::Call& call) {
  const std::string_view api = call.schema().api;
  if (api != "aclnnPowTensorScalar" && api != "aclnnInplacePowTensorScalar") return;
  calls::ArgumentSpec& exponent = call.argument("exponent");
  const aclDataType common = PromoteWithScalar(call.tensor("self").dtype, exponent.number);
  if (FindDtype(common)->kind < DtypeKind::kFloating) exponent.real = std::abs(exponent.real);
}

}  // namespace portacl::ops::power
