// SPDX-License-Identifier: Apache-2.0
// A stream: an in-order queue of tasks. One atomic word says who may run it.
//
// The right to run a stream is the bit kOwned. The thread that sets it - a thread that submits to the idle stream, a
// worker, or a thread that synchronizes - runs the tasks and clears it. A stream that waits for an event is "parked":
// kOwned stays set while no thread runs the stream, and belongs to the event, which clears it with Resume(). So tasks
// of one stream never overlap, whichever thread runs them.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/linked_queue.h"
#include "base/observer.h"
#include "base/visibility.h"
#include "runtime/devices/device.h"
#include "runtime/handle_table.h"
#include "runtime/streams/stream_settings.h"
#include "runtime/streams/worker.h"
#include "runtime/task.h"

namespace portacl::streams {

class ClientCall;

// The runtime's state of each thread.
struct ThreadState {
  HandleBits explicit_context = 0;          // made current by the client; overrides the binding, also when it is dead
  int32_t bound_device = -1;                // aclrtSetDevice: the primary context that this device has at the time
  uint32_t last_task = 0;                   // the index, within its stream, of the task that this thread queued last
  int32_t running_device = -1;              // the device whose task this thread runs; -1: that of the current context
  const ClientCall* client_call = nullptr;  // the innermost one
};

PORTACL_HOT_THREAD_LOCAL extern constinit thread_local ThreadState t_thread;

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // none: no limit

// The condition that a thread waits for. Reached() may become true only when a task of the stream has finished.
class Goal {
 public:
  virtual bool Reached() const noexcept = 0;

 protected:
  ~Goal() = default;
};

class alignas(64) Stream {
 public:
  // Streams are slots of a table: reused, never destroyed. The counters are not reset between uses.
  void Open(HandleBits handle, HandleBits context, int device) noexcept;

  HandleBits handle() const noexcept { return handle_.load(std::memory_order_relaxed); }
  HandleBits context() const noexcept { return context_.load(std::memory_order_relaxed); }
  int device() const noexcept { return device_id_.load(std::memory_order_relaxed); }

  // Takes the task. Otherwise returns 207005, the error of a stopped stream, or 107017 for a closed stream.
  int32_t Submit(Task* task, int64_t cost_ns) noexcept {
    if (Observed()) [[unlikely]]
      return SubmitObserved(task, cost_ns);
    uint32_t state = state_.load(std::memory_order_relaxed);
    if (cost_ns <= kInlineCostNs && task->kind <= TaskKind::kControl && (state & (kOwned | kPending | kRefuses)) == 0 &&
        state_.compare_exchange_strong(state, state | kOwned, std::memory_order_acquire, std::memory_order_relaxed)) {
      RunAtOnce(task);
      return 0;
    }
    return Enqueue(task);
  }

  // Waits until all tasks submitted before have finished; helps to run them unless there is a deadline. Returns false
  // when the deadline has passed.
  bool WaitForAll(Deadline deadline);
  bool WaitFor(const Goal& goal, Deadline deadline);

  // Returns true when all tasks submitted before have finished.
  bool Finished() noexcept;

  // Returns the first error since the last call; 0: none. A stopped stream keeps its error.
  int32_t TakeError() noexcept {
    const int32_t error = error_.load(std::memory_order_relaxed);
    if (error == 0 || Stopped()) return error;
    return error_.exchange(0, std::memory_order_acq_rel);
  }
  // The same error, which stays for the next call.
  int32_t PeekError() const noexcept { return error_.load(std::memory_order_relaxed); }
  // Why the task whose error was kept last has failed; empty where it gave no reason.
  using Reason = std::array<char, 512>;
  Reason LastReason() noexcept;
  bool Stopped() const noexcept { return (state_.load(std::memory_order_acquire) & kStopped) != 0; }

  // Refuses tasks from now on, and drops the queued ones.
  void Stop(int32_t error, const char* reason = nullptr) noexcept;

  // Refuses tasks until the stream is opened again: its handle is dead, but a thread that looked it up before may still
  // submit. After Close() and Drop(), the tasks that are queued or running therefore come to an end.
  void Close() noexcept { state_.fetch_or(kClosed, std::memory_order_acq_rel); }

  // Waits until no task of the stream runs or is queued. Must not be called by a thread inside a call of the stream.
  void WaitUntilIdle() noexcept;
  // For a thread inside a call of the stream: queues a last task that no thread waits for, also when the stream refuses
  // tasks.
  void RunLast(Task* last) noexcept { Append(last, 0); }

  // Like Drop(); waiting threads get `error` if a task was dropped.
  void Abort(int32_t error) noexcept;

  // The event that a parked stream waited for has happened.
  void Resume() noexcept { GiveUp(); }

  // Cancels all tasks that have not begun, and releases the wait that the stream is parked on. Returns true if there
  // was a task or a wait.
  bool Drop() noexcept;

  // For tasks that wait: the index of the running task, and the end of a wait that took too long, with 507046.
  uint64_t RunningIndex() const noexcept { return finished_.load(std::memory_order_relaxed); }
  void EndWait(uint64_t index) noexcept;

  // Whether the stream is parked; `index` is the index of its task, and `record_of` is as in Task::Awaits().
  bool Parked(uint64_t* index, Stream** record_of = nullptr) noexcept;
  // Releases the wait that the stream is parked on. Returns false when the stream is not parked, or parked on another
  // wait.
  bool ReleaseWait(const Stream* record_of) noexcept;

  // Whether no task is queued or runs.
  bool Idle() const noexcept { return (state_.load(std::memory_order_acquire) & (kOwned | kPending)) == 0; }

  // SetMark() marks the tasks submitted until now; PastMark() tells whether they have finished. The caller holds a lock
  // for all marks.
  void SetMark() noexcept;
  bool PastMark() const noexcept;

  bool RunOnWorker() noexcept;  // returns false when there was nothing to run
  // Whether no thread runs the queued tasks, but the thread that queued them is expected to.
  bool ReservedForCaller() const noexcept;

  Stream* next = nullptr;  // link in the worker pool's list
  StreamSettings settings;

 private:
  static constexpr uint32_t kOwned = 1;      // one thread may run the stream, and no other
  static constexpr uint32_t kPending = 2;    // there are queued tasks that have not run
  static constexpr uint32_t kScheduled = 4;  // is in the worker pool's list
  static constexpr uint32_t kWaiters = 8;    // threads sleep until a task finishes
  static constexpr uint32_t kStopped = 16;   // refuses tasks: one has failed
  static constexpr uint32_t kClosed = 32;    // refuses tasks: its handle is dead
  static constexpr uint32_t kRefuses = kStopped | kClosed;

  class AllSubmitted;
  struct Waiter;

  WorkerPool& Workers() const noexcept { return *workers_.load(std::memory_order_relaxed); }
  int32_t LaunchOnDevice(Task& task) const noexcept { return device_.load(std::memory_order_relaxed)->Launch(task); }
  int32_t SubmitObserved(Task* task, int64_t cost_ns) noexcept;
  void BeginObserved(const Task& task) noexcept;
  void RunAtOnce(Task* task, bool observed = false) noexcept;
  int32_t Enqueue(Task* task) noexcept;
  bool Append(Task* task, uint32_t refusing) noexcept;  // returns false when one of these bits is set
  int32_t ReportRefusal() noexcept;
  bool Claim() noexcept;
  void GiveUp() noexcept;
  void Schedule(bool may_delay = false) noexcept;
  void NoteCaller() noexcept;
  bool QueuedRecently(int64_t now_ns) const noexcept;
  bool TakeQueue(bool finished_one) noexcept;
  bool RunQueued(bool on_worker, const Goal* goal) noexcept;
  int32_t Execute(Task& task) noexcept;
  int32_t RunWait(Task& task) noexcept;
  bool Dropping() const noexcept {
    return finished_.load(std::memory_order_relaxed) < drop_until_.load(std::memory_order_relaxed);
  }
  void CountFinished() noexcept;
  void KeepError(int32_t status, const char* reason = nullptr) noexcept;
  void Fail(int32_t status, uint32_t task, const char* reason = nullptr) noexcept;
  void FailTask(const Task& task, int32_t status, bool on_worker) noexcept;
  bool DropParked() noexcept;  // the caller holds queue_mutex_
  // The 1-based index of a task, counting tasks that ran at once; no task runs at once while others are queued.
  uint32_t TaskNumber(uint64_t queued_before) const noexcept {
    return static_cast<uint32_t>(queued_before + (inline_runs_.load(std::memory_order_relaxed) + 1) / 2 + 1);
  }
  void NotifyHostIsAfter() const noexcept {
    NotifyObservers([this](Observer& each) { each.Ordered(Order::kHostAfterStream, handle(), nullptr); });
  }
  bool Block(const Goal& goal, Deadline deadline);
  void WakeWaiters() noexcept;

  std::atomic<uint32_t> state_{0};
  std::atomic<int32_t> error_{0};
  std::atomic<HandleBits> handle_{0};
  std::atomic<HandleBits> context_{0};
  std::atomic<devices::Device*> device_{nullptr};
  std::atomic<WorkerPool*> workers_{nullptr};
  std::atomic<int> device_id_{0};

  // Only the owner writes these members.
  std::atomic<uint64_t> inline_runs_{0};  // grows by two with each task that runs at once; odd while it runs
  std::atomic<uint64_t> finished_{0};     // the number of queued tasks that have finished
  LinkedQueue<Task> batch_;               // tasks taken from the queue; the front is next

  std::mutex queue_mutex_;
  LinkedQueue<Task> queue_;
  std::atomic<uint64_t> queued_{0};      // the number of tasks queued so far
  std::atomic<uint64_t> drop_until_{0};  // tasks before this index are dropped; written under queue_mutex_
  Task* parked_ = nullptr;               // the wait that the stream is, or was last, parked on

  std::atomic<uint64_t> mark_queued_{0};
  std::atomic<uint64_t> mark_inline_run_{0};

  // Whether the client's thread is likely to wait soon for the tasks that it queues, as it did the last time, and so
  // should run them itself. A worker would only move the task to another core, and both threads would wake each other.
  std::atomic<bool> caller_runs_{false};
  std::atomic<int64_t> left_idle_ns_{0};  // the last time when a task was queued on the idle stream

  std::mutex reason_mutex_;
  Reason reason_{};

  std::mutex wait_mutex_;
  std::condition_variable wait_condition_;
  Waiter* waiters_ = nullptr;
};

// Called after a task has failed: calls the client's callbacks, and may stop a context. Defined in a layer above the
// streams, in acl/aclrt_exception.cc. Called by the thread that ran the task, without locks.
void OnTaskFailure(const Stream& stream, uint32_t task, int32_t status, const char* reason) noexcept;

// Submits a newly created task; null: its allocation has failed. A task that the stream refuses is finished. Returns 0,
// or a status code with a report.
int32_t SubmitNew(const char* function, Stream& stream, Task* task, int64_t cost_ns) noexcept;

// Lies on the stack of a thread while it calls the client for a stream; the stream continues only afterwards.
class ClientCall {
 public:
  // `stream`: null when no stream waits for the call.
  explicit ClientCall(const Stream* stream) noexcept : stream_(stream), outer_(t_thread.client_call) {
    t_thread.client_call = this;
  }
  ~ClientCall() { t_thread.client_call = outer_; }
  ClientCall(const ClientCall&) = delete;
  ClientCall& operator=(const ClientCall&) = delete;

  // Whether this thread is inside a call for that stream, so that it must not wait for it.
  static bool Inside(const Stream* stream) noexcept {
    for (const ClientCall* call = t_thread.client_call; call != nullptr; call = call->outer_) {
      if (call->stream_ == stream) return true;
    }
    return false;
  }

 private:
  const Stream* const stream_;
  const ClientCall* const outer_;
};

}  // namespace portacl::streams
