// SPDX-License-Identifier: Apache-2.0
// The right answers of pointwise operators, one formula each. Oracles of their rooms list them:
//
//   constexpr calls::PointwiseFormula kFormulas[] = {
//       {.api = "aclnnExp", .real = [](const calls::LongDouble* x) { return std::exp(x[0]); }},
//   };
//   inline bool Oracle(calls::OracleCall& call) { return calls::ComputePointwise(call, kFormulas); }
#pragma once

#include <span>
#include <string_view>

#include "calls/oracle.h"

namespace portacl::calls {

using LongDouble = long double;
__extension__ typedef __int128 Int128;

struct PointwiseFormula {
  std::string_view api;  // also of the operator that writes over its input
  // Of the inputs in signature order that are given, then the scalars, then other attributes.
  LongDouble (*real)(const LongDouble* x) = nullptr;
  // The same where it is computed in FLOAT, if steps in between are rounded; `real` is for DOUBLE then.
  LongDouble (*single)(const LongDouble* x) = nullptr;
  Int128 (*whole)(const Int128* x) = nullptr;  // where all are integers or BOOL; it then counts in their common dtype
  LongDouble (*term)(const LongDouble* x) = nullptr;  // OracleCall::Terms
  int promoting_scalars = 0;                          // so many first ones count for the dtype that is computed in
  void (*scalars)(LongDouble* values) = nullptr;      // what becomes of them for `real` before they are rounded
  bool gives_bool = false;                            // whole numbers count as 0 or 1 then, whatever their dtype
  int conditions = 0;      // so many first inputs do not count for the dtype that is computed in
  bool in_double = false;  // whole numbers, where there is no `whole`, count in float64 even if short
};

/// Inputs are broadcast, and rounded to the dtype that is computed in: FLOAT, DOUBLE, or the common one of integers.
/// False when no formula is that of the operator.
bool ComputePointwise(OracleCall& call, std::span<const PointwiseFormula> formulas);

}  // namespace portacl::calls
