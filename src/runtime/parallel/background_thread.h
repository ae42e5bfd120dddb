// SPDX-License-Identifier: Apache-2.0
// Threads of the library itself.
#pragma once

namespace portacl::parallel {

// Starts a detached thread that takes no signals and may run on all cores of the process. The library is never unloaded
// (-z nodelete), so its code stays. False: the system refuses one.
bool StartBackgroundThread(void* (*main)(void*), void* argument) noexcept;

// In a forked child: there are none any more. False: there were none.
bool ForgetBackgroundThreads() noexcept;

}  // namespace portacl::parallel
