// SPDX-License-Identifier: Apache-2.0
// Threads of the library itself, and the cores that they may use.
#pragma once

#include <sched.h>

#include "base/visibility.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace portacl::parallel {

// The number of threads of this process that can run at a time: PORTACL_NUM_THREADS, else the smaller of the affinity
// mask and the cgroup's CPU quota; at least 1.
int UsableCores() noexcept;

// The share of UsableCores() that the tasks of one device may use, at least 1.
int CoresPerDevice() noexcept;

// The cores that the process was allowed to use when it loaded the library. Null: more than the mask can hold.
const cpu_set_t* ProcessCores() noexcept;

inline namespace v1 {

// Starts a detached thread that takes no signals and may run on all cores of the process. The library is never unloaded
// (-z nodelete), so its code stays. Returns false when the system refuses a thread.
PORTACL_EXPORT bool StartBackgroundThread(void* (*main)(void*), void* argument) noexcept;

}  // namespace v1

// In a forked child: forgets the parent's threads. Returns false when there were none.
bool ForgetBackgroundThreads() noexcept;

// Tells the processor that a loop only waits.
inline void Pause() noexcept {
#if defined(__SSE2__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace portacl::parallel
