// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include "calls/pointwise_oracle.h"

namespace portacl::ops::bitwise {

using calls::Int128;

inline constexpr calls::PointwiseFormula kFormulas[] = {
    {.api = "aclnnBitwiseAndTensor", .whole = [](const Int128* x) { return x[0] & x[1]; }},
    {.api = "aclnnBitwiseAndScalar", .whole = [](const Int128* x) { return x[0] & x[1]; }, .promoting_scalars = 1},
    {.api = "aclnnBitwiseOrTensor", .whole = [](const Int128* x) { return x[0] | x[1]; }},
    {.api = "aclnnBitwiseOrScalar", .whole = [](const Int128* x) { return x[0] | x[1]; }, .promoting_scalars = 1},
    {.api = "aclnnBitwiseXorTensor", .whole = [](const Int128* x) { return x[0] ^ x[1]; }},
    {.api = "aclnnBitwiseXorScalar", .whole = [](const Int128* x) { return x[0] ^ x[1]; }, .promoting_scalars = 1},
};

inline bool Oracle(calls::OracleCall& call) { return calls::ComputePointwise(call, kFormulas); }

}  // namespace portacl::ops::bitwise
