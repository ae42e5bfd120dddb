// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/callback_service.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "base/host_function.h"
#include "base/never_destroyed.h"
#include "base/no_cancel.h"

namespace portacl::events {

int32_t CallClient(aclrtCallback function, void* argument) noexcept {
  const NoCancel no_cancel;
  try {
    function(argument);
  } catch (...) {
    return ACL_ERROR_RT_INTERNAL_ERROR;
  }
  return 0;
}

int32_t BlockingCallback::Run() noexcept {
  if (returned_) return status_;
  try {
    if (queue_->Push({function_, argument_, stream_->handle(), this})) return kParkStream;
  } catch (...) {
    return ACL_ERROR_RT_MEMORY_ALLOCATION;
  }
  return ACL_ERROR_RT_STREAM_NO_CB_REG;
}

void BlockingCallback::Return(int32_t status) noexcept {
  status_ = status;
  returned_ = true;
  stream_->Resume();
}

bool CallbackQueue::Push(const Due& due) {
  {
    const std::scoped_lock lock(mutex_);
    if (streams_.count(due.stream) == 0) return false;
    due_.push_back(due);
  }
  changed_.notify_one();
  return true;
}

bool CallbackQueue::Withdraw(const BlockingCallback* holder) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(due_.begin(), due_.end(), [&](const Due& due) { return due.holder == holder; });
  if (found == due_.end()) return false;
  due_.erase(found);
  return true;
}

int32_t CallbackQueue::RunOne(streams::Deadline deadline) {
  Due due{};
  {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return !due_.empty() || streams_.empty(); };
    if (!deadline.has_value()) {
      changed_.wait(lock, ready);
    } else if (!changed_.wait_until(lock, *deadline, ready)) {
      return ACL_ERROR_RT_REPORT_TIMEOUT;
    }
    if (due_.empty()) return ACL_ERROR_RT_THREAD_SUBSCRIBE;
    due = due_.front();
    due_.pop_front();
  }
  int32_t status = 0;
  {
    const streams::ClientCall call(due.holder == nullptr ? nullptr : due.holder->stream());
    const HostFunctionRuns runs(due.holder);
    status = CallClient(due.function, due.argument);
  }
  if (due.holder != nullptr) due.holder->Return(status);
  return 0;
}

void CallbackQueue::AddStream(HandleBits stream) {
  const std::scoped_lock lock(mutex_);
  streams_.insert(stream);
}

bool CallbackQueue::RemoveStream(HandleBits stream) noexcept {
  bool last = false;
  for (bool more = true; more;) {
    BlockingCallback* held = nullptr;
    {
      const std::scoped_lock lock(mutex_);
      streams_.erase(stream);
      last = streams_.empty();
      const auto due = std::find_if(due_.begin(), due_.end(), [&](const Due& each) { return each.stream == stream; });
      more = due != due_.end();
      if (more) {
        held = due->holder;
        due_.erase(due);
      }
    }
    if (held != nullptr) held->Return(0);
  }
  changed_.notify_all();
  return last;
}

bool CallbackService::Subscribe(uint64_t thread, HandleBits stream) {
  const std::scoped_lock lock(mutex_);
  if (streams_.count(stream) != 0) return false;
  // If an allocation below fails, the incomplete entries do no harm, except a stream that the queue has and the service
  // lacks.
  std::shared_ptr<CallbackQueue>& queue = threads_[thread];
  if (queue == nullptr) queue = std::make_shared<CallbackQueue>();
  Subscription& subscription = streams_[stream];
  try {
    queue->AddStream(stream);
  } catch (...) {
    streams_.erase(stream);
    throw;
  }
  subscription = {thread, queue};
  count_.store(streams_.size(), std::memory_order_release);
  return true;
}

bool CallbackService::Unsubscribe(uint64_t thread, HandleBits stream) {
  const std::scoped_lock lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end() || found->second.thread != thread) return false;
  Remove(found);
  return true;
}

void CallbackService::Forget(HandleBits stream) noexcept {
  if (count_.load(std::memory_order_acquire) == 0) return;
  const std::scoped_lock lock(mutex_);
  const auto found = streams_.find(stream);
  if (found != streams_.end()) Remove(found);
}

void CallbackService::Remove(Subscriptions::iterator found) noexcept {
  if (found->second.queue->RemoveStream(found->first)) threads_.erase(found->second.thread);
  streams_.erase(found);
  count_.store(streams_.size(), std::memory_order_release);
}

std::shared_ptr<CallbackQueue> CallbackService::OfThread(uint64_t thread) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = threads_.find(thread);
  return found == threads_.end() ? nullptr : found->second;
}

std::shared_ptr<CallbackQueue> CallbackService::OfStream(HandleBits stream) noexcept {
  if (count_.load(std::memory_order_acquire) == 0) return nullptr;
  const std::scoped_lock lock(mutex_);
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second.queue;
}

// Never destroyed: threads of the client may use it while the process ends.
CallbackService& Callbacks() noexcept {
  static NeverDestroyed<CallbackService> service;
  return *service;
}

CallbackService& HostFunctions() noexcept {
  static NeverDestroyed<CallbackService> service;
  return *service;
}

}  // namespace portacl::events
