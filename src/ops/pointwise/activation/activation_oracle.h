// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the documented formulas in long double.
#pragma once

#include <cmath>

#include "calls/pointwise_oracle.h"

namespace portacl::ops::activation {

using calls::Complex;
using calls::Int128;
using calls::LongDouble;

inline LongDouble LeakyReluReference(const LongDouble* x) { return x[0] > 0 ? x[0] : x[1] * x[0]; }
inline LongDouble EluReference(const LongDouble* x) {
  return x[0] > 0 ? x[2] * x[0] : x[1] * x[2] * std::expm1(x[3] * x[0]);
}
inline LongDouble HardsigmoidReference(const LongDouble* x) {
  const LongDouble y = x[0] / 6 + 0.5L;
  return y < 0 ? 0 : y > 1 ? 1 : y;
}
inline LongDouble HardswishReference(const LongDouble* x) {
  if (x[0] <= -3) return 0;
  return x[0] >= 3 ? x[0] : x[0] * (x[0] + 3) / 6;
}
inline LongDouble SigmoidReference(const LongDouble* x) { return 1 / (1 + std::exp(-x[0])); }
// Uses e^-z or e^z, whichever does not overflow; 1 + cos is written as a square, which does not cancel.
inline Complex ComplexSigmoidReference(const Complex* z) {
  const bool is_left = z[0].real() < 0;
  const Complex u = is_left ? z[0] : -z[0];
  if (std::isinf(u.real())) return is_left ? 0 : 1;
  const LongDouble cosine = std::cos(u.imag() / 2);
  const Complex sum(2 * cosine * cosine + std::expm1(u.real()) * std::cos(u.imag()),
                    std::exp(u.real()) * std::sin(u.imag()));
  return (is_left ? std::exp(u) : Complex(1)) / sum;
}
inline LongDouble SiluReference(const LongDouble* x) {
  return std::isinf(x[0]) && x[0] < 0 ? 0 : x[0] / (1 + std::exp(-x[0]));
}
inline LongDouble TanhReference(const LongDouble* x) { return std::tanh(x[0]); }
inline LongDouble SoftplusReference(const LongDouble* x) {
  const LongDouble scaled = x[1] * x[0];
  // From 64 on the logarithm equals its argument to the last bit, and the exponential could overflow.
  return scaled > x[2] || (scaled > 64 && std::isfinite(scaled)) ? x[0] : std::log1p(std::exp(scaled)) / x[1];
}
inline LongDouble GeluReference(const LongDouble* x) {
  if (std::isinf(x[0])) return x[0] < 0 ? 0 : x[0];
  const LongDouble u = 0.797884560802865355879892119868763737L * (x[0] + 0.044715L * x[0] * x[0] * x[0]);
  return x[0] / (1 + std::exp(-2 * u));  // (1 + tanh u) / 2 without a difference of nearly equal numbers
}
inline LongDouble GeluV2Reference(const LongDouble* x) {
  if (x[1] == 1) return GeluReference(x);
  if (std::isinf(x[0])) return x[0] < 0 ? 0 : x[0];
  return x[0] * std::erfc(-x[0] / std::sqrt(2.0L)) / 2;
}

inline constexpr calls::PointwiseFormula kFormulas[] = {
    {.api = "aclnnRelu",
     .real = [](const LongDouble* x) { return x[0] < 0 ? 0 : x[0]; },
     .whole = [](const Int128* x) { return x[0] < 0 ? 0 : x[0]; }},
    {.api = "aclnnLeakyRelu", .real = LeakyReluReference},
    {.api = "aclnnElu", .real = EluReference},
    {.api = "aclnnHardsigmoid",
     .real = HardsigmoidReference,
     .whole = [](const Int128* x) { return Int128{x[0] >= 3}; }},
    {.api = "aclnnHardswish", .real = HardswishReference},
    {.api = "aclnnSigmoid", .real = SigmoidReference, .complex = ComplexSigmoidReference},
    {.api = "aclnnSilu", .real = SiluReference},
    {.api = "aclnnTanh", .real = TanhReference},
    {.api = "aclnnSoftplus", .real = SoftplusReference},
    {.api = "aclnnGelu", .real = GeluReference},
    {.api = "aclnnGeluV2", .real = GeluV2Reference},
};

inline bool Oracle(calls::OracleCall& call) { return calls::ComputePointwise(call, kFormulas); }

}  // namespace portacl::ops::activation
