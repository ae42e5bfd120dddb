// SPDX-License-Identifier: Apache-2.0
// What other layers may ask of the memory pool: which live block an address lies in.
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

// What an address is to the library.
enum class Located : uint8_t {
  kForeign,  // memory of others
  kBlock,    // in a live block
  kNoBlock,  // in memory of a pool or in reserved addresses, but in no live block
};

inline namespace v1 {

// Finds the live block of device memory that `address` lies in; any byte below `usable` counts. Lock-free.
PORTACL_LEND bool FindBlock(const void* address, Block* block) noexcept;

// The same for page-locked host memory (aclrtMallocHost).
PORTACL_LEND bool FindHostBlock(const void* address, Block* block) noexcept;

// The same for both, telling apart why there is none.
PORTACL_LEND Located Locate(const void* address, Block* block) noexcept;

// Blocks freed so far: as long as the number stays, a live block that was found is still one.
PORTACL_LEND uint64_t FreedBlocks() noexcept;

}  // namespace v1
}  // namespace portacl::memory
