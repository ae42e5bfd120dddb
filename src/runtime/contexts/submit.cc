// SPDX-License-Identifier: Apache-2.0
#include "runtime/contexts/submit.h"

#include <algorithm>

#include "base/no_cancel.h"
#include "runtime/contexts/context.h"
#include "runtime/contexts/deferred_free.h"
#include "runtime/memory/pool.h"

namespace portacl::contexts {
inline namespace v1 {

int32_t Submit(aclrtStream stream, Task* task, int64_t cost_ns) noexcept {
  int32_t status = 0;
  streams::Stream* target = ResolveStream("task submission", stream, OtherContext::kRefuse, &status);
  return target == nullptr ? status : target->Submit(task, cost_ns);
}

int32_t SubmitAndWait(aclrtStream stream, Task* task, int64_t cost_ns, int32_t* error) noexcept {
  int32_t status = 0;
  streams::Stream* target = ResolveStream("task submission", stream, OtherContext::kRefuse, &status);
  if (target == nullptr) return status;
  const NoCancel no_cancel;  // the task belongs to the caller
  status = target->Submit(task, cost_ns);
  if (status != 0) return status;
  target->WaitForAll({});
  *error = target->PeekError();
  return 0;
}

void* AllocateScratch(size_t bytes) noexcept {
  int device = streams::t_thread.running_device;
  if (device < 0) {
    const Context* context = FindCurrentContext();
    device = context == nullptr ? 0 : context->device();
  }
  memory::Pool& pool = memory::DevicePool(device);
  const size_t wanted = std::max<size_t>(bytes, 1);
  void* scratch = pool.Allocate(wanted, memory::Padding::k32Bytes);
  if (scratch != nullptr) return scratch;
  ReclaimDeferred();
  return pool.Allocate(wanted, memory::Padding::k32Bytes);
}

void FreeScratch(void* scratch) noexcept {
  if (scratch != nullptr) memory::FreeBlock(scratch, memory::Pool::Side::kDevice);
}

}  // namespace v1
}  // namespace portacl::contexts
