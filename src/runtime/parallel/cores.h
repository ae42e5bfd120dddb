// SPDX-License-Identifier: Apache-2.0
// How many threads of this process can run at a time.
#pragma once

#include <sched.h>

namespace portacl::parallel {

// PORTACL_NUM_THREADS, else the smaller of the affinity mask and the cgroup's CPU quota; at least 1.
int UsableCores() noexcept;

// The share of them that the tasks of one device may use, at least 1.
int CoresPerDevice() noexcept;

// The cores on which the process was allowed to run when it loaded the library. Null: more than the mask can hold.
const cpu_set_t* ProcessCores() noexcept;

}  // namespace portacl::parallel
