// SPDX-License-Identifier: Apache-2.0
// Streams with observers: notifications about a task before it runs, and delays.
#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/streams/stream.h"

namespace portacl::streams {
namespace {

int DelayOf(uint64_t stream, uint64_t number) noexcept {
  int delay = -1;
  ForEachObserver([&](Observer& each) { delay = std::max(delay, each.DelayOf(stream, number)); });
  return delay;
}

}  // namespace

int32_t Stream::SubmitObserved(Task* task, int64_t cost_ns) noexcept {
  TaskNote note;
  note.task = task;
  note.stream = handle();
  note.device = device();
  task->Describe(&note);
  ForEachObserver([&](Observer& each) { each.TaskQueued(note); });
  uint32_t state = state_.load(std::memory_order_relaxed);
  if (cost_ns <= kInlineCostNs && task->kind <= TaskKind::kControl && (state & (kOwned | kPending | kRefuses)) == 0 &&
      DelayOf(note.stream, TaskNumber(queued_.load(std::memory_order_relaxed))) < 0 &&
      state_.compare_exchange_strong(state, state | kOwned, std::memory_order_acquire, std::memory_order_relaxed)) {
    RunAtOnce(task, true);
    return 0;
  }
  const int32_t status = Enqueue(task);
  if (status != 0) ForEachObserver([&](Observer& each) { each.TaskRefused(task); });
  return status;
}

void Stream::BeginObserved(const Task& task) noexcept {
  // No task runs at once while another is queued, so this is the index that it was submitted with.
  const int delay = DelayOf(handle(), TaskNumber(finished_.load(std::memory_order_relaxed)));
  if (delay > 0 && !Dropping()) std::this_thread::sleep_for(std::chrono::milliseconds(delay));
  // A dropped task never begins. A wait may have begun earlier.
  const bool begins = !Dropping() || task.kind == TaskKind::kWait;
  ForEachObserver([&](Observer& each) {
    if (begins)
      each.TaskBegan(&task, handle());
    else
      each.TaskRefused(&task);
  });
}

}  // namespace portacl::streams
