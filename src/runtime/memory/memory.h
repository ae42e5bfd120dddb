// SPDX-License-Identifier: Apache-2.0
// Lookup of addresses: the live block that an address lies in, and whether it was registered.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/visibility.h"

namespace portacl::memory {

struct Block {
  uintptr_t begin = 0;
  size_t asked = 0;   // bytes the client asked for
  size_t usable = 0;  // bytes that may be read and written: round_up(asked, 32), for aclrtMalloc 32 more
};

// Where an address lies.
enum class Located : uint8_t {
  kForeign,  // memory of others
  kBlock,    // in a live block
  kNoBlock,  // in memory of a pool or in reserved addresses, but in no live block
};

inline namespace v1 {

// Finds the live block of device memory that `address` lies in; any byte below `usable` counts. Lock-free.
PORTACL_EXPORT bool FindBlock(const void* address, Block* block) noexcept;

// The same for device and page-locked host memory, telling apart why there is none.
PORTACL_EXPORT Located Locate(const void* address, Block* block) noexcept;

// Blocks freed so far: as long as the number stays, a live block that was found is still one.
PORTACL_EXPORT uint64_t FreedBlocks() noexcept;

}  // namespace v1

// Like FindBlock() for page-locked host memory (aclrtMallocHost).
bool FindHostBlock(const void* address, Block* block) noexcept;

// Ranges of ordinary host memory that clients declared to be usable by the device. The CPU reaches all memory, so
// registering only tells that the client will keep it in place while queued copies use it. False:
// it overlaps a registered range.
bool RegisterRange(void* begin, size_t bytes);
// False: no range begins there.
bool UnregisterRange(const void* begin);
// Whether an address lies in one. Cheap while there is none.
bool IsRegistered(const void* address) noexcept;

}  // namespace portacl::memory
