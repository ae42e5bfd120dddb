// SPDX-License-Identifier: Apache-2.0
// Callbacks and host functions of the C API.
#include <pthread.h>

#include <new>
#include <utility>

#include "base/host_function.h"
#include "base/observer.h"
#include "runtime/acl/checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/events/callback_service.h"

namespace portacl {
namespace {

// A client's function that a thread of the library runs.
class HostFunction final : public Task {
 public:
  HostFunction(aclrtHostFunc function, void* argument)
      : Task(TaskKind::kHost), function_(function), argument_(argument) {}

  int32_t Run() noexcept override {
    const HostFunctionRuns runs(this);
    return events::CallClient(function_, argument_);
  }
  void Finish() noexcept override { delete this; }
  void Describe(TaskNote* note) const noexcept override {
    note->role = TaskRole::kHost;
    note->name = "host function";
  }

 private:
  ~HostFunction() = default;

  const aclrtHostFunc function_;
  void* const argument_;
};

// A callback that its stream does not wait for.
class PassingCallback final : public Task {
 public:
  PassingCallback(std::shared_ptr<events::CallbackQueue> queue, aclrtCallback function, void* argument,
                  HandleBits stream)
      : Task(TaskKind::kControl), queue_(std::move(queue)), due_{function, argument, stream, nullptr} {}

  int32_t Run() noexcept override {
    try {
      return queue_->Push(due_) ? 0 : ACL_ERROR_RT_STREAM_NO_CB_REG;
    } catch (...) {
      return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
  }
  void Finish() noexcept override { delete this; }
  void Describe(TaskNote* note) const noexcept override {
    note->role = TaskRole::kHost;
    note->name = "callback";
  }

 private:
  ~PassingCallback() = default;

  const std::shared_ptr<events::CallbackQueue> queue_;
  const events::CallbackQueue::Due due_;
};

aclError SubscribeTo(events::CallbackService& service, const char* function, const char* argument, uint64_t thread,
                     aclrtStream stream) noexcept {
  if (stream == nullptr) return NullArgument(function, argument);
  return Guard(function, [&]() -> int32_t {
    aclError status = ACL_SUCCESS;
    if (contexts::ResolveStream(function, stream, contexts::OtherContext::kRefuse, &status) == nullptr) return status;
    bool done = false;
    if (!contexts::WhileLive(ToBits(stream), [&] { done = service.Subscribe(thread, ToBits(stream)); }))
      return BadHandle(function, argument, "stream", stream);
    if (done) return ACL_SUCCESS;
    return Failf(ACL_ERROR_RT_STREAM_SUBSCRIBE, "{}: argument '{}': expected a stream without a thread, got {}",
                 function, argument, stream);
  });
}

aclError UnsubscribeFrom(events::CallbackService& service, const char* function, const char* argument, uint64_t thread,
                         aclrtStream stream) noexcept {
  if (stream == nullptr) return NullArgument(function, argument);
  return Guard(function, [&]() -> int32_t {
    if (service.Unsubscribe(thread, ToBits(stream))) return ACL_SUCCESS;
    return Failf(ACL_ERROR_RT_THREAD_SUBSCRIBE, "{}: argument '{}': expected a stream of the thread {}, got {}",
                 function, argument, thread, stream);
  });
}

aclError ProcessOne(events::CallbackService& service, const char* function, int32_t timeout) {
  streams::Deadline deadline;
  const aclError refusal = ReadTimeout(function, timeout, &deadline, ACL_ERROR_INVALID_PARAM);
  if (refusal != ACL_SUCCESS) return refusal;
  const std::shared_ptr<events::CallbackQueue> queue = service.OfThread(static_cast<uint64_t>(pthread_self()));
  const int32_t status = queue == nullptr ? ACL_ERROR_RT_THREAD_SUBSCRIBE : queue->RunOne(deadline);
  if (status == ACL_ERROR_RT_THREAD_SUBSCRIBE) {
    return Failf(status, "{}: this thread is not subscribed to any stream", function);
  }
  if (status != 0) return Failf(status, "{}: expected a callback within {} ms, none came", function, timeout);
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  const ApiCall api_call(__func__);
  return SubscribeTo(events::Callbacks(), __func__, "stream", threadId, stream);
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  const ApiCall api_call(__func__);
  return UnsubscribeFrom(events::Callbacks(), __func__, "stream", threadId, stream);
}

aclError aclrtProcessReport(int32_t timeout) {
  const ApiCall api_call(__func__);
  return ProcessOne(events::Callbacks(), __func__, timeout);
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
  const ApiCall api_call(__func__);
  return SubscribeTo(events::HostFunctions(), __func__, "exeStream", hostFuncThreadId, exeStream);
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
  const ApiCall api_call(__func__);
  return UnsubscribeFrom(events::HostFunctions(), __func__, "exeStream", hostFuncThreadId, exeStream);
}

aclError aclrtProcessHostFunc(int32_t timeout) {
  const ApiCall api_call(__func__);
  return ProcessOne(events::HostFunctions(), __func__, timeout);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType, aclrtStream stream) {
  const ApiCall api_call(__func__);
  if (fn == nullptr) return NullArgument(__func__, "fn");
  const int block = EnumNumber(blockType);
  if (block != ACL_CALLBACK_NO_BLOCK && block != ACL_CALLBACK_BLOCK)
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'blockType': expected 0 or 1, got {}", __func__, block);
  aclError status = ACL_SUCCESS;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  std::shared_ptr<events::CallbackQueue> queue = events::Callbacks().OfStream(live->handle());
  if (queue == nullptr) {
    return Failf(ACL_ERROR_RT_STREAM_NO_CB_REG,
                 "{}: argument 'stream': expected a stream with a thread (aclrtSubscribeReport), got one without",
                 __func__);
  }
  Task* task = nullptr;
  if (block == ACL_CALLBACK_BLOCK) {
    task = new (std::nothrow) events::BlockingCallback(std::move(queue), fn, userData, live);
  } else {
    task = new (std::nothrow) PassingCallback(std::move(queue), fn, userData, live->handle());
  }
  return streams::SubmitNew(__func__, *live, task, 0);
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  const ApiCall api_call(__func__);
  if (fn == nullptr) return NullArgument(__func__, "fn");
  aclError status = ACL_SUCCESS;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  std::shared_ptr<events::CallbackQueue> queue = events::HostFunctions().OfStream(live->handle());
  Task* task = nullptr;
  if (queue != nullptr) {
    task = new (std::nothrow) events::BlockingCallback(std::move(queue), fn, args, live);
  } else {
    task = new (std::nothrow) HostFunction(fn, args);
  }
  return streams::SubmitNew(__func__, *live, task, 0);
}
