// SPDX-License-Identifier: Apache-2.0
// Callbacks of streams that threads of the client run when they ask for one.
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

// Callbacks that are due on one thread.
class CallbackQueue {
 public:
  struct Due {
    aclrtCallback function;
    void* argument;
    HandleBits stream;
    BlockingCallback* holder;  // the task that parks its stream meanwhile; null: none
  };

  // False: no thread asks for callbacks of this stream any more.
  bool Push(const Due& due);
  // Takes back what a task has pushed. False: it is no longer there.
  bool Withdraw(const BlockingCallback* holder) noexcept;
  // Runs the next one. Returns 0, 507012 (none came in time) or 107012 (closed).
  int32_t RunOne(streams::Deadline deadline);

  void AddStream(HandleBits stream);
  // Drops what is due for a stream. True: it was the last one.
  bool RemoveStream(HandleBits stream) noexcept;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Due> due_;
  std::set<HandleBits> streams_;
};

// Which thread runs the callbacks of which stream. One object for callbacks, one for host functions.
class CallbackService {
 public:
  // False: the stream has a thread.
  bool Subscribe(uint64_t thread, HandleBits stream);
  // False: the stream has not this thread.
  bool Unsubscribe(uint64_t thread, HandleBits stream);
  // For a stream that ends, whatever its thread. Cheap when no stream has one.
  void Forget(HandleBits stream) noexcept;

  // Null: none.
  std::shared_ptr<CallbackQueue> OfThread(uint64_t thread) noexcept;
  std::shared_ptr<CallbackQueue> OfStream(HandleBits stream) noexcept;

 private:
  struct Subscription {
    uint64_t thread;
    std::shared_ptr<CallbackQueue> queue;
  };
  using Subscriptions = std::map<HandleBits, Subscription>;

  void Remove(Subscriptions::iterator found) noexcept;  // holds mutex_

  std::atomic<size_t> count_{0};  // of subscriptions: most programs have none
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

  // The function has returned, or will not be called. The stream continues, and this object may be gone.
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

// Calls a function of the client. Returns 0, or 507000 when it threw.
int32_t CallClient(aclrtCallback function, void* argument) noexcept;

}  // namespace portacl::events
