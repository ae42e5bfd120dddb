// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include "calls/pointwise_oracle.h"

namespace portacl::ops::comparison {

using calls::Complex;
using calls::Int128;
using calls::LongDouble;

inline constexpr calls::PointwiseFormula kFormulas[] = {
    {.api = "aclnnEqTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] == x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] == x[1]}; },
     .complex = [](const Complex* x) { return Complex(x[0] == x[1]); },
     .gives_bool = true},
    {.api = "aclnnEqScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] == x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] == x[1]}; },
     .complex = [](const Complex* x) { return Complex(x[0] == x[1]); },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnNeTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] != x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] != x[1]}; },
     .complex = [](const Complex* x) { return Complex(x[0] != x[1]); },
     .gives_bool = true},
    {.api = "aclnnNeScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] != x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] != x[1]}; },
     .complex = [](const Complex* x) { return Complex(x[0] != x[1]); },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnGtTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] > x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] > x[1]}; },
     .gives_bool = true},
    {.api = "aclnnGtScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] > x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] > x[1]}; },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnGeTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] >= x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] >= x[1]}; },
     .gives_bool = true},
    {.api = "aclnnGeScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] >= x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] >= x[1]}; },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnLtTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] < x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] < x[1]}; },
     .gives_bool = true},
    {.api = "aclnnLtScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] < x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] < x[1]}; },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnLeTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] <= x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] <= x[1]}; },
     .gives_bool = true},
    {.api = "aclnnLeScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] <= x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] <= x[1]}; },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnLogicalAnd",
     .real = [](const LongDouble* x) { return LongDouble(x[0] != 0 && x[1] != 0); },
     .whole = [](const Int128* x) { return Int128{x[0] != 0 && x[1] != 0}; },
     .gives_bool = true},
    {.api = "aclnnLogicalOr",
     .real = [](const LongDouble* x) { return LongDouble(x[0] != 0 || x[1] != 0); },
     .whole = [](const Int128* x) { return Int128{x[0] != 0 || x[1] != 0}; },
     .gives_bool = true},
    {.api = "aclnnLogicalXor",
     .real = [](const LongDouble* x) { return LongDouble((x[0] != 0) != (x[1] != 0)); },
     .whole = [](const Int128* x) { return Int128{(x[0] != 0) != (x[1] != 0)}; },
     .gives_bool = true},
    {.api = "aclnnLogicalNot",
     .real = [](const LongDouble* x) { return LongDouble(x[0] == 0); },
     .whole = [](const Int128* x) { return Int128{x[0] == 0}; },
     .gives_bool = true},
};

inline bool Oracle(calls::OracleCall& call) { return calls::ComputePointwise(call, kFormulas); }

}  // namespace portacl::ops::comparison
