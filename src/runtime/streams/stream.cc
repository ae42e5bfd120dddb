// SPDX-License-Identifier: Apache-2.0
// Decides which thread runs a stream and when, and lets threads sleep meanwhile.
#include "runtime/streams/stream.h"

#include <utility>

#include "acl/acl.h"
#include "base/no_cancel.h"
#include "base/status.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/threads.h"

namespace portacl::streams {

PORTACL_HOT_THREAD_LOCAL constinit thread_local ThreadState t_thread;

namespace {

// Sleeping and waking costs some ten microseconds, so a waiting thread first polls for a moment.
constexpr std::chrono::microseconds kPoll{2};

// A thread that waits for its queued tasks within this time should run them itself: two threads that wake each other
// take 50 to 100 us.
constexpr int64_t kCallerComesNs = 100'000;

int64_t NowNs() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The number of tasks that a worker runs in a row while other streams wait for a thread.
constexpr int kTurn = 32;

// Tells AllocateScratch() the device of the task that this thread runs.
class RunningDevice {
 public:
  explicit RunningDevice(int device) : saved_(t_thread.running_device) { t_thread.running_device = device; }
  ~RunningDevice() { t_thread.running_device = saved_; }
  RunningDevice(const RunningDevice&) = delete;
  RunningDevice& operator=(const RunningDevice&) = delete;

 private:
  const int saved_;
};

}  // namespace

// Reached when everything that was submitted before the object was created has finished: queued tasks, and a task that
// another thread was running at once.
class Stream::AllSubmitted final : public Goal {
 public:
  explicit AllSubmitted(const Stream& stream)
      : stream_(stream),
        queued_(stream.queued_.load(std::memory_order_acquire)),
        inline_run_(stream.inline_runs_.load(std::memory_order_acquire)) {}

  bool Reached() const noexcept override {
    return stream_.finished_.load(std::memory_order_acquire) >= queued_ &&
           (inline_run_ % 2 == 0 || stream_.inline_runs_.load(std::memory_order_acquire) != inline_run_);
  }

 private:
  const Stream& stream_;
  const uint64_t queued_;
  const uint64_t inline_run_;
};

void Stream::Open(HandleBits handle, HandleBits context, int device) noexcept {
  device_id_.store(device, std::memory_order_relaxed);
  device_.store(&devices::GetDevice(device), std::memory_order_relaxed);
  workers_.store(&DeviceWorkers(device), std::memory_order_relaxed);
  error_.store(0, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  handle_.store(handle, std::memory_order_relaxed);
  state_.fetch_and(~kRefuses, std::memory_order_acq_rel);
}

void Stream::RunAtOnce(Task* task, bool observed) noexcept {
  const parallel::ShortTask is_short;
  const uint64_t runs = inline_runs_.load(std::memory_order_relaxed);
  const uint32_t number = TaskNumber(queued_.load(std::memory_order_relaxed));
  t_thread.last_task = number;
  inline_runs_.store(runs + 1, std::memory_order_relaxed);
  if (observed) NotifyObservers([&](Observer& each) { each.TaskBegan(task, handle()); });
  const int32_t status = task->kind == TaskKind::kDevice ? LaunchOnDevice(*task) : task->Run();
  if (status != 0) [[unlikely]]
    Fail(status, number);
  if (observed) NotifyObservers([&](Observer& each) { each.TaskEnded(task, handle(), status); });
  task->Finish();
  inline_runs_.store(runs + 2, std::memory_order_release);
  const uint32_t before = state_.fetch_sub(kOwned, std::memory_order_acq_rel);
  if ((before & kPending) != 0) Schedule();
  if ((before & kWaiters) != 0) WakeWaiters();
}

int32_t Stream::Enqueue(Task* task) noexcept {
  if (!Workers().Start())
    return Failf(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
                 "stream: cannot start a worker thread: the system refused a thread (ulimit -u limits them)");
  // A wait on an idle stream parks it at once, so that no worker is needed.
  uint32_t state = state_.load(std::memory_order_relaxed);
  const int64_t now = NowNs();
  if ((state & (kOwned | kPending)) == 0) left_idle_ns_.store(now, std::memory_order_relaxed);
  const bool owned =
      task->kind == TaskKind::kWait && (state & (kOwned | kPending)) == 0 &&
      state_.compare_exchange_strong(state, state | kOwned, std::memory_order_acquire, std::memory_order_relaxed);
  // Another stream may wait for a task that is not a kernel, and the caller may never wait for this stream.
  const bool may_delay =
      task->kind == TaskKind::kDevice && caller_runs_.load(std::memory_order_relaxed) && QueuedRecently(now);
  if (!Append(task, kRefuses)) {
    if (owned) GiveUp();
    return ReportRefusal();
  }
  if (owned) {
    const AllSubmitted goal(*this);
    RunQueued(false, &goal);
    return 0;
  }
  Schedule(may_delay);
  return 0;
}

// The bits are read under the lock: the thread that stops or closes the stream sets them before it drops the queued
// tasks, so each task is either refused or dropped.
bool Stream::Append(Task* task, uint32_t refusing) noexcept {
  const std::scoped_lock lock(queue_mutex_);
  if ((state_.load(std::memory_order_acquire) & refusing) != 0) return false;
  queue_.PushBack(task);
  t_thread.last_task = TaskNumber(queued_.fetch_add(1, std::memory_order_release));
  state_.fetch_or(kPending, std::memory_order_acq_rel);
  return true;
}

bool Stream::Claim() noexcept {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while ((state & (kOwned | kPending)) == kPending) {
    if (state_.compare_exchange_weak(state, state | kOwned, std::memory_order_acq_rel, std::memory_order_relaxed))
      return true;
  }
  return false;
}

void Stream::GiveUp() noexcept {
  const uint32_t before = state_.fetch_sub(kOwned, std::memory_order_acq_rel);
  if ((before & kPending) != 0) Schedule();
}

// `may_delay`: the caller will probably run the stream before a worker does. Otherwise the stream is no longer reserved
// for the caller, which may sleep until another thread has run it.
void Stream::Schedule(bool may_delay) noexcept {
  const bool was_left = !may_delay && caller_runs_.exchange(false, std::memory_order_relaxed);
  uint32_t state = state_.load(std::memory_order_relaxed);
  while ((state & (kOwned | kPending | kScheduled)) == kPending) {
    if (state_.compare_exchange_weak(state, state | kScheduled, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      Workers().Push(this, may_delay);
      return;
    }
  }
  if (was_left) Workers().WakeNow();
}

// Called by the owner when its batch is empty; it may have just finished its last task. Takes the tasks that were
// queued meanwhile. If there are none, gives up the right to run the stream and returns false. It does so before the
// task counts as finished, so that a thread that waited for the task finds an idle stream.
bool Stream::TakeQueue(bool finished_one) noexcept {
  bool more = false;
  {
    const std::scoped_lock lock(queue_mutex_);
    batch_ = std::exchange(queue_, {});
    more = !batch_.empty();
    if (!more) state_.fetch_and(~(kOwned | kPending), std::memory_order_acq_rel);
    // Until here the lock keeps the next owner from taking queued tasks.
    if (finished_one) CountFinished();
  }
  if (finished_one) WakeWaiters();
  return more;
}

// Runs queued tasks in order; the calling thread owns the stream, and no longer owns it afterwards. Stops early when
// the goal is reached. Returns false when the next task is a host function and this thread is not a worker.
bool Stream::RunQueued(bool on_worker, const Goal* goal) noexcept {
  for (int turn = 0;; ++turn) {
    if (batch_.empty() && !TakeQueue(false)) return true;
    Task* task = batch_.front();
    const bool foreign = task->kind == TaskKind::kHost && !on_worker && !Dropping();
    if (foreign || (goal != nullptr && goal->Reached()) ||
        (turn >= kTurn && goal == nullptr && Workers().HasBacklog())) {
      GiveUp();
      return !foreign;
    }
    const bool may_park = task->kind == TaskKind::kWait;
    if (Observed()) [[unlikely]]
      BeginObserved(*task);
    const int32_t status = Execute(*task);
    // The stream is parked, and may have been resumed already, so neither the stream nor the task may be touched.
    if (may_park && status == kParkStream) return true;
    if (status != 0) [[unlikely]]
      FailTask(*task, status, on_worker);
    NotifyObservers([&](Observer& each) { each.TaskEnded(task, handle(), status); });
    batch_.PopFront();
    task->Finish();
    if (batch_.empty()) {
      if (!TakeQueue(true)) return true;
    } else {
      CountFinished();
      WakeWaiters();
    }
  }
}

int32_t Stream::Execute(Task& task) noexcept {
  const RunningDevice running(device());
  if (task.kind == TaskKind::kWait) return RunWait(task);
  if (Dropping()) [[unlikely]] {
    task.Cancel();
    return 0;
  }
  switch (task.kind) {
    case TaskKind::kDevice:
      return LaunchOnDevice(task);
    case TaskKind::kHost: {
      Workers().EnterHostFunction();
      const ClientCall call(this);
      const int32_t status = task.Run();
      Workers().LeaveHostFunction();
      return status;
    }
    case TaskKind::kControl:
    case TaskKind::kWait:
      break;
  }
  return task.Run();
}

// Runs under the lock, so that Drop() finds the task either not begun or parked. A task may be parked several times: it
// runs again after each Resume().
int32_t Stream::RunWait(Task& task) noexcept {
  const std::scoped_lock lock(queue_mutex_);
  parked_ = nullptr;
  if (Dropping()) {
    task.Cancel();
    return 0;
  }
  const int32_t status = task.Run();
  if (status == kParkStream) parked_ = &task;
  return status;
}

void Stream::CountFinished() noexcept {
  finished_.store(finished_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// Whether the tasks were queued so recently that the client's thread may still come to run them.
bool Stream::QueuedRecently(int64_t now_ns) const noexcept {
  return now_ns - left_idle_ns_.load(std::memory_order_relaxed) < kCallerComesNs;
}

bool Stream::ReservedForCaller() const noexcept {
  const bool unclaimed = (state_.load(std::memory_order_acquire) & (kOwned | kPending)) == kPending;
  return unclaimed && caller_runs_.load(std::memory_order_relaxed) && QueuedRecently(NowNs());
}

bool Stream::RunOnWorker() noexcept {
  state_.fetch_and(~kScheduled, std::memory_order_acq_rel);
  if (!Claim()) return false;
  RunQueued(true, nullptr);
  return true;
}

void Stream::NoteCaller() noexcept {
  const bool soon = QueuedRecently(NowNs());
  if (soon != caller_runs_.load(std::memory_order_relaxed)) caller_runs_.store(soon, std::memory_order_relaxed);
}

bool Stream::Finished() noexcept {
  if (Idle() || AllSubmitted(*this).Reached()) {
    NotifyHostIsAfter();
    return true;
  }
  // A caller that only queries does not run tasks, so the tasks that were reserved for it need a worker now.
  if (caller_runs_.exchange(false, std::memory_order_relaxed)) Workers().WakeNow();
  return false;
}

void Stream::SetMark() noexcept {
  mark_queued_.store(queued_.load(std::memory_order_acquire), std::memory_order_relaxed);
  mark_inline_run_.store(inline_runs_.load(std::memory_order_acquire), std::memory_order_relaxed);
}

bool Stream::PastMark() const noexcept {
  const uint64_t inline_run = mark_inline_run_.load(std::memory_order_relaxed);
  return finished_.load(std::memory_order_acquire) >= mark_queued_.load(std::memory_order_relaxed) &&
         (inline_run % 2 == 0 || inline_runs_.load(std::memory_order_acquire) != inline_run);
}

bool Stream::WaitForAll(Deadline deadline) {
  if (!Idle()) {
    NoteCaller();
    const AllSubmitted goal(*this);
    if (!WaitFor(goal, deadline)) return false;
  }
  NotifyHostIsAfter();
  return true;
}

// A task that another thread runs at once counts as finished slightly before the stream is idle.
void Stream::WaitUntilIdle() noexcept {
  const NoCancel no_cancel;
  while (!Idle()) WaitForAll({});
}

bool Stream::WaitFor(const Goal& goal, Deadline deadline) {
  // A kernel cannot be interrupted, so a thread with a deadline only waits; so does a thread that has met a host
  // function.
  bool helps = !deadline.has_value();
  auto poll_end = std::chrono::steady_clock::now() + kPoll;
  while (!goal.Reached()) {
    if (helps && Claim()) {
      const NoCancel no_cancel;
      helps = RunQueued(false, &goal);
      poll_end = std::chrono::steady_clock::now() + kPoll;
    } else if (std::chrono::steady_clock::now() < poll_end) {
      parallel::Pause();
    } else {
      return Block(goal, deadline);
    }
  }
  return true;
}

// An entry of the stream's list, created and destroyed under wait_mutex_.
struct Stream::Waiter {
  Waiter(Stream* its_stream, const Goal& its_goal) noexcept
      : stream(its_stream), goal(its_goal), next(its_stream->waiters_) {
    stream->waiters_ = this;
    stream->state_.fetch_or(kWaiters, std::memory_order_acq_rel);
  }
  ~Waiter() {
    Waiter** link = &stream->waiters_;
    while (*link != this) link = &(*link)->next;
    *link = next;
    if (stream->waiters_ == nullptr) stream->state_.fetch_and(~kWaiters, std::memory_order_acq_rel);
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  Stream* const stream;
  const Goal& goal;
  Waiter* next;
};

bool Stream::Block(const Goal& goal, Deadline deadline) {
  std::unique_lock lock(wait_mutex_);
  const Waiter waiter(this, goal);
  bool in_time = true;
  while (in_time && !goal.Reached()) {
    if (deadline.has_value()) {
      in_time = wait_condition_.wait_until(lock, *deadline) == std::cv_status::no_timeout;
    } else {
      wait_condition_.wait(lock);
    }
  }
  return in_time || goal.Reached();
}

// The write to state_ is ordered against Block(): either this function sees the waiter's flag, or the waiter sees the
// finished task.
void Stream::WakeWaiters() noexcept {
  if ((state_.fetch_add(0, std::memory_order_acq_rel) & kWaiters) == 0) return;
  const std::scoped_lock lock(wait_mutex_);
  for (const Waiter* waiter = waiters_; waiter != nullptr; waiter = waiter->next) {
    if (!waiter->goal.Reached()) continue;
    wait_condition_.notify_all();
    return;
  }
}

}  // namespace portacl::streams
