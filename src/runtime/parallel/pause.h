// SPDX-License-Identifier: Apache-2.0
// Tells the core that a loop only waits.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace portacl::parallel {

inline void Pause() noexcept {
#if defined(__SSE2__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace portacl::parallel
