// SPDX-License-Identifier: Apache-2.0
// Splitting one running task over the cores.
#pragma once

#include <cstdint>

#include "base/visibility.h"

namespace portacl::parallel {
inline namespace v1 {

// Calls body(argument, chunk) once for every chunk in [0, chunks) and returns when all are done. The number of chunks
// must depend on the shape, never on Width(): any thread may take any chunk, in any order, and the caller takes every
// chunk that no thread has started, so that it never waits for a thread that is not running. `body` must not throw; it
// runs with the default floating-point mode.
PORTACL_EXPORT void For(int64_t chunks, void (*body)(void* argument, int64_t chunk), void* argument) noexcept;

// Like For(), for chunks of equal cost and a body that processes several consecutive chunks at once, those in [first,
// end). Guided self-scheduling: a thread claims at most half of its share of the remaining chunks; claimed runs are
// never stolen.
PORTACL_EXPORT void ForRuns(int64_t chunks, void (*body)(void* argument, int64_t first, int64_t end),
                            void* argument) noexcept;

// The number of threads that may take part in a task of the device that the calling thread works for, including the
// calling thread.
PORTACL_EXPORT int Width() noexcept;

}  // namespace v1

// While such an object lives, the calling thread runs a task that is expected to end before a sleeping helper could
// join.
PORTACL_HOT_THREAD_LOCAL extern constinit thread_local bool t_is_short;
class ShortTask {
 public:
  ShortTask() noexcept { t_is_short = true; }
  ~ShortTask() { t_is_short = false; }
  ShortTask(const ShortTask&) = delete;
  ShortTask& operator=(const ShortTask&) = delete;
};

// For tests: from now on `threads` threads take part, also on a machine with fewer cores; 0 restores the default.
void SetWidthForTest(int threads);

}  // namespace portacl::parallel
