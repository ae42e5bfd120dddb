// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: exact results in float64, the gradient by the rows of its decision
// table. Shares no code with the kernel.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "calls/oracle.h"

namespace portacl::ops::logit {

/// ln(z / (1 - z)), where z is `v` limited to [lo, hi] if eps >= 0; `v` holds an exact value of the input.
inline double LogitReference(double v, double eps) {
  const float lo = static_cast<float>(eps);
  const float hi = 1.0f - lo;
  double z = v;
  if (lo >= 0) z = v < lo ? double{lo} : v > hi ? double{hi} : v;
  return std::log(z / (1 - z));
}

/// One element of the gradient; `v` and `g` hold exact values of x and dy. The caller rounds it to the dtype of the
/// output.
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

inline bool Oracle(calls::OracleCall& call) {
  const bool is_forward = call.api() == "aclnnLogit";
  if (!is_forward && call.api() != "aclnnLogitGrad") return false;
  const std::vector<double>& x = call.Values(is_forward ? "input" : "x");
  std::vector<double>& out = call.Values("out");
  out.resize(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    out[i] = is_forward ? LogitReference(x[i], call.Real("eps"))
                        : LogitGradReference(x[i], call.Values("dy")[i], call.Real("eps"));
  }
  return true;
}

}  // namespace portacl::ops::logit
