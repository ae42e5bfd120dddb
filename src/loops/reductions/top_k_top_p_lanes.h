// SPDX-License-Identifier: Apache-2.0
//
// The probabilities of a row.
#pragma once

#include <cstdint>

namespace portacl::loops::reductions {

/// Replaces n floats x by e^(x - most) and returns their sum in float64. No x is larger than `most`.
using ExponentialsFunction = double (*)(float* values, float most, int64_t n);

ExponentialsFunction ExponentialsLanes(int64_t target);

}  // namespace portacl::loops::reductions
