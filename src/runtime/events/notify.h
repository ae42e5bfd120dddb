// SPDX-License-Identifier: Apache-2.0
// Notifies: a counter that tasks of one stream change and tasks of another wait for. A plain notify is 0 or 1.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "runtime/events/wait_monitor.h"
#include "runtime/handle_table.h"
#include "runtime/task.h"

namespace portacl::events {

// How the counter changes, and the value that is waited for; the values of `mode` are those of the public enums.
struct NotifyChange {
  int mode;  // an aclrtCntNotifyRecordMode
  uint32_t value;
};
struct NotifyGoal {
  int mode;  // an aclrtCntNotifyWaitMode
  uint32_t value;
  bool clears;
};

// Lives as long as the handle or a queued task needs it.
class NotifyState {
 public:
  void Retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void Drop() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // Changes the counter, and makes all parked streams check their goals again.
  void Change(const NotifyChange& change) noexcept;

  // Returns true when the goal is reached; the counter is then reset if the goal clears. Otherwise registers the
  // stream, to be resumed.
  bool TakeOrPark(const NotifyGoal& goal, ParkedStream* parked) noexcept;
  // Returns false when the stream is not registered any more.
  bool Withdraw(const ParkedStream* parked) noexcept;

 private:
  ~NotifyState() = default;

  std::atomic<uint32_t> references_{1};
  std::mutex mutex_;
  uint32_t value_ = 0;
  ParkedStreams<ParkedStream> parked_;
};

// The object that a handle names. The state has its own lifetime, so a caller takes a reference while the handle is
// live.
struct Notify {
  std::mutex mutex;
  NotifyState* state = nullptr;
};
inline constexpr uint32_t kMostNotifies = 1 << 16;
// Each kind of notify has a table of its own, so that one is not mistaken for the other.
using NotifyTable = HandleTable<Notify, 0x0C05, kMostNotifies>;
using CountingNotifyTable = HandleTable<Notify, 0x0C06, kMostNotifies>;
extern NotifyTable g_notifies;
extern CountingNotifyTable g_counting_notifies;

// Queue a change and a wait. Return 0 or a status code with a report.
int32_t QueueChange(const char* function, NotifyState* state, streams::Stream* on, const NotifyChange& change) noexcept;
int32_t QueueWait(const char* function, NotifyState* state, streams::Stream* on, const NotifyGoal& goal,
                  uint32_t limit_s) noexcept;

}  // namespace portacl::events
