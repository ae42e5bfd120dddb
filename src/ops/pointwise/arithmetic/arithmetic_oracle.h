// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the formulas as the pages write them, in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "calls/pointwise_oracle.h"

namespace portacl::ops::arithmetic {

using calls::Int128;
using calls::LongDouble;

// Of a sum's terms, of which the second is a product; beyond the range of its dtype this may be infinite before it is
// added, and then anything goes.
inline LongDouble LargerSize(LongDouble a, LongDouble product) {
  const bool is_double = std::isfinite(a) && std::abs(a) > std::numeric_limits<float>::max();
  const LongDouble largest = is_double ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  if (std::abs(product) > largest && !std::isinf(product)) return std::numeric_limits<LongDouble>::infinity();
  return std::max(std::abs(a), std::abs(product));
}
inline LongDouble Larger(const LongDouble* x) { return x[0] > x[1] || std::isnan(x[0]) ? x[0] : x[1]; }
inline LongDouble Smaller(const LongDouble* x) { return x[0] < x[1] || std::isnan(x[0]) ? x[0] : x[1]; }

// Of tensors self and other, and alpha.
inline constexpr calls::PointwiseFormula kAddFormula = {
    .api = "aclnnAdd",
    .real = [](const LongDouble* x) { return x[0] + x[2] * x[1]; },
    .whole = [](const Int128* x) { return x[0] + x[2] * x[1]; },
    .term = [](const LongDouble* x) { return LargerSize(x[0], x[2] * x[1]); }};
inline constexpr calls::PointwiseFormula kSubFormula = {
    .api = "aclnnSub",
    .real = [](const LongDouble* x) { return x[0] - x[2] * x[1]; },
    .whole = [](const Int128* x) { return x[0] - x[2] * x[1]; },
    .term = [](const LongDouble* x) { return LargerSize(x[0], x[2] * x[1]); }};
// Of a tensor and the scalars other and alpha, whose product is rounded first.
inline constexpr calls::PointwiseFormula kAddsFormula = {
    .api = "aclnnAdds",
    .real = [](const LongDouble* x) { return x[0] + x[1]; },
    .whole = [](const Int128* x) { return x[0] + x[2] * x[1]; },
    .term = [](const LongDouble* x) { return LargerSize(x[0], x[1]); },
    .promoting_scalars = 1,
    .scalars = [](LongDouble* scalars) { scalars[0] *= scalars[1]; }};
inline constexpr calls::PointwiseFormula kSubsFormula = {
    .api = "aclnnSubs",
    .real = [](const LongDouble* x) { return x[0] - x[1]; },
    .whole = [](const Int128* x) { return x[0] - x[2] * x[1]; },
    .term = [](const LongDouble* x) { return LargerSize(x[0], x[1]); },
    .promoting_scalars = 1,
    .scalars = [](LongDouble* scalars) { scalars[0] *= scalars[1]; }};
inline constexpr calls::PointwiseFormula kRsubsFormula = {
    .api = "aclnnRsubs",
    .real = [](const LongDouble* x) { return x[1] - x[2] * x[0]; },
    .whole = [](const Int128* x) { return x[1] - x[2] * x[0]; },
    .term = [](const LongDouble* x) { return LargerSize(x[1], x[2] * x[0]); },
    .promoting_scalars = 1};

inline constexpr calls::PointwiseFormula kFormulas[] = {
    kAddFormula,
    kSubFormula,
    kAddsFormula,
    kSubsFormula,
    kRsubsFormula,
    {.api = "aclnnMul",
     .real = [](const LongDouble* x) { return x[0] * x[1]; },
     .whole = [](const Int128* x) { return x[0] * x[1]; }},
    {.api = "aclnnMuls",
     .real = [](const LongDouble* x) { return x[0] * x[1]; },
     .whole = [](const Int128* x) { return x[0] * x[1]; },
     .promoting_scalars = 1},
    {.api = "aclnnDiv", .real = [](const LongDouble* x) { return x[0] / x[1]; }, .in_double = true},
    {.api = "aclnnDivs",
     .real = [](const LongDouble* x) { return x[0] / x[1]; },
     .promoting_scalars = 1,
     .in_double = true},
    {.api = "aclnnMaximum", .real = Larger, .whole = [](const Int128* x) { return std::max(x[0], x[1]); }},
    {.api = "aclnnMinimum", .real = Smaller, .whole = [](const Int128* x) { return std::min(x[0], x[1]); }},
};

inline bool Oracle(calls::OracleCall& call) { return calls::ComputePointwise(call, kFormulas); }

}  // namespace portacl::ops::arithmetic
