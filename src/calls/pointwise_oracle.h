// SPDX-License-Identifier: Apache-2.0
// The right answers of pointwise operators, one formula each. Oracles of their rooms list them:
//
//   constexpr calls::PointwiseFormula kFormulas[] = {
//       {.api = "aclnnExp", .real = [](const calls::LongDouble* x) { return std::exp(x[0]); }},
//   };
//   inline bool Oracle(calls::OracleCall& call) { return calls::ComputePointwise(call, kFormulas); }
#pragma once

#include <cmath>
#include <complex>
#include <span>
#include <string_view>

#include "calls/oracle.h"

namespace portacl::calls {

using LongDouble = long double;
using Complex = std::complex<LongDouble>;
__extension__ typedef __int128 Int128;

// That of the parts that are finite: where one is not, the other is still a number with an error.
inline LongDouble Modulus(Complex z) {
  return std::abs(Complex(std::isfinite(z.real()) ? z.real() : 0, std::isfinite(z.imag()) ? z.imag() : 0));
}

struct PointwiseFormula {
  std::string_view api;  // also of the operator that writes over its input
  // x: the given inputs in signature order, then the scalars, then other attributes.
  LongDouble (*real)(const LongDouble* x) = nullptr;
  // The same where it is computed in FLOAT, if steps in between are rounded; `real` is for DOUBLE then.
  LongDouble (*single)(const LongDouble* x) = nullptr;
  Int128 (*whole)(const Int128* x) = nullptr;  // where all are integers or BOOL; it then counts in their common dtype
  LongDouble (*term)(const LongDouble* x) = nullptr;  // OracleCall::Terms
  // The same where they have a complex dtype in common. The term is the modulus of the result, or this if it is larger.
  Complex (*complex)(const Complex* x) = nullptr;
  LongDouble (*complex_term)(const Complex* x) = nullptr;
  int promoting_scalars = 0;                      // the first ones, which take part in the promotion of dtypes
  void (*scalars)(LongDouble* values) = nullptr;  // what becomes of them for `real` before they are rounded
  void (*complex_scalars)(Complex* values) = nullptr;
  bool gives_bool = false;  // whole numbers count as 0 or 1 then, whatever their dtype
  int conditions = 0;       // the first inputs, which take no part in the promotion of dtypes
  bool in_double = false;   // whole numbers, where there is no `whole`, count in float64 even if short
};

/// Inputs are broadcast, and rounded to the dtype that is computed in: FLOAT, DOUBLE, complex numbers of one of them, or
/// the common one of integers.
/// False when no formula is that of the operator.
bool ComputePointwise(OracleCall& call, std::span<const PointwiseFormula> formulas);

}  // namespace portacl::calls
