// SPDX-License-Identifier: Apache-2.0
// Ends tasks of a stream early: drops them, stops the stream, releases it from a wait.
#include "base/status.h"
#include "runtime/arguments.h"
#include "runtime/streams/stream.h"

namespace portacl::streams {

bool Stream::DropParked() noexcept { return parked_ != nullptr && parked_->Unpark(); }

bool Stream::Drop() noexcept {
  bool resume = false;
  {
    const std::scoped_lock lock(queue_mutex_);
    const uint64_t queued = queued_.load(std::memory_order_relaxed);
    if (finished_.load(std::memory_order_acquire) >= queued) return false;
    drop_until_.store(queued, std::memory_order_relaxed);
    resume = DropParked();
  }
  if (resume) Resume();
  return true;
}

void Stream::Stop(int32_t error, const char* reason) noexcept {
  KeepError(error, reason);
  state_.fetch_or(kStopped, std::memory_order_acq_rel);
  Drop();
}

void Stream::Abort(int32_t error) noexcept {
  // Must happen before the waiting threads can return.
  if (!Finished()) KeepError(error);
  Drop();
}

void Stream::EndWait(uint64_t index) noexcept {
  bool resume = false;
  {
    const std::scoped_lock lock(queue_mutex_);
    if (finished_.load(std::memory_order_acquire) != index) return;
    resume = DropParked();
    if (resume) drop_until_.store(index + 1, std::memory_order_relaxed);
  }
  if (!resume) return;
  Fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, TaskNumber(index));
  Resume();
}

int32_t Stream::ReportRefusal() noexcept {
  if (!Stopped()) {
    return Failf(ACL_ERROR_RT_INVALID_HANDLE, "stream: expected a live stream, another thread destroyed it");
  }
  const int32_t error = error_.load(std::memory_order_relaxed);
  const Reason reason = LastReason();
  return Failf(error,
               "stream: expected a context that takes tasks, it was stopped by a task that failed with status {}{}{}",
               error, reason[0] == '\0' ? "" : ": ", reason.data());
}

bool Stream::Parked(uint64_t* index, Stream** record_of) noexcept {
  const std::scoped_lock lock(queue_mutex_);
  *index = finished_.load(std::memory_order_acquire);
  Stream* unused = nullptr;
  // After it is resumed, nobody owns the stream until a thread runs it.
  return parked_ != nullptr && (state_.load(std::memory_order_acquire) & kOwned) != 0 &&
         parked_->Awaits(record_of == nullptr ? &unused : record_of);
}

bool Stream::ReleaseWait(const Stream* record_of) noexcept {
  {
    const std::scoped_lock lock(queue_mutex_);
    Stream* awaited = nullptr;
    if (parked_ == nullptr || !parked_->Awaits(&awaited) || awaited != record_of || !DropParked()) return false;
    drop_until_.store(finished_.load(std::memory_order_acquire) + 1, std::memory_order_relaxed);
  }
  Resume();
  return true;
}

int32_t SubmitNew(const char* function, Stream& stream, Task* task, int64_t cost_ns) noexcept {
  if (task == nullptr) return OutOfMemory(function);
  const int32_t status = stream.Submit(task, cost_ns);
  if (status != 0) task->Finish();
  return status;
}

}  // namespace portacl::streams
