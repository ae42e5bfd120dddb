// SPDX-License-Identifier: Apache-2.0
//
// The right answers in float64, as the formulas stand. Shares no code with the kernel.
#pragma once

#include <cmath>

namespace portacl::ops::swi_glu {

/// 1 / (1 + e^-a). Where that is below the smallest normal float32 (a < -87.33654), 0, as the room promises.
inline double SigmoidReference(double a) { return a < -0x1.5d589ep6 ? 0 : 1 / (1 + std::exp(-a)); }

/// One element; the arguments hold exact values, rounding to the output's dtype is the caller's.
inline double SwiGluReference(double a, double b) { return a * SigmoidReference(a) * b; }

inline double SwiGluGradAReference(double a, double b, double grad) {
  const double q = SigmoidReference(a);
  return grad * b * q * (1 + a * (1 - q));
}

inline double SwiGluGradBReference(double a, double grad) { return grad * a * SigmoidReference(a); }

}  // namespace portacl::ops::swi_glu
