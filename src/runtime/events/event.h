// SPDX-License-Identifier: Apache-2.0
// Events. An event refers to its latest record. Every record is an object of its own, so that a wait keeps the record
// that it was queued for, whatever happens to the event.
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

// One moment on a stream. Reference-counted: the event, the stream that will fire it, the streams that wait for it, and
// calls in progress hold references.
class EventRecord final : public Task, public streams::Goal {
 public:
  EventRecord() : Task(TaskKind::kControl) {}

  void Retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void Drop() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // The task of the record: marks the moment as reached.
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

  // Marks the moment as reached and resumes the parked streams.
  void Fire() noexcept;
  bool Fired() const noexcept { return fired_.load(std::memory_order_acquire); }
  bool Reached() const noexcept override { return Fired(); }
  int64_t TimeNs() const noexcept { return time_ns_; }  // valid when fired; from a monotonic clock

  // Registers a stream that Fire() resumes. Returns false when the record has already fired.
  bool Register(ParkedStream* parked) noexcept;
  // Unregisters a stream. Returns false when it is not registered any more.
  bool Withdraw(const ParkedStream* parked) noexcept;

  // The number of queued waits for this moment that are not over.
  std::atomic<uint32_t> waits{0};

  // The stream on which it is queued; null before. Set once, before the record is submitted.
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

  // Releases the streams that still wait for a first record, which can never happen now.
  void Close() noexcept;

  HandleBits context() const noexcept { return context_.load(std::memory_order_relaxed); }
  // Atomic: a thread that looked up a handle may call this while the slot is opened for another event.
  EventGeneration generation() const noexcept { return generation_.load(std::memory_order_relaxed); }
  bool Has(uint32_t flags) const noexcept { return (flags_.load(std::memory_order_relaxed) & flags) != 0; }

  // Queues a record on the stream. Like the two functions below, returns 0 or a status code with a report for
  // `function`.
  int32_t Record(const char* function, streams::Stream* on) noexcept;

  // Queues the return to the unrecorded state.
  int32_t Reset(const char* function, streams::Stream* on) noexcept;

  // Makes the stream wait for the last record. If the event was never recorded: for the first record if `until_first`,
  // else not at all. `limit_s`: seconds; 0: no limit.
  int32_t Wait(const char* function, streams::Stream* on, bool until_first, uint32_t limit_s) noexcept;

  // Whether waits for the last record, or for the first one, are pending.
  bool Awaited() noexcept;

  // All records and waits of one event must have the same graph flag. Returns false when an earlier one had another
  // flag.
  bool AgreeOnFlag(uint32_t flag) noexcept {
    int before = -1;
    return flag_.compare_exchange_strong(before, static_cast<int>(flag), std::memory_order_relaxed) ||
           before == static_cast<int>(flag);
  }

  // Returns the last record, with a reference for the caller; null when the event was never recorded.
  EventRecord* LastRecord() noexcept;

 private:
  class ResetTask;

  void Unrecord(const EventRecord* record) noexcept;

  std::atomic<HandleBits> context_{0};
  std::atomic<EventGeneration> generation_{EventGeneration::kFirst};
  std::atomic<uint32_t> flags_{0};
  std::atomic<int> flag_{-1};  // the flag of records and waits; -1: none yet

  std::mutex mutex_;
  EventRecord* record_ = nullptr;  // the last record; before it is queued, streams park on it
};

}  // namespace portacl::events
