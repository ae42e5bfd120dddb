// SPDX-License-Identifier: Apache-2.0
// Callbacks for failed tasks, and contexts that stop after a failure.
#include "runtime/streams/stream.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/never_destroyed.h"
#include "base/observer.h"
#include "runtime/acl/checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/shared_list.h"

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

struct FailureCallback {
  aclrtExceptionInfoCallback function;
  bool only;  // registered by aclrtSetExceptionInfoCallback; the first entry of the list
};
using FailureCallbacks = SharedList<FailureCallback>;

// Never destroyed: tasks may fail while the process ends.
FailureCallbacks& TheFailureCallbacks() noexcept {
  static NeverDestroyed<FailureCallbacks> callbacks;
  return *callbacks;
}

}  // namespace

void streams::OnTaskFailure(const streams::Stream& stream, uint32_t task, int32_t status, const char* reason) noexcept {
  try {
    rtExceptionInfo info{task, IndexOfHandle(stream.handle()), static_cast<uint32_t>(syscall(SYS_gettid)),
                         static_cast<uint32_t>(stream.device()), static_cast<uint32_t>(status)};
    TheFailureCallbacks().Each([&info](const FailureCallback& callback) { callback.function(&info); });
  } catch (...) {
    // A client's function threw; the stream keeps the status.
  }
  if (stream.settings.stops_on_failure.load(std::memory_order_acquire))
    contexts::StopContext(stream.context(), status, reason);
}

}  // namespace portacl

using namespace portacl;

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  const ApiCall api_call(__func__);
  return Guard(__func__, [callback]() -> int32_t {
    TheFailureCallbacks().Change([callback](auto& all) {
      std::erase_if(all, [](const FailureCallback& each) { return each.only; });
      if (callback != nullptr) all.insert(all.begin(), {callback, true});
    });
    return ACL_SUCCESS;
  });
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback) {
  const ApiCall api_call(__func__);
  if (callback == nullptr) return NullArgument(__func__, "callback");
  return Guard(__func__, [callback]() -> int32_t {
    TheFailureCallbacks().Change([callback](auto& all) { all.push_back({callback, false}); });
    return ACL_SUCCESS;
  });
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback) {
  const ApiCall api_call(__func__);
  if (callback == nullptr) return NullArgument(__func__, "callback");
  return Guard(__func__, [callback]() -> int32_t {
    TheFailureCallbacks().Change([callback](auto& all) {
      const auto found = std::find_if(all.begin(), all.end(), [callback](const FailureCallback& each) {
        return !each.only && each.function == callback;
      });
      if (found != all.end()) all.erase(found);
    });
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

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo) {
  const ApiCall api_call(__func__);
  if (errorInfo == nullptr) return NullArgument(__func__, "errorInfo");
  const aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  // Clients call this after another call has failed. If this call were refused, they would take the failure for an
  // absent feature, and continue.
  *errorInfo = {};
  return ACL_SUCCESS;
}

aclError aclrtGetThreadLastTaskId(uint32_t* taskId) {
  const ApiCall api_call(__func__);
  if (taskId == nullptr) return NullArgument(__func__, "taskId");
  *taskId = streams::t_thread.last_task;
  return ACL_SUCCESS;
}
