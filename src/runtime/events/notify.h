// SPDX-License-Identifier: Apache-2.0
// Notifies: a number that tasks of one stream change and tasks of another wait for. A plain notify is 0 or 1.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "runtime/events/wait_monitor.h"
#include "runtime/handle_table.h"
#include "runtime/task.h"

namespace portacl::events {

// How a number changes, and what is waited for; the numbers are those of the public enums.
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

  // Changes the number and lets all parked streams look again.
  void Change(const NotifyChange& change) noexcept;

  // True: the goal is reached, and used up if it clears. Otherwise the stream is entered, to be resumed.
  bool TakeOrPark(const NotifyGoal& goal, ParkedStream* parked) noexcept;
  // False: it is not there.
  bool Withdraw(const ParkedStream* parked) noexcept;

 private:
  ~NotifyState() = default;

  std::atomic<uint32_t> references_{1};
  std::mutex mutex_;
  uint32_t value_ = 0;
  ParkedStreams<ParkedStream> parked_;
};

// The object of a handle. The state has a lifetime of its own, so a caller takes a reference while the handle is live.
struct Notify {
  std::mutex mutex;
  NotifyState* state = nullptr;
};
inline constexpr uint32_t kMostNotifies = 1 << 16;
// Both kinds have a table, so that one is not taken for the other.
using NotifyTable = HandleTable<Notify, 0x0C05, kMostNotifies>;
using CountingNotifyTable = HandleTable<Notify, 0x0C06, kMostNotifies>;
extern NotifyTable g_notifies;
extern CountingNotifyTable g_counting_notifies;

// Queue a change and a wait. Return 0 or a status code with a report.
int32_t QueueChange(const char* function, NotifyState* state, streams::Stream* on, const NotifyChange& change) noexcept;
int32_t QueueWait(const char* function, NotifyState* state, streams::Stream* on, const NotifyGoal& goal,
                  uint32_t limit_s) noexcept;

}  // namespace portacl::events
