// SPDX-License-Identifier: Apache-2.0
//
// From which size on results are stored without passing through the cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/visibility.h"

namespace portacl::loops {
inline namespace v1 {

/// Operands together as large as this leave nothing of the result in the cache for the next reader, so the stores are
/// non-temporal. Half the last-level cache, at most 72 MiB; PORTACL_NON_TEMPORAL_BYTES sets it.
PORTACL_EXPORT int64_t NonTemporalBytes();

/// Moves bytes and stores them without passing through the cache; the caller owes an hwy::FlushStream() before others
/// read them.
PORTACL_EXPORT void StoreAround(const std::byte* from, std::byte* to, int64_t bytes);

}  // namespace v1

}  // namespace portacl::loops
