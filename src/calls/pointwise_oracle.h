// SPDX-License-Identifier: Apache-2.0
// The exact results of pointwise operators, one formula each. The oracles of their rooms list the formulas:
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

// The modulus of the finite parts: if one part is not finite, the other is still a number with an error.
inline LongDouble Modulus(Complex z) {
  return std::abs(Complex(std::isfinite(z.real()) ? z.real() : 0, std::isfinite(z.imag()) ? z.imag() : 0));
}

struct PointwiseFormula {
  std::string_view api;  // also for the operators in place and of lists
  // x: the inputs that are present, in signature order, then the scalars, then other attributes.
  LongDouble (*real)(const LongDouble* x) = nullptr;
  // The same for FLOAT, if intermediate results are rounded; `real` is then for DOUBLE.
  LongDouble (*single)(const LongDouble* x) = nullptr;
  Int128 (*whole)(const Int128* x) = nullptr;  // if all are integers or BOOL; the result is taken in their common dtype
  LongDouble (*term)(const LongDouble* x) = nullptr;  // OracleCall::Terms
  // The same if their common dtype is complex. The term is the modulus of the result, or this if it is larger.
  Complex (*complex)(const Complex* x) = nullptr;
  LongDouble (*complex_term)(const Complex* x) = nullptr;
  int promoting_scalars = 0;                      // how many of the first scalars take part in the promotion of dtypes
  void (*scalars)(LongDouble* values) = nullptr;  // how scalars are transformed for `real` before they are rounded
  void (*complex_scalars)(Complex* values) = nullptr;
  bool gives_bool = false;   // integers are then 0 or 1, whatever their dtype
  int conditions = 0;        // how many of the first inputs take no part in the promotion of dtypes
  bool in_double = false;    // without `whole`, integers are computed in float64, even narrow ones
  bool as_they_are = false;  // with in_double: `real` takes integers without rounding them to float64

  // The same formula for another operator.
  constexpr PointwiseFormula As(std::string_view other) const {
    PointwiseFormula formula = *this;
    formula.api = other;
    return formula;
  }
};

/// Inputs are broadcast, and rounded to the dtype of the computation: FLOAT, DOUBLE, a complex dtype of these, or the
/// common integer dtype. Of lists, the formula is computed for each tensor. False if no formula is for this operator.
bool ComputePointwise(OracleCall& call, std::span<const PointwiseFormula> formulas);

}  // namespace portacl::calls
