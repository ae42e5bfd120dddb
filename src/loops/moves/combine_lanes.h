// SPDX-License-Identifier: Apache-2.0
//
// Sums of rows of floats in float64.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops::moves {

/// Adds `n` elements, times the factor, to sums.
using AddRowFunction = void (*)(const std::byte* from, double factor, double* sums, int64_t n);
/// Stores a + b, rounded once. The result may be one of them.
using AddPairFunction = void (*)(const std::byte* a, const std::byte* b, std::byte* to, int64_t n);

struct RowLanes {
  AddRowFunction add;
  AddPairFunction add_pair;
};

/// The functions for FLOAT, FLOAT16 or BFLOAT16.
RowLanes CombineLanes(aclDataType dtype, int64_t target);

}  // namespace portacl::loops::moves
