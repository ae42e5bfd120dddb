// SPDX-License-Identifier: Apache-2.0
//
// The right answer in float64, row by row of the decision table. Shares no code with the kernel.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace portacl::ops::logit {

/// One element; `v` and `g` hold exact values of x and dy. Its rounding to the output's dtype is the caller's.
inline double LogitGradReference(double v, double g, double eps) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const float e = static_cast<float>(eps);
  const float lo = e;
  const float hi = 1.0f - e;
  const bool at_edge = v == 0 || v == 1;

  if (std::isnan(e)) return kNan;
  if (e == kInfinity) return std::isnan(v) ? kNan : 0;
  if (e > 1) return kNan;
  if (e == 1) return std::isnan(v) ? kNan : g * kInfinity;
  if (std::isnan(v)) return kNan;
  if (e < 0) {
    if (v < 0 || v > 1) return kNan;
    return at_edge ? g * kInfinity : g / (v * (1 - v));
  }
  if (v < lo || v > hi) return 0;
  return at_edge ? g * kInfinity : g / (v * (1 - v));
}

inline void LogitGradReference(const double* x, const double* dy, double eps, double* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = LogitGradReference(x[i], dy[i], eps);
}

}  // namespace portacl::ops::logit
