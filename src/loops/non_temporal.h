// SPDX-License-Identifier: Apache-2.0
//
// From which size on results are stored without passing through the cache.
#pragma once

#include <cstdint>

namespace portacl::loops {

/// Operands together as large as this leave nothing of the result in the cache for the next reader, so the stores are
/// non-temporal. Half the last-level cache, at most 48 MiB; PORTACL_NON_TEMPORAL_BYTES sets it.
int64_t NonTemporalBytes();

}  // namespace portacl::loops
