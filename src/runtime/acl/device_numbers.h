// SPDX-License-Identifier: Apache-2.0
// The numbers by which a device describes itself.
#pragma once

#include <cstdint>

namespace portacl {

// Cores of a device as programs see them. They divide work by these numbers, so they are those of a middling card
// whatever the machine has.
inline constexpr uint32_t kCubeCores = 24;
inline constexpr uint32_t kVectorCores = 48;

// Bytes of the last-level cache.
int64_t LastLevelCacheBytes() noexcept;

}  // namespace portacl
