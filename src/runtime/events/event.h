// SPDX-License-Identifier: Apache-2.0
// Events. An event names its latest record; every record is an object of its own, so that a wait keeps the record it
// was queued for, whatever becomes of the event.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/observer.h"
#include "runtime/events/wait_monitor.h"
#include "runtime/handle_table.h"
#include "runtime/streams/stream.h"
#include "runtime/task.h"

namespace portacl::events {

// One moment on a stream. Counted references: the event, the stream that will fire it, streams that wait for it, and
// calls.
class EventRecord final : public Task, public streams::Goal {
 public:
  EventRecord() : Task(TaskKind::kControl) {}

  void Retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void Drop() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // The task: the moment has come.
  int32_t Run() noexcept override {
    Fire();
    return 0;
  }
  void Finish() noexcept override { Drop(); }
  void Describe(TaskNote* note) const noexcept override {
    note->role = TaskRole::kRecord;
    note->name = "event record";
    note->moment = this;
  }
  void Cancel() noexcept override { Fire(); }

  // Marks the moment and lets the parked streams go on.
  void Fire() noexcept;
  bool Fired() const noexcept { return fired_.load(std::memory_order_acquire); }
  bool Reached() const noexcept override { return Fired(); }
  int64_t TimeNs() const noexcept { return time_ns_; }  // valid when fired; a clock that never goes back

  // Registers a stream to be resumed by Fire(). False: it has fired.
  bool Register(ParkedStream* parked) noexcept;
  // Takes it out again. False: it is not there, or no more.
  bool Withdraw(const ParkedStream* parked) noexcept;

  // Waits that were queued for this moment and are not over.
  std::atomic<uint32_t> waits{0};

  // Where it is queued; null before. Set once, before the record is submitted.
  std::atomic<streams::Stream*> stream{nullptr};
  HandleBits stream_handle = 0;

 private:
  ~EventRecord() = default;

  std::atomic<uint32_t> references_{1};
  std::atomic<bool> fired_{false};
  std::mutex mutex_;
  ParkedStreams<ParkedStream> parked_;
  int64_t time_ns_ = 0;
};

enum class EventGeneration : uint8_t { kFirst, kSecond };

class Event {
 public:
  void Open(HandleBits context, EventGeneration generation, uint32_t flags) noexcept;

  // Lets go of what still waits for a first record, which can never come now.
  void Close() noexcept;

  HandleBits context() const noexcept { return context_.load(std::memory_order_relaxed); }
  // A thread that looked up a handle may ask while the slot is opened for another event.
  EventGeneration generation() const noexcept { return generation_.load(std::memory_order_relaxed); }
  bool Has(uint32_t flags) const noexcept { return (flags_.load(std::memory_order_relaxed) & flags) != 0; }

  // Queues a record on the stream. Returns 0 or a status code with a report for `function`, as those below.
  int32_t Record(const char* function, streams::Stream* on) noexcept;

  // Queues the return to the unrecorded state.
  int32_t Reset(const char* function, streams::Stream* on) noexcept;

  // Makes the stream wait for the last record; unrecorded: for the first one if `until_first`, else not at all.
  // `limit_s`: seconds, 0 for none.
  int32_t Wait(const char* function, streams::Stream* on, bool until_first, uint32_t limit_s) noexcept;

  // Whether waits for the last record, or for the first one, are not over.
  bool Awaited() noexcept;

  // Records and waits of one event say the same about graphs throughout its life. False: they said otherwise before.
  bool AgreeOnFlag(uint32_t flag) noexcept {
    int before = -1;
    return flag_.compare_exchange_strong(before, static_cast<int>(flag), std::memory_order_relaxed) ||
           before == static_cast<int>(flag);
  }

  // The last record with a reference for the caller, or null when never recorded.
  EventRecord* LastRecord() noexcept;

 private:
  class ResetTask;

  void Unrecord(const EventRecord* record) noexcept;

  std::atomic<HandleBits> context_{0};
  std::atomic<EventGeneration> generation_{EventGeneration::kFirst};
  std::atomic<uint32_t> flags_{0};
  std::atomic<int> flag_{-1};  // of records and waits; -1: none yet

  std::mutex mutex_;
  EventRecord* record_ = nullptr;  // the last one; before it is queued: the one that waiting streams are parked on
};

}  // namespace portacl::events
