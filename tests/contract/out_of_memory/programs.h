// SPDX-License-Identifier: Apache-2.0
// Programs that use the library while memory is exhausted. At the end of each, only memory that the library keeps is
// allocated, and it can be run again.
#pragma once

#include <cstdint>
#include <functional>

namespace contract {

// Uses every part of the runtime. `config` is the path of a file for aclInit.
void UseRuntime(const char* config);

// A wait that only its limit ends. Calls `begin` first, when everything that the wait needs is allocated.
void UseWaitLimit(const std::function<void()>& begin);

// Uses every operator, small and large, and the other functions for executors. Returns a digest of the results.
uint64_t UseOperators();

}  // namespace contract
