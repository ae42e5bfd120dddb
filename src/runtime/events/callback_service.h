// SPDX-License-Identifier: Apache-2.0
// Callbacks of streams that run on threads of the client, when those threads request a callback.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "acl/acl.h"
#include "base/observer.h"
#include "runtime/handle_table.h"
#include "runtime/streams/stream.h"
#include "runtime/task.h"

namespace portacl::events {

class BlockingCallback;

// The callbacks that one thread is to run.
class CallbackQueue {
 public:
  struct Due {
    aclrtCallback function;
    void* argument;
    HandleBits stream;
    BlockingCallback* holder;  // the task that keeps its stream parked until the callback returns; null: none
  };

  // Returns false when no thread runs callbacks of this stream any more.
  bool Push(const Due& due);
  // Removes the callback that a task has pushed. Returns false when it is no longer queued.
  bool Withdraw(const BlockingCallback* holder) noexcept;
  // Runs the next callback. Returns 0, 507012 (none came in time) or 107012 (closed).
  int32_t RunOne(streams::Deadline deadline);

  void AddStream(HandleBits stream);
  // Drops the queued callbacks of a stream. Returns true when it was the thread's last stream.
  bool RemoveStream(HandleBits stream) noexcept;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Due> due_;
  std::set<HandleBits> streams_;
};

// Maps each stream to the thread that runs its callbacks. There is one object for callbacks and one for host functions.
class CallbackService {
 public:
  // Returns false when the stream already has a thread.
  bool Subscribe(uint64_t thread, HandleBits stream);
  // Returns false when the stream is not subscribed to this thread.
  bool Unsubscribe(uint64_t thread, HandleBits stream);
  // Removes a stream that ends, whatever its thread is. Cheap when no stream has one.
  void Forget(HandleBits stream) noexcept;

  // Returns null when the thread has no queue.
  std::shared_ptr<CallbackQueue> OfThread(uint64_t thread) noexcept;
  std::shared_ptr<CallbackQueue> OfStream(HandleBits stream) noexcept;

 private:
  struct Subscription {
    uint64_t thread;
    std::shared_ptr<CallbackQueue> queue;
  };
  using Subscriptions = std::map<HandleBits, Subscription>;

  void Remove(Subscriptions::iterator found) noexcept;  // the caller holds mutex_

  std::atomic<size_t> count_{0};  // the number of subscriptions; 0 in most programs
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<CallbackQueue>> threads_;
  Subscriptions streams_;
};

CallbackService& Callbacks() noexcept;
CallbackService& HostFunctions() noexcept;

// A callback that its stream waits for.
class BlockingCallback final : public Task {
 public:
  BlockingCallback(std::shared_ptr<CallbackQueue> queue, aclrtCallback function, void* argument,
                   streams::Stream* stream)
      : Task(TaskKind::kWait), queue_(std::move(queue)), function_(function), argument_(argument), stream_(stream) {}

  int32_t Run() noexcept override;
  bool Unpark() noexcept override { return queue_->Withdraw(this); }
  void Finish() noexcept override { delete this; }
  void Describe(TaskNote* note) const noexcept override {
    note->role = TaskRole::kHost;
    note->name = "callback";
  }

  const streams::Stream* stream() const noexcept { return stream_; }

  // Called when the function has returned, or will not be called. The stream continues, and this object may be deleted.
  void Return(int32_t status) noexcept;

 private:
  ~BlockingCallback() = default;

  const std::shared_ptr<CallbackQueue> queue_;
  const aclrtCallback function_;
  void* const argument_;
  streams::Stream* const stream_;
  bool returned_ = false;  // written before Resume(), read after it
  int32_t status_ = 0;
};

// Calls a client's function. Returns 0, or 507000 when it threw.
int32_t CallClient(aclrtCallback function, void* argument) noexcept;

}  // namespace portacl::events
