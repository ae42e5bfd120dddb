// SPDX-License-Identifier: Apache-2.0
//
// Rows of elements of one float dtype to another, for operands whose dtype is not that of the lane code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops {

/// Converts `n` elements that follow each other, at any address. The two do not overlap.
using ConvertFunction = void (*)(const std::byte* from, std::byte* to, int64_t n);

/// FLOAT16 or BFLOAT16 to FLOAT, exact. `target` is a HWY_* bit.
ConvertFunction WidenLanes(aclDataType from, int64_t target);

/// FLOAT to FLOAT16 or BFLOAT16, rounded to nearest even, or to DOUBLE.
ConvertFunction StoreLanes(aclDataType to, int64_t target);

}  // namespace portacl::loops
