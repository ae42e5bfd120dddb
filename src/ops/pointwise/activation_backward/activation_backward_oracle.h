// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the documented derivatives in long double.
#pragma once

#include <cmath>
#include <limits>

#include "calls/pointwise_oracle.h"

namespace portacl::ops::activation_backward {

using calls::Complex;
using calls::Int128;
using calls::LongDouble;

inline LongDouble GeluBackwardReference(const LongDouble* x) {
  constexpr LongDouble kRoot = 0.797884560802865355879892119868763737L;
  if (std::isinf(x[1])) return x[1] < 0 ? x[0] * 0 : x[0];
  const LongDouble two_u = 2 * kRoot * (x[1] + 0.044715L * x[1] * x[1] * x[1]);
  const LongDouble slope = 2 * kRoot * (1 + 3 * 0.044715L * x[1] * x[1]);
  const LongDouble sigma = 1 / (1 + std::exp(-two_u)), rest = 1 / (1 + std::exp(two_u));
  return x[0] * (sigma + (sigma == 0 || rest == 0 ? 0 : x[1] * sigma * rest * slope));
}
inline LongDouble GeluOfErfBackwardReference(const LongDouble* x) {
  constexpr LongDouble kRoot = 0.707106781186547524400844362104849039L,
                       kDensity = 0.398942280401432677939946059934381868L;
  if (std::isinf(x[1])) return x[1] < 0 ? x[0] * 0 : x[0];
  return x[0] * (std::erfc(-x[1] * kRoot) / 2 + x[1] * kDensity * std::exp(-x[1] * x[1] / 2));
}
inline LongDouble SiluBackwardReference(const LongDouble* x) {
  if (std::isinf(x[1])) return x[1] < 0 ? x[0] * 0 : x[0];
  const LongDouble sigma = 1 / (1 + std::exp(-x[1]));
  return x[0] * (sigma + x[1] * sigma / (1 + std::exp(x[1])));
}
inline LongDouble EluBackwardReference(const LongDouble* x) {
  const LongDouble alpha = x[2], scale = x[3], input_scale = x[4];
  if (x[1] > 0) return x[0] * scale;
  return x[0] * input_scale * (x[5] != 0 ? x[1] + alpha * scale : alpha * scale * std::exp(x[1] * input_scale));
}
inline LongDouble SizeOfGradient(const LongDouble* x) { return std::abs(x[0]); }
// Results of sigmoid and tanh lie in [-1, 1]; far outside, the square may be infinite.
inline LongDouble SizeOfProduct(const LongDouble* x) {
  return std::abs(x[1]) > 1e15L ? std::numeric_limits<LongDouble>::infinity() : std::abs(x[0]);
}
inline LongDouble EluTerm(const LongDouble* x) {
  // Beyond the range of float64 the exponential is infinite, whatever it is multiplied with.
  if (x[5] == 0 && x[1] <= 0 && x[1] * x[4] > 700) return std::numeric_limits<LongDouble>::infinity();
  return std::abs(x[0]) * std::max(1.0L, std::abs(x[4]) * (std::abs(x[1]) + std::abs(x[2] * x[3])));
}

inline constexpr calls::PointwiseFormula kFormulas[] = {
    {.api = "aclnnGeluBackward", .real = GeluBackwardReference, .term = SizeOfGradient},
    {.api = "aclnnSiluBackward", .real = SiluBackwardReference, .term = SizeOfGradient},
    {.api = "aclnnSigmoidBackward",
     .real = [](const LongDouble* x) { return x[0] * x[1] * (1 - x[1]); },
     .term = SizeOfProduct,
     .complex = [](const Complex* x) { return x[0] * ((1.0L - x[1]) * x[1]); },
     .complex_term =
         [](const Complex* x) {
           const LongDouble sizes[] = {calls::Modulus(x[0]), calls::Modulus(x[1])};
           return SizeOfProduct(sizes);
         }},
    {.api = "aclnnTanhBackward",
     .real = [](const LongDouble* x) { return x[0] * (1 - x[1] * x[1]); },
     .term = SizeOfProduct},
    {.api = "aclnnEluBackward", .real = EluBackwardReference, .term = EluTerm},
    {.api = "aclnnLeakyReluBackward", .real = [](const LongDouble* x) { return x[1] > 0 ? x[0] : x[0] * x[2]; }},
    {.api = "aclnnHardsigmoidBackward",
     .real = [](const LongDouble* x) { return x[1] > -3 && x[1] < 3 ? x[0] / 6 : 0; }},
    {.api = "aclnnHardswishBackward",
     .real = [](const LongDouble* x) { return x[1] < -3   ? 0
                                              : x[1] <= 3 ? x[0] * (x[1] + 1.5L) / 3
                                                          : x[0]; },
     .term = SizeOfGradient},
    {.api = "aclnnHardswishBackwardV2",
     .real = [](const LongDouble* x) { return x[1] <= -3 ? 0
                                              : x[1] < 3 ? x[0] * (x[1] + 1.5L) / 3
                                                         : x[0]; },
     .term = SizeOfGradient},
    {.api = "aclnnThresholdBackward",
     .real = [](const LongDouble* x) { return x[1] > x[2] ? x[0] : 0; },
     .whole = [](const Int128* x) { return x[1] > x[2] ? x[0] : 0; }},
    {.api = "aclnnSoftplusBackward",
     .real = [](const LongDouble* x) { return x[2] * x[1] > x[3] ? x[0] : x[0] / (1 + std::exp(-x[2] * x[1])); },
     .term = SizeOfGradient},
};

// Indexed by the form that an attribute selects.
inline constexpr calls::PointwiseFormula kGeluOfErf[] = {
    {.api = "aclnnGeluBackwardV2", .real = GeluOfErfBackwardReference, .term = SizeOfGradient}};
inline constexpr calls::PointwiseFormula kGeluOfTanh[] = {
    {.api = "aclnnGeluBackwardV2", .real = GeluBackwardReference, .term = SizeOfGradient}};

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() == "aclnnGeluBackwardV2") {
    if (call.Argument("approximate").text == "tanh") return calls::ComputePointwise(call, kGeluOfTanh);
    return calls::ComputePointwise(call, kGeluOfErf);
  }
  return calls::ComputePointwise(call, kFormulas);
}

}  // namespace portacl::ops::activation_backward
