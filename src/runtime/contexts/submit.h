// SPDX-License-Identifier: Apache-2.0
// Services for tasks of the layers above: submission to a stream, and scratch memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl.h"
#include "base/visibility.h"
#include "runtime/task.h"

namespace portacl::contexts {
inline namespace v1 {

// Submits `task` to `stream` (null: the default stream of the current context). Returns 0 when the stream has taken it;
// otherwise 107002 (no current context), 107003 (stream of another context), 107017 (not a live stream) or 207005 (no
// thread could be started), after recording a report; the caller then still owns the task.
PORTACL_EXPORT int32_t Submit(aclrtStream stream, Task* task, int64_t cost_ns) noexcept;

// The same, and waits until the task has finished. `error`: the first error of the stream that no synchronization has
// reported yet, which this leaves to the next one; 0: none.
PORTACL_EXPORT int32_t SubmitAndWait(aclrtStream stream, Task* task, int64_t cost_ns, int32_t* error) noexcept;

// Device memory for the library's own use, on the device of the running task or of the current context; 64-byte
// aligned. Null when memory is exhausted. FreeScratch(nullptr) does nothing.
PORTACL_EXPORT void* AllocateScratch(size_t bytes) noexcept;
PORTACL_EXPORT void FreeScratch(void* scratch) noexcept;

}  // namespace v1
}  // namespace portacl::contexts
