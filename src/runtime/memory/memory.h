// SPDX-License-Identifier: Apache-2.0
// Lookup of addresses: the live block that an address lies in, and whether it was registered.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/visibility.h"

namespace portacl::memory {

struct Block {
  uintptr_t begin = 0;
  size_t asked = 0;   // the number of bytes that the client requested
  size_t usable = 0;  // the number of bytes that may be accessed: round_up(asked, 32), for aclrtMalloc plus 32
};

// The result of looking up an address.
enum class Located : uint8_t {
  kForeign,  // not the library's memory
  kBlock,    // in a live block
  kNoBlock,  // in memory of a pool or in reserved addresses, but not in a live block
};

inline namespace v1 {

// Finds the live block of device memory that contains `address`; `usable` bytes belong to the block. Lock-free.
PORTACL_EXPORT bool FindBlock(const void* address, Block* block) noexcept;

// Like FindBlock(), for device memory and page-locked host memory; the result also says why there is no block.
PORTACL_EXPORT Located Locate(const void* address, Block* block) noexcept;

// The number of blocks freed so far. While it stays the same, a live block that was found is still live.
PORTACL_EXPORT uint64_t FreedBlocks() noexcept;

}  // namespace v1

// Like FindBlock() for page-locked host memory (aclrtMallocHost).
bool FindHostBlock(const void* address, Block* block) noexcept;

// Ranges of ordinary host memory that clients have registered for use by the device. The CPU can access all memory, so
// registering only declares that the client keeps the range allocated while queued copies use it. Returns false when it
// overlaps a registered range.
bool RegisterRange(void* begin, size_t bytes);
// Returns false when no range begins there.
bool UnregisterRange(const void* begin);
// Whether an address lies in a registered range. Cheap while there is none.
bool IsRegistered(const void* address) noexcept;

}  // namespace portacl::memory
