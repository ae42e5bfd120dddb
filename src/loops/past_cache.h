// SPDX-License-Identifier: Apache-2.0
//
// From which size on results are stored around the cache.
#pragma once

#include <cstdint>

namespace portacl::loops {

/// Operands together as large as this leave nothing of the result in the cache for the next reader, so the stores may
/// as well not pass through it. Half the last-level cache, at most 48 MiB; PORTACL_PAST_CACHE_BYTES sets it.
int64_t PastCacheBytes();

}  // namespace portacl::loops
