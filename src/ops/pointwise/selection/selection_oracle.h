// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "calls/pointwise_oracle.h"

namespace portacl::ops::selection {

using calls::Int128;
using calls::LongDouble;

inline LongDouble LargerOf(LongDouble x, LongDouble y) { return x > y || std::isnan(x) ? x : y; }
inline LongDouble SmallerOf(LongDouble x, LongDouble y) { return x < y || std::isnan(x) ? x : y; }
inline LongDouble Low(const LongDouble* x) { return LargerOf(x[0], x[1]); }
inline LongDouble High(const LongDouble* x) { return SmallerOf(x[0], x[1]); }
inline LongDouble Both(const LongDouble* x) { return SmallerOf(LargerOf(x[0], x[1]), x[2]); }
inline Int128 WholeLow(const Int128* x) { return std::max(x[0], x[1]); }
inline Int128 WholeHigh(const Int128* x) { return std::min(x[0], x[1]); }
inline Int128 WholeBoth(const Int128* x) { return std::min(std::max(x[0], x[1]), x[2]); }

// If both bounds are given.
inline constexpr calls::PointwiseFormula kFormulas[] = {
    {.api = "aclnnClamp", .real = Both, .whole = WholeBoth, .promoting_scalars = 2},
    {.api = "aclnnClampMin", .real = Low, .whole = WholeLow, .promoting_scalars = 1},
    {.api = "aclnnClampMax", .real = High, .whole = WholeHigh, .promoting_scalars = 1},
    {.api = "aclnnForeachMaximumScalar", .real = Low, .whole = WholeLow},
    {.api = "aclnnForeachMinimumScalar", .real = High, .whole = WholeHigh},
    {.api = "aclnnClampTensor", .real = Both, .whole = WholeBoth},
    {.api = "aclnnClampMinTensor", .real = Low, .whole = WholeLow},
    {.api = "aclnnClampMaxTensor", .real = High, .whole = WholeHigh},
    {.api = "aclnnThreshold",
     .real = [](const LongDouble* x) { return x[0] <= x[1] ? x[2] : x[0]; },
     .whole = [](const Int128* x) { return x[0] <= x[1] ? x[2] : x[0]; },
     .promoting_scalars = 2},
    {.api = "aclnnSWhere",
     .real = [](const LongDouble* x) { return x[0] != 0 ? x[1] : x[2]; },
     .whole = [](const Int128* x) { return x[0] != 0 ? x[1] : x[2]; },
     .conditions = 1},
    {.api = "aclnnNanToNum",
     .real =
         [](const LongDouble* x) {
           return std::isnan(x[0]) ? x[1] : !std::isinf(x[0]) ? x[0] : x[0] > 0 ? x[2] : x[3];
         },
     .whole = [](const Int128* x) { return x[0]; }},
    {.api = "aclnnHeaviside",
     .real = [](const LongDouble* x) { return std::isnan(x[0]) ? x[0]
                                              : x[0] == 0      ? x[1]
                                                               : LongDouble(x[0] > 0); }},
};
inline constexpr calls::PointwiseFormula kWithoutMax[] = {
    {.api = "aclnnClamp", .real = Low, .whole = WholeLow, .promoting_scalars = 1},
    {.api = "aclnnClampTensor", .real = Low, .whole = WholeLow}};
inline constexpr calls::PointwiseFormula kWithoutMin[] = {
    {.api = "aclnnClamp", .real = High, .whole = WholeHigh, .promoting_scalars = 1},
    {.api = "aclnnClampTensor", .real = High, .whole = WholeHigh}};

inline bool Oracle(calls::OracleCall& call) {
  std::span<const calls::PointwiseFormula> formulas = kFormulas;
  if (call.schema().Find("clipValueMin") >= 0 && call.schema().Find("clipValueMax") >= 0) {
    if (call.Argument("clipValueMax").null) formulas = kWithoutMax;
    if (call.Argument("clipValueMin").null) formulas = kWithoutMin;
  }
  return calls::ComputePointwise(call, formulas);
}

}  // namespace portacl::ops::selection
