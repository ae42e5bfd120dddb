// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the correct results in float64, computed directly from the formula.
// Shares no code with the kernel.
#pragma once

#include <limits>
#include <vector>

#include "calls/oracle.h"

namespace portacl::ops::@room@ {

inline double @Room@Reference(double) {
  return std::numeric_limits<double>::quiet_NaN();  // not written yet
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "@api@") return false;
  std::vector<double>& out = call.Values("out");
  out.clear();
  for (const double self : call.Values("self")) out.push_back(@Room@Reference(self));
  return true;
}

}  // namespace portacl::ops::@room@
