// SPDX-License-Identifier: Apache-2.0
//
// The size from which results are stored without passing through the cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/visibility.h"

namespace portacl::loops {
inline namespace v1 {

/// Where the operands together are this large, the cache would keep none of the result for the next reader, so stores
/// are non-temporal. The size is half the last-level cache, at most 72 MiB; PORTACL_NON_TEMPORAL_BYTES overrides it.
PORTACL_EXPORT int64_t NonTemporalBytes();

/// Copies bytes with non-temporal stores. The caller must call hwy::FlushStream() before others read them.
PORTACL_EXPORT void StoreAround(const std::byte* from, std::byte* to, int64_t bytes);

}  // namespace v1

}  // namespace portacl::loops
