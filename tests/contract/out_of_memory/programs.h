// SPDX-License-Identifier: Apache-2.0
// Programs that use the library while memory is short. Each ends with nothing left but what the library keeps, and can
// be run again.
#pragma once

#include <cstdint>
#include <functional>

namespace contract {

// Every part of the runtime. `config` is the path of a file for aclInit.
void UseRuntime(const char* config);

// A wait that only its limit ends; calls `begin` first, when all that the wait needs is there.
void UseWaitLimit(const std::function<void()>& begin);

// Every operator, small and large, and what else there is around executors. Returns a digest of the results.
uint64_t UseOperators();

}  // namespace contract
