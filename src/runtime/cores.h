// SPDX-License-Identifier: Apache-2.0
// How many threads of this process can run at a time.
#pragma once

namespace portacl {

// PORTACL_NUM_THREADS, else the smaller of the affinity mask and the cgroup's CPU quota; at least 1.
int UsableCores() noexcept;

}  // namespace portacl
