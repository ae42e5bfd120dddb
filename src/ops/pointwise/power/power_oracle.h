// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/dtype.h"
#include "calls/pointwise_oracle.h"
#include "tensor/promote.h"

namespace portacl::ops::power {

using calls::Int128;
using calls::LongDouble;

// powl of glibc 2.36 gives infinity for -inf to the power of -2^63.
inline LongDouble RealPower(LongDouble base, LongDouble exponent) {
  if (std::isinf(base)) return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  return std::pow(base, exponent);
}
inline Int128 WholePower(Int128 base, Int128 exponent) {
  if (exponent < 0 && base == -1) return exponent % 2 == 0 ? 1 : -1;
  if (exponent < 0) return base == 1 ? 1 : 0;
  uint64_t result = 1;  // modulo 2^64
  for (int bit = 63; bit >= 0; --bit) {
    result *= result;
    if ((exponent >> bit & 1) != 0) result *= static_cast<uint64_t>(base);
  }
  return result;
}

inline constexpr calls::PointwiseFormula kFormulas[] = {
    {.api = "aclnnPowTensorTensor",
     .real = [](const LongDouble* x) { return RealPower(x[0], x[1]); },
     .whole = [](const Int128* x) { return WholePower(x[0], x[1]); }},
    {.api = "aclnnPowTensorScalar",
     .real = [](const LongDouble* x) { return RealPower(x[0], x[1]); },
     .whole = [](const Int128* x) { return WholePower(x[0], x[1]); },
     .promoting_scalars = 1},
    {.api = "aclnnPowScalarTensor",  // tensors come first
     .real = [](const LongDouble* x) { return RealPower(x[1], x[0]); },
     .whole = [](const Int128* x) { return WholePower(x[1], x[0]); },
     .promoting_scalars = 1},
};

inline bool Oracle(calls::OracleCall& call) { return calls::ComputePointwise(call, kFormulas); }

// Integers have no powers with exponents below 0.
inline void CompleteContents(calls::Call& call) {
  const std::string_view api = call.schema().api;
  if (api != "aclnnPowTensorScalar" && api != "aclnnInplacePowTensorScalar") return;
  calls::ArgumentSpec& exponent = call.argument("exponent");
  const aclDataType common = PromoteWithScalar(call.tensor("self").dtype, exponent.number);
  if (FindDtype(common)->kind < DtypeKind::kFloating) exponent.real = std::abs(exponent.real);
}

}  // namespace portacl::ops::power
