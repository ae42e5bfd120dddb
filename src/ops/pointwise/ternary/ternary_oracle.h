// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the documented formulas in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "calls/pointwise_oracle.h"

namespace portacl::ops::ternary {

using calls::Int128;
using calls::LongDouble;

// The largest of the terms. Where an intermediate result exceeds the range of the computation, any result is valid.
inline LongDouble TermOf(const LongDouble* x, std::initializer_list<LongDouble> intermediates,
                         std::initializer_list<LongDouble> terms) {
  constexpr LongDouble kFloat = std::numeric_limits<float>::max(), kDouble = std::numeric_limits<double>::max();
  const auto exceeds = [](LongDouble value, LongDouble limit) {
    return std::isfinite(value) && std::abs(value) > limit;
  };
  const LongDouble limit = std::any_of(x, x + 3, [&](LongDouble y) { return exceeds(y, kFloat); }) ? kDouble : kFloat;
  if (std::ranges::any_of(intermediates, [&](LongDouble y) { return exceeds(y, limit); }))
    return std::numeric_limits<LongDouble>::infinity();
  LongDouble term = 0;
  for (const LongDouble each : terms) term = std::max(term, std::abs(each));
  return term;
}
// Below the normal numbers, the rounding of a factor is that of the smallest of them.
inline LongDouble LeastOf(LongDouble factor, LongDouble other) {
  constexpr LongDouble kLeast = std::numeric_limits<float>::min();
  return std::abs(factor) < kLeast ? kLeast * other : 0;
}

// x: elements of the three tensors, and the scalar.
inline constexpr calls::PointwiseFormula kAddcmul = {
    .api = "aclnnAddcmul",
    .real = [](const LongDouble* x) { return x[0] + x[3] * x[1] * x[2]; },
    .whole = [](const Int128* x) { return x[0] + x[3] * x[1] % (Int128{1} << 64) * x[2]; },
    .term =
        [](const LongDouble* x) {
          return TermOf(x, {x[3] * x[1], x[3] * x[1] * x[2]}, {x[0], x[3] * x[1] * x[2], LeastOf(x[3] * x[1], x[2])});
        }};
inline constexpr calls::PointwiseFormula kAddcdiv = {
    .api = "aclnnAddcdiv",
    .real = [](const LongDouble* x) { return x[0] + x[3] * (x[1] / x[2]); },
    .whole = [](const Int128* x) { return x[0] + (x[2] == 0 ? 0 : x[3] * (x[1] / x[2]) % (Int128{1} << 64)); },
    .term =
        [](const LongDouble* x) {
          return TermOf(x, {x[1] / x[2], x[3] * (x[1] / x[2])},
                        {x[0], x[3] * (x[1] / x[2]), LeastOf(x[1] / x[2], x[3])});
        }};
inline LongDouble LerpReference(const LongDouble* x) {
  const LongDouble way = x[1] - x[0];
  return std::abs(x[2]) < 0.5L ? x[0] + x[2] * way : x[1] - way * (1 - x[2]);
}
inline constexpr calls::PointwiseFormula kLerp = {
    .api = "aclnnLerp", .real = LerpReference, .term = [](const LongDouble* x) {
      const LongDouble way = x[1] - x[0];
      return TermOf(x, {way, way * x[2], way * (1 - x[2])}, {x[0], x[1], way * x[2], way * (1 - x[2])});
    }};

inline constexpr calls::PointwiseFormula kFormulas[] = {kAddcmul,
                                                        kAddcmul.As("aclnnForeachAddcmulScalar"),
                                                        kAddcdiv,
                                                        kAddcdiv.As("aclnnForeachAddcdivScalar"),
                                                        kLerp,
                                                        kLerp.As("aclnnLerps"),
                                                        kLerp.As("aclnnForeachLerpScalar")};

inline bool Oracle(calls::OracleCall& call) { return calls::ComputePointwise(call, kFormulas); }

}  // namespace portacl::ops::ternary
