// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the documented formulas in long double.
#pragma once

#include <algorithm>
#include <cmath>

#include "calls/pointwise_oracle.h"

namespace portacl::ops::binary {

using calls::LongDouble;

// Relative to the larger exponent, so that powers do not overflow.
template <LongDouble (*power)(LongDouble), LongDouble (*logarithm)(LongDouble)>
LongDouble LogAdd(const LongDouble* x) {
  if (std::isnan(x[0]) || std::isnan(x[1])) return x[0] + x[1];
  if (x[0] == x[1]) return x[0] + logarithm(2);
  const LongDouble larger = std::max(x[0], x[1]);
  if (std::isinf(larger)) return larger;
  const LongDouble ratio = power(std::min(x[0], x[1]) - larger);
  return larger + std::log1p(ratio) * logarithm(std::exp(1.0L));
}
// An infinite operand is the result itself, not a term that is added.
inline LongDouble LargerSize(const LongDouble* x) {
  const LongDouble larger = std::max(std::abs(x[0]), std::abs(x[1]));
  return std::isfinite(larger) ? std::abs(std::max(x[0], x[1])) : 0;
}

inline constexpr calls::PointwiseFormula kFormulas[] = {
    {.api = "aclnnAtan2", .real = [](const LongDouble* x) { return std::atan2(x[0], x[1]); }},
    {.api = "aclnnLogAddExp", .real = LogAdd<std::exp, std::log>, .term = LargerSize},
    {.api = "aclnnLogAddExp2", .real = LogAdd<std::exp2, std::log2>, .term = LargerSize},
};

inline bool Oracle(calls::OracleCall& call) { return calls::ComputePointwise(call, kFormulas); }

}  // namespace portacl::ops::binary
