// SPDX-License-Identifier: Apache-2.0
// Prefetching lines long before they are read.
#pragma once

#include <cstddef>

#include "hwy/base.h"

namespace portacl::simd {

/// Prefetches to the second-level cache: it can wait for many more lines at a time than the first-level cache, so
/// products that run at the speed of memory do not stall.
HWY_INLINE void PrefetchSecond(const std::byte* line) { __builtin_prefetch(line, 0, 2); }

}  // namespace portacl::simd
