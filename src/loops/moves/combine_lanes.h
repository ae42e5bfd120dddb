// SPDX-License-Identifier: Apache-2.0
//
// Sums of rows of floats in float64.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops::moves {

/// Rows that are added at once, so that the sums are loaded and stored once for them.
inline constexpr int kRowsTogether = 4;

/// Adds `n` elements of each of up to kRowsTogether rows, times the factor, to sums. Elements of 16 bits of that many
/// rows are added in FLOAT first.
using AddRowsFunction = void (*)(const std::byte* const* rows, int count, double factor, double* sums, int64_t n);
/// Stores the sum of up to kRowsTogether rows, added in the same way and rounded once. The result may be one of them.
using AddFewFunction = void (*)(const std::byte* const* rows, int count, std::byte* to, int64_t n);

struct RowLanes {
  AddRowsFunction add;
  AddFewFunction add_few;
};

/// The functions for FLOAT, FLOAT16 or BFLOAT16.
RowLanes CombineLanes(aclDataType dtype, int64_t target);

}  // namespace portacl::loops::moves
