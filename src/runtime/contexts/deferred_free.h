// SPDX-License-Identifier: Apache-2.0
// Blocks that are freed while queued work uses them. Such a block is dead at once, but its memory is neither reused nor
// returned to the system before every stream has finished the tasks submitted earlier. No thread waits for that.
#pragma once

#include "runtime/memory/pool.h"

namespace portacl::contexts {

// Implements aclrtFree(). Returns false when no live block of device memory begins at that address.
bool FreeDeviceBlock(void* begin) noexcept;

// Returns to the pools the memory that no stream uses any more. Cheap while no memory is held back.
void ReclaimDeferred() noexcept;

// Allocates a block for a client. When memory is exhausted, waits for streams that may release some, as long as they
// make progress.
void* AllocateDeviceBlock(int device, size_t bytes, memory::Padding padding, memory::Pages pages) noexcept;

}  // namespace portacl::contexts
