// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace portacl::check {

// The delay of a task by PORTACL_SCHEDULE in milliseconds; negative: no delay, and the task may run at once. `stream`
// is a handle, `number` the task's index in the stream.
int DelayOf(uint64_t seed, uint64_t stream, uint64_t number) noexcept;

}  // namespace portacl::check
