// SPDX-License-Identifier: Apache-2.0
// Allocators that are attached to streams.
#pragma once

#include "runtime/handle_table.h"

namespace portacl::contexts {

// Forgets the allocator of a stream; cheap when no stream has one.
void DetachAllocator(HandleBits stream) noexcept;

}  // namespace portacl::contexts
