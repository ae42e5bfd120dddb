// SPDX-License-Identifier: Apache-2.0
// Asking memory for lines long before they are read.
#pragma once

#include <cstddef>

#include "hwy/base.h"

namespace portacl::simd {

/// For the second-level cache: it has many more places than the first one for lines on their way, so that products do not
/// wait where they read at the speed of memory.
HWY_INLINE void PrefetchSecond(const std::byte* line) { __builtin_prefetch(line, 0, 2); }

}  // namespace portacl::simd
