// SPDX-License-Identifier: Apache-2.0
// Lets AddressSanitizer see the edges of pool blocks. Nothing without it.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PORTACL_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define PORTACL_ASAN 1
#endif

#if defined(PORTACL_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace portacl::memory {

#if defined(PORTACL_ASAN)
inline void Poison(void* begin, size_t bytes) noexcept { __asan_poison_memory_region(begin, bytes); }
inline void Unpoison(void* begin, size_t bytes) noexcept { __asan_unpoison_memory_region(begin, bytes); }
#else
inline void Poison(void*, size_t) noexcept {}
inline void Unpoison(void*, size_t) noexcept {}
#endif

}  // namespace portacl::memory
