// SPDX-License-Identifier: Apache-2.0
// Allocates executors, and manages the handles by which clients name them.
//
// An executor is memory that lives as long as the process and is used again and again. Each thread keeps a short list
// of free ones; when phase 1 and phase 2 run on different threads, the surplus of one thread moves to the other in
// batches. A handle is not an address: it holds an index into the table of executors and a generation. A consumed,
// destroyed, foreign or invented handle is recognised without dereferencing it.
#pragma once

#include <cstddef>
#include <memory>

#include "aclnn/acl_meta.h"
#include "exec/executor.h"

namespace portacl::exec {

// A free executor for the caller. Throws bad_alloc.
Executor* TakeExecutor();
void GiveBackExecutor(Executor* executor) noexcept;
// The deleter of an owning pointer to an executor.
struct GiveBack {
  void operator()(Executor* executor) const noexcept { executor->Finish(); }
};
using ExecutorPointer = std::unique_ptr<Executor, GiveBack>;

// Releases a thread's cached executor, possibly in use.
void Disown(Executor* executor) noexcept;

// Gives a filled executor a handle that has not been used before.
aclOpExecutor* Publish(Executor* executor) noexcept;

// Claims the executor that a live handle names for the caller alone: another thread that claims it at the same time
// waits. Returns null and touches nothing when the handle is not live or, with `schema` given, is of another operator.
Executor* Claim(aclOpExecutor* handle, const Schema* schema) noexcept;
// Ends a claim: the handle is live again, or dead for good.
void Release(Executor* executor) noexcept;
void Retire(Executor* executor) noexcept;

// The operator that made a live executor; null when the handle is not live. Used for messages.
const Schema* SchemaOfHandle(aclOpExecutor* handle) noexcept;

// Executors that exist, free and in use; for tests.
size_t ExecutorCount() noexcept;

}  // namespace portacl::exec
