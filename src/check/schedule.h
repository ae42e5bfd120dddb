// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace portacl::check {

// Milliseconds by which PORTACL_SCHEDULE makes a task late; below 0: not at all, and it may run at once. `stream` is a
// handle, `number` the task's in it.
int DelayOf(uint64_t seed, uint64_t stream, uint64_t number) noexcept;

}  // namespace portacl::check
