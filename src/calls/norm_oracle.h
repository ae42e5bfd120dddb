// SPDX-License-Identifier: Apache-2.0
// What oracles of normalisations share: a row's statistics in long double, and how results and the terms that their
// errors are counted at are noted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/reduction_oracle.h"

namespace portacl::calls {

using LongDouble = long double;

inline constexpr LongDouble kAnyValue = std::numeric_limits<LongDouble>::infinity();
// Of distances and reciprocal roots beyond these float32 keeps no bits, or too few.
inline constexpr LongDouble kLargestNorm = 0x1p126L;

// What is known of a row: its mean, 1 / sqrt(mean square + eps), and how far they can be told in float64.
struct RowStatistics {
  LongDouble mean = 0;
  LongDouble rstd = 0;
  LongDouble mean_term = 0;
  LongDouble rstd_term = 0;  // infinite where the sum with eps cancels
  bool is_ordinary = true;   // elements and their distances have the range of float32 products
};

// Of the squares of x - mean, or with `centred` false of x.
inline RowStatistics StatisticsOf(const std::vector<LongDouble>& row, LongDouble eps, bool centred) {
  RowStatistics result;
  const auto n = static_cast<LongDouble>(row.size());
  LongDouble largest = 0;
  for (const LongDouble x : row) {
    result.mean += x;
    largest = std::max(largest, std::abs(x));
  }
  result.mean = centred ? result.mean / n : 0;
  result.mean_term = std::isfinite(largest) ? 0x1p-20L * largest : 0;
  LongDouble squares = 0;
  for (const LongDouble x : row) squares += (x - result.mean) * (x - result.mean);
  const LongDouble variance = squares / n;
  const LongDouble sum = variance + eps;
  result.rstd = 1 / std::sqrt(sum);
  const bool cancels = std::isfinite(sum) && std::abs(sum) < 0x1p-20L * variance;
  result.rstd_term = cancels ? kAnyValue : 0;
  result.is_ordinary = !cancels && !(std::isfinite(largest) && largest > kLargestNorm) &&
                       !(std::isfinite(result.rstd) && result.rstd > kLargestNorm);
  return result;
}

// The value and its term as the next element of an output, row-major.
inline void AppendResult(OracleCall& call, std::string_view output, LongDouble value, LongDouble term) {
  call.Values(output).push_back(static_cast<double>(value));
  call.Terms(output).push_back(static_cast<double>(term));
}

// What a parameter counts for in a result with it as a factor or a summand of that size: of an infinite one only the
// sign of what it is multiplied with must be known.
inline LongDouble FactorTerm(LongDouble factor, LongDouble size, LongDouble uncertain_below) {
  if (std::isfinite(factor)) return std::abs(factor) * std::max(size, uncertain_below);
  return size > 0x1p-16L * uncertain_below || std::isnan(factor) ? 0 : kAnyValue;
}

// 16-bit results are rounded from float32: an error there counts for little.
inline LongDouble TermFor(aclDataType dtype, LongDouble term) { return dtype == ACL_FLOAT ? term : term * 0x1p-4L; }

}  // namespace portacl::calls
