// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the documented formulas in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "calls/element.h"
#include "calls/pointwise_oracle.h"
#include "calls/views.h"
#include "calls/word_calls.h"

namespace portacl::ops::arithmetic {

using calls::Complex;
using calls::Int128;
using calls::LongDouble;

// The larger term of a sum. The second term is a product: if it exceeds the range of its dtype, it may become infinite
// before it is added, and then any result is valid.
inline LongDouble LargerSize(LongDouble a, LongDouble product) {
  const bool is_double = std::isfinite(a) && std::abs(a) > std::numeric_limits<float>::max();
  const LongDouble largest = is_double ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  if (std::abs(product) > largest && !std::isinf(product)) return std::numeric_limits<LongDouble>::infinity();
  return std::max(std::abs(a), std::abs(product));
}
// A real factor scales both parts.
inline Complex Scaled(Complex factor, Complex x) { return factor.imag() == 0 ? factor.real() * x : factor * x; }
inline LongDouble Larger(const LongDouble* x) { return x[0] > x[1] || std::isnan(x[0]) ? x[0] : x[1]; }
inline LongDouble Smaller(const LongDouble* x) { return x[0] < x[1] || std::isnan(x[0]) ? x[0] : x[1]; }

// x: elements of self and other, and alpha.
inline constexpr calls::PointwiseFormula kAddFormula = {
    .api = "aclnnAdd",
    .real = [](const LongDouble* x) { return x[0] + x[2] * x[1]; },
    .whole = [](const Int128* x) { return x[0] + x[2] * x[1]; },
    .term = [](const LongDouble* x) { return LargerSize(x[0], x[2] * x[1]); },
    .complex = [](const Complex* x) { return x[0] + Scaled(x[2], x[1]); },
    .complex_term =
        [](const Complex* x) { return LargerSize(calls::Modulus(x[0]), calls::Modulus(Scaled(x[2], x[1]))); }};
inline constexpr calls::PointwiseFormula kSubFormula = {
    .api = "aclnnSub",
    .real = [](const LongDouble* x) { return x[0] - x[2] * x[1]; },
    .whole = [](const Int128* x) { return x[0] - x[2] * x[1]; },
    .term = [](const LongDouble* x) { return LargerSize(x[0], x[2] * x[1]); },
    .complex = [](const Complex* x) { return x[0] - Scaled(x[2], x[1]); },
    .complex_term =
        [](const Complex* x) { return LargerSize(calls::Modulus(x[0]), calls::Modulus(Scaled(x[2], x[1]))); }};
// x: an element, and the scalars other and alpha, whose product is rounded first.
inline constexpr calls::PointwiseFormula kAddsFormula = {
    .api = "aclnnAdds",
    .real = [](const LongDouble* x) { return x[0] + x[1]; },
    .whole = [](const Int128* x) { return x[0] + x[2] * x[1]; },
    .term = [](const LongDouble* x) { return LargerSize(x[0], x[1]); },
    .complex = [](const Complex* x) { return x[0] + x[1]; },
    .complex_term = [](const Complex* x) { return LargerSize(calls::Modulus(x[0]), calls::Modulus(x[1])); },
    .promoting_scalars = 1,
    .scalars = [](LongDouble* scalars) { scalars[0] *= scalars[1]; },
    .complex_scalars = [](Complex* scalars) { scalars[0] = Scaled(scalars[1], scalars[0]); }};
inline constexpr calls::PointwiseFormula kSubsFormula = {
    .api = "aclnnSubs",
    .real = [](const LongDouble* x) { return x[0] - x[1]; },
    .whole = [](const Int128* x) { return x[0] - x[2] * x[1]; },
    .term = [](const LongDouble* x) { return LargerSize(x[0], x[1]); },
    .complex = [](const Complex* x) { return x[0] - x[1]; },
    .complex_term = [](const Complex* x) { return LargerSize(calls::Modulus(x[0]), calls::Modulus(x[1])); },
    .promoting_scalars = 1,
    .scalars = [](LongDouble* scalars) { scalars[0] *= scalars[1]; },
    .complex_scalars = [](Complex* scalars) { scalars[0] = Scaled(scalars[1], scalars[0]); }};
inline constexpr calls::PointwiseFormula kRsubsFormula = {
    .api = "aclnnRsubs",
    .real = [](const LongDouble* x) { return x[1] - x[2] * x[0]; },
    .whole = [](const Int128* x) { return x[1] - x[2] * x[0]; },
    .term = [](const LongDouble* x) { return LargerSize(x[1], x[2] * x[0]); },
    .complex = [](const Complex* x) { return x[1] - Scaled(x[2], x[0]); },
    .complex_term =
        [](const Complex* x) { return LargerSize(calls::Modulus(x[1]), calls::Modulus(Scaled(x[2], x[0]))); },
    .promoting_scalars = 1};

inline LongDouble FloorQuotient(const LongDouble* x) {
  if (x[1] == 0) return x[0] / x[1];
  const LongDouble rest = std::fmod(x[0], x[1]);
  const LongDouble quotient = std::nearbyint((x[0] - rest) / x[1]);
  return rest != 0 && (rest < 0) != (x[1] < 0) ? quotient - 1 : quotient;
}
inline Int128 WholeFloorQuotient(const Int128* x) {
  if (x[1] == 0) return 0;
  const bool is_cut_up = x[0] % x[1] != 0 && (x[0] < 0) != (x[1] < 0);
  return x[0] / x[1] - Int128{is_cut_up};
}
inline LongDouble Remainder(const LongDouble* x) {
  const LongDouble rest = std::fmod(x[0], x[1]);
  return rest != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}
inline Int128 WholeRemainder(const Int128* x) { return x[1] == 0 ? x[0] : x[0] - x[1] * WholeFloorQuotient(x); }
inline Int128 GreatestCommonDivisor(const Int128* x) {
  Int128 a = x[0] < 0 ? -x[0] : x[0];
  Int128 b = x[1] < 0 ? -x[1] : x[1];
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

inline constexpr calls::PointwiseFormula kFormulas[] = {
    kAddFormula,
    kSubFormula,
    kAddsFormula,
    kSubsFormula,
    kRsubsFormula,
    {.api = "aclnnMul",
     .real = [](const LongDouble* x) { return x[0] * x[1]; },
     .whole = [](const Int128* x) { return x[0] * x[1]; },
     .complex = [](const Complex* x) { return x[0] * x[1]; }},
    {.api = "aclnnMuls",
     .real = [](const LongDouble* x) { return x[0] * x[1]; },
     .whole = [](const Int128* x) { return x[0] * x[1]; },
     .complex = [](const Complex* x) { return x[0] * x[1]; },
     .promoting_scalars = 1},
    {.api = "aclnnDiv",
     .real = [](const LongDouble* x) { return x[0] / x[1]; },
     .complex = [](const Complex* x) { return x[0] / x[1]; },
     .in_double = true},
    {.api = "aclnnDivs",
     .real = [](const LongDouble* x) { return x[0] / x[1]; },
     .complex = [](const Complex* x) { return x[0] / x[1]; },
     .promoting_scalars = 1,
     .in_double = true},
    {.api = "aclnnFloorDivide", .real = FloorQuotient, .whole = WholeFloorQuotient},
    {.api = "aclnnFmodTensor",
     .real = [](const LongDouble* x) { return std::fmod(x[0], x[1]); },
     .whole = [](const Int128* x) { return x[1] == 0 ? 0 : x[0] % x[1]; }},
    {.api = "aclnnRemainderTensorTensor", .real = Remainder, .whole = WholeRemainder},
    {.api = "aclnnGcd", .whole = GreatestCommonDivisor},
    {.api = "aclnnMaximum", .real = Larger, .whole = [](const Int128* x) { return std::max(x[0], x[1]); }},
    {.api = "aclnnForeachAddScalar",
     .real = [](const LongDouble* x) { return x[0] + x[1]; },
     .whole = [](const Int128* x) { return x[0] + x[1]; },
     .term = [](const LongDouble* x) { return LargerSize(x[0], x[1]); }},
    {.api = "aclnnForeachSubScalar",
     .real = [](const LongDouble* x) { return x[0] - x[1]; },
     .whole = [](const Int128* x) { return x[0] - x[1]; },
     .term = [](const LongDouble* x) { return LargerSize(x[0], x[1]); }},
    {.api = "aclnnForeachMulScalar",
     .real = [](const LongDouble* x) { return x[0] * x[1]; },
     .whole = [](const Int128* x) { return x[0] * x[1]; }},
    {.api = "aclnnForeachDivScalar", .real = [](const LongDouble* x) { return x[0] / x[1]; }},
    {.api = "aclnnMinimum", .real = Smaller, .whole = [](const Int128* x) { return std::min(x[0], x[1]); }},
};

// Indexed by the mode.
inline constexpr calls::PointwiseFormula kDivModFormulas[] = {
    {.api = "aclnnDivMod", .real = [](const LongDouble* x) { return x[0] / x[1]; }, .in_double = true},
    {.api = "aclnnDivMod",
     .real = [](const LongDouble* x) { return std::trunc(LongDouble(double(x[0]) / double(x[1]))); },
     .single = [](const LongDouble* x) { return std::trunc(LongDouble(float(x[0]) / float(x[1]))); },
     .whole = [](const Int128* x) { return x[1] == 0 ? 0 : x[0] / x[1]; }},
    {.api = "aclnnDivMod", .real = FloorQuotient, .whole = WholeFloorQuotient}};

inline void UnscaleGradients(calls::OracleCall& call) {
  const double factor = call.Values("invScale")[0];
  for (const calls::TensorSpec& tensor : call.Tensors("scaledGrads")) {
    for (const double value : calls::Decode(tensor.dtype, calls::ReadElements(tensor))) {
      call.Values("scaledGrads").push_back(value * factor);
      if (!std::isfinite(value)) call.Values("foundInf")[0] = 1;
    }
  }
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() == "aclnnForeachNonFiniteCheckAndUnscale") return UnscaleGradients(call), true;
  if (call.schema().Find("mode") < 0) return calls::ComputePointwise(call, kFormulas);
  const calls::PointwiseFormula& formula = kDivModFormulas[call.Integer("mode")];
  calls::PointwiseFormula formulas[] = {formula, formula};
  formulas[1].api = "aclnnDivMods";
  formulas[1].promoting_scalars = 1;
  const exec::Schema& schema = call.schema();
  if (schema.args[static_cast<size_t>(schema.Find("other"))].kind == exec::ValueKind::kScalar &&
      call.Tensor(schema.args[0].name).dtype == ACL_UINT8 && calls::WholeNumber(call.Argument("other").real) < 0) {
    formulas[1].whole = nullptr;
    formulas[1].in_double = true;
  }
  return calls::ComputePointwise(call, formulas);
}

}  // namespace portacl::ops::arithmetic
