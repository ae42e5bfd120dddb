// SPDX-License-Identifier: Apache-2.0
//
// The right answers in float64, as the formulas stand. Shares no code with the kernel.
#pragma once

#include <cmath>

namespace portacl::ops::swi_glu {

/// 0 where e^-a leaves the range of float64, which is below a = -709.78.
inline double SigmoidReference(double a) { return 1 / (1 + std::exp(-a)); }

/// One element; the arguments hold exact values, rounding to the output's dtype is the caller's.
inline double SwiGluReference(double a, double b) { return a * SigmoidReference(a) * b; }

inline double SwiGluGradAReference(double a, double b, double grad) {
  const double q = SigmoidReference(a);
  return grad * b * q * (1 + a * (1 - q));
}

inline double SwiGluGradBReference(double a, double grad) { return grad * a * SigmoidReference(a); }

}  // namespace portacl::ops::swi_glu
