// SPDX-License-Identifier: Apache-2.0
// Ranges of ordinary host memory that clients declared to be usable by the device. The CPU reaches all memory, so
// registering only tells that the client will keep it in place while queued copies use it.
#pragma once

#include <cstddef>

namespace portacl::memory {

// False: it overlaps a registered range.
bool RegisterRange(void* begin, size_t bytes);

// False: no range begins there.
bool UnregisterRange(const void* begin);

// Whether an address lies in a registered range. Cheap while there is none.
bool IsRegistered(const void* address) noexcept;

}  // namespace portacl::memory
