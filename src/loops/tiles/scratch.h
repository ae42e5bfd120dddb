// SPDX-License-Identifier: Apache-2.0
//
// Memory of a thread while it runs chunks of a task.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/tiles/copy_block.h"
#include "runtime/contexts/submit.h"

namespace portacl::loops {

/// More scratch than this comes from the pool.
inline constexpr int64_t kStackBytes = 40 << 10;

/// Calls f(scratch) with so many bytes at the begin of a line. False where there is no memory. `f` must not throw.
template <class F>
bool WithScratch(int64_t bytes, const F& f) {
  const auto size = static_cast<size_t>(bytes);
  if (bytes <= kStackBytes) {
    // No more than needed: the thread is the client's, and its stack may be small.
    f(__builtin_alloca_with_align(size, 8 * kLineBytes));
    return true;
  }
  void* const scratch = contexts::AllocateScratch(size);
  if (scratch == nullptr) return false;
  f(scratch);
  contexts::FreeScratch(scratch);
  return true;
}

}  // namespace portacl::loops
