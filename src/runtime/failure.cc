// SPDX-License-Identifier: Apache-2.0
// Callbacks of failed tasks, and contexts that stop.
#include "runtime/failure.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/process_mutex.h"
#include "runtime/arguments.h"
#include "runtime/context.h"

struct rtExceptionInfo {
  uint32_t task;
  uint32_t stream;
  uint32_t thread;
  uint32_t device;
  uint32_t code;
};

namespace portacl {
namespace {

constexpr uint32_t kUnknown = 0xFFFFFFFFu;

struct FailureCallbacks {
  ProcessMutex mutex;
  aclrtExceptionInfoCallback only = nullptr;
  std::vector<aclrtExceptionInfoCallback> more;
};

// Never destroyed: tasks may fail while the process ends.
FailureCallbacks& TheFailureCallbacks() {
  static FailureCallbacks& callbacks = *new FailureCallbacks;
  return callbacks;
}

// A copy, as a callback may add and remove callbacks.
std::vector<aclrtExceptionInfoCallback> AllCallbacks() {
  FailureCallbacks& callbacks = TheFailureCallbacks();
  const std::scoped_lock lock(callbacks.mutex);
  std::vector<aclrtExceptionInfoCallback> all = callbacks.more;
  if (callbacks.only != nullptr) all.insert(all.begin(), callbacks.only);
  return all;
}

}  // namespace

void FollowFailure(const Stream& stream, uint32_t task, int32_t status) noexcept {
  try {
    rtExceptionInfo info{task, IndexOfHandle(stream.handle()), static_cast<uint32_t>(syscall(SYS_gettid)),
                         static_cast<uint32_t>(stream.device()), static_cast<uint32_t>(status)};
    for (const aclrtExceptionInfoCallback callback : AllCallbacks()) callback(&info);
  } catch (...) {
    // Without memory nobody can be told; the status stays with the stream.
  }
  if (stream.settings.stops_on_failure.load(std::memory_order_acquire)) StopContext(stream.context(), status);
}

}  // namespace portacl

using namespace portacl;

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  return Guard("aclrtSetExceptionInfoCallback", [callback]() -> int32_t {
    FailureCallbacks& callbacks = TheFailureCallbacks();
    const std::scoped_lock lock(callbacks.mutex);
    callbacks.only = callback;
    return ACL_SUCCESS;
  });
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback) {
  constexpr const char* kFunction = "aclrtExceptionInfoCallbackRegister";
  if (callback == nullptr) return NullArgument(kFunction, "callback");
  return Guard(kFunction, [callback]() -> int32_t {
    FailureCallbacks& callbacks = TheFailureCallbacks();
    const std::scoped_lock lock(callbacks.mutex);
    callbacks.more.push_back(callback);
    return ACL_SUCCESS;
  });
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback) {
  constexpr const char* kFunction = "aclrtExceptionInfoCallbackUnregister";
  if (callback == nullptr) return NullArgument(kFunction, "callback");
  return Guard(kFunction, [callback]() -> int32_t {
    FailureCallbacks& callbacks = TheFailureCallbacks();
    const std::scoped_lock lock(callbacks.mutex);
    const auto found = std::find(callbacks.more.begin(), callbacks.more.end(), callback);
    if (found != callbacks.more.end()) callbacks.more.erase(found);
    return ACL_SUCCESS;
  });
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? kUnknown : info->task;
}
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? kUnknown : info->stream;
}
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? kUnknown : info->thread;
}
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? kUnknown : info->device;
}
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? kUnknown : info->code;
}

aclError aclrtGetThreadLastTaskId(uint32_t* taskId) {
  if (taskId == nullptr) return NullArgument("aclrtGetThreadLastTaskId", "taskId");
  *taskId = t_thread.last_task;
  return ACL_SUCCESS;
}
