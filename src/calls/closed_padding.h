// SPDX-License-Identifier: Apache-2.0
// The library may read and write some bytes after the requested ones of a block, but operators do not. With GCC's
// AddressSanitizer, whose build runs the tests, this padding is poisoned, so that reads past the end are detected.
// Fuzzers, which are built with Clang, change views of existing blocks.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define PORTACL_CLOSES_PADDING 1
#endif

#if defined(PORTACL_CLOSES_PADDING)
#include <sanitizer/asan_interface.h>
#endif

namespace portacl::calls {

/// `bytes`: the size that was requested from aclrtMalloc. Freeing the block unpoisons its padding.
inline void ClosePadding([[maybe_unused]] void* block, [[maybe_unused]] size_t bytes) {
#if defined(PORTACL_CLOSES_PADDING)
  const size_t usable = (bytes + 31) / 32 * 32 + 32;
  __asan_poison_memory_region(static_cast<std::byte*>(block) + bytes, usable - bytes);
#endif
}

}  // namespace portacl::calls
