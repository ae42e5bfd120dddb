// SPDX-License-Identifier: Apache-2.0
//
// Converts rows of elements: operands whose dtype differs from that of the lane code, and the steps of Copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops {

/// Converts `n` contiguous elements, at any address. Source and target do not overlap.
using ConvertFunction = void (*)(const std::byte* from, std::byte* to, int64_t n);

/// The function for one step from one dtype to another, which rounds once if the result is inexact; null if there is no
/// single step. `target` is a HWY_* bit.
///   to FLOAT: from every real dtype
///   to DOUBLE: from those that FLOAT does not hold, FLOAT, FLOAT16 and BFLOAT16
///   to INT64: from BOOL and the other integers but UINT64, which has the same bits
///   from BOOL: to FLOAT16, BFLOAT16
///   from FLOAT: to FLOAT16, BFLOAT16, DOUBLE, INT8, UINT8, INT32, INT64, BOOL
///   from DOUBLE: to FLOAT, FLOAT16, BFLOAT16, every integer, BOOL
///   from INT64: the low bits, as INT8, INT16 and INT32; to BOOL
///   complex: FLOAT to COMPLEX64 and DOUBLE to COMPLEX128, imaginary part 0, and back the real part; each to BOOL
/// Floats become integers by truncation; what lies beyond the range becomes its nearest limit, NaN becomes 0.
ConvertFunction ConvertLanes(aclDataType from, aclDataType to, int64_t target);

/// INT32, UINT32, INT64 or UINT64 to FLOAT, rounded to odd: an inexact result is the neighbour whose last bit is 1.
/// Rounding that again to 22 bits or fewer gives the same as rounding once.
ConvertFunction OddFloatLanes(aclDataType from, int64_t target);

}  // namespace portacl::loops
