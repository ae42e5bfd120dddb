// SPDX-License-Identifier: Apache-2.0
// Blocks that are freed while queued work uses them. What is freed is dead at once, but its memory is not given out
// again, nor given back to the system, before every stream has finished what was submitted before. Nobody waits for it.
#pragma once

#include "runtime/memory/pool.h"

namespace portacl::contexts {

// What aclrtFree() does. False: no live block of device memory begins there.
bool FreeDeviceBlock(void* begin) noexcept;

// Gives back the memory that no stream uses any more. Next to nothing while none is held back.
void ReclaimDeferred() noexcept;

// A block for a client. When memory is exhausted it waits for the streams that may set some free, as long as they move.
void* AllocateDeviceBlock(int device, size_t bytes, memory::Padding padding, memory::Pages pages) noexcept;

}  // namespace portacl::contexts
