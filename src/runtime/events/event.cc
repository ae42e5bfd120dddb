// SPDX-License-Identifier: Apache-2.0
// Recording, waiting for and resetting events.
#include "runtime/events/event.h"
#include "base/observer.h"

#include <chrono>
#include <new>
#include <utility>

#include "runtime/arguments.h"

namespace portacl::events {
namespace {

class WaitTask final : public Task {
 public:
  WaitTask(EventRecord* record, streams::Stream* stream, uint32_t limit_s)
      : Task(TaskKind::kWait), record_(record), parked_{stream}, limit_(limit_s) {
    record->Retain();
    record->waits.fetch_add(1, std::memory_order_relaxed);
  }

  int32_t Run() noexcept override {
    if (!record_->Register(&parked_)) return 0;
    limit_.Arm(parked_.stream);
    return kParkStream;
  }
  bool Unpark() noexcept override { return record_->Withdraw(&parked_); }
  bool Awaits(streams::Stream** record_of) const noexcept override {
    *record_of = record_->stream.load(std::memory_order_relaxed);
    return !record_->Fired();
  }
  void Describe(TaskNote* note) const noexcept override {
    note->role = TaskRole::kWait;
    note->name = "event wait";
    note->moment = record_;
  }
  void Finish() noexcept override {
    record_->waits.fetch_sub(1, std::memory_order_release);
    record_->Drop();
    delete this;
  }

 private:
  ~WaitTask() = default;

  EventRecord* const record_;
  ParkedStream parked_;
  WaitLimit limit_;
};

}  // namespace

void EventRecord::Fire() noexcept {
  ParkedStreams<ParkedStream> parked;
  {
    const std::scoped_lock lock(mutex_);
    time_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
                   .count();
    fired_.store(true, std::memory_order_release);
    parked = parked_.TakeAll();
  }
  parked.ResumeAll();
}

bool EventRecord::Register(ParkedStream* parked) noexcept {
  const std::scoped_lock lock(mutex_);
  if (fired_.load(std::memory_order_relaxed)) return false;
  parked_.Add(parked);
  return true;
}

bool EventRecord::Withdraw(const ParkedStream* parked) noexcept {
  const std::scoped_lock lock(mutex_);
  return parked_.Remove(parked);
}

class Event::ResetTask final : public Task {
 public:
  // Takes over the caller's reference to the record.
  ResetTask(Event* event, EventRecord* record) : Task(TaskKind::kControl), event_(event), record_(record) {}

  int32_t Run() noexcept override {
    event_->Unrecord(record_);
    return 0;
  }
  void Describe(TaskNote* note) const noexcept override { note->name = "event reset"; }
  void Finish() noexcept override {
    record_->Drop();
    delete this;
  }

 private:
  ~ResetTask() = default;

  Event* const event_;  // a slot of the table; if it is reused for another event, its record differs
  EventRecord* const record_;
};

void Event::Open(HandleBits context, EventGeneration generation, uint32_t flags) noexcept {
  context_.store(context, std::memory_order_relaxed);
  generation_.store(generation, std::memory_order_relaxed);
  flags_.store(flags, std::memory_order_relaxed);
  flag_.store(-1, std::memory_order_relaxed);
}

void Event::Close() noexcept {
  EventRecord* record = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    record = std::exchange(record_, nullptr);
  }
  if (record == nullptr) return;
  if (record->stream == nullptr) record->Fire();
  record->Drop();
}

int32_t Event::Record(const char* function, streams::Stream* on) noexcept {
  EventRecord* record = nullptr;
  EventRecord* previous = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const bool awaited = record_ != nullptr && record_->stream == nullptr;
    record = awaited ? record_ : new (std::nothrow) EventRecord;
    if (record == nullptr) return OutOfMemory(function);
    previous = awaited ? nullptr : record_;
    record->stream = on;
    record->stream_handle = on->handle();
    record->Retain();
    record_ = record;
  }
  const int32_t status = on->Submit(record, 0);
  if (status == 0) {
    if (previous != nullptr) previous->Drop();
    return 0;
  }
  // Nothing was queued. Streams that waited for this record are released, and the event gets its former record again.
  // Another thread may have recorded the event again meanwhile, or destroyed it and released this record.
  bool still_mine = false;
  {
    const std::scoped_lock lock(mutex_);
    still_mine = record_ == record;
    if (still_mine) record_ = previous;
  }
  record->Fire();
  if (still_mine) {
    record->Drop();
  } else if (previous != nullptr) {
    previous->Drop();
  }
  record->Drop();
  return status;
}

int32_t Event::Reset(const char* function, streams::Stream* on) noexcept {
  EventRecord* record = LastRecord();
  if (record == nullptr) return 0;
  auto* task = new (std::nothrow) ResetTask(this, record);
  if (task == nullptr) record->Drop();
  return streams::SubmitNew(function, *on, task, 0);
}

void Event::Unrecord(const EventRecord* record) noexcept {
  EventRecord* mine = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (record_ == record) mine = std::exchange(record_, nullptr);
  }
  if (mine != nullptr) mine->Drop();
}

int32_t Event::Wait(const char* function, streams::Stream* on, bool until_first, uint32_t limit_s) noexcept {
  if (limit_s != 0) {
    const int32_t status = TheWaitMonitor().Start(function);
    if (status != 0) return status;
  }
  WaitTask* task = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (record_ == nullptr) {
      if (!until_first) return 0;
      record_ = new (std::nothrow) EventRecord;
      if (record_ == nullptr) return OutOfMemory(function);
    }
    NotifyObservers([&](Observer& each) { each.Ordered(Order::kStreamAfterMoment, on->handle(), record_); });
    // A wait on the stream that made the record is not needed: its tasks run in order.
    if (record_->Fired() || record_->stream == on) return 0;
    task = new (std::nothrow) WaitTask(record_, on, limit_s);
  }
  return streams::SubmitNew(function, *on, task, 0);
}

bool Event::Awaited() noexcept {
  const std::scoped_lock lock(mutex_);
  return record_ != nullptr && record_->waits.load(std::memory_order_acquire) > 0;
}

EventRecord* Event::LastRecord() noexcept {
  const std::scoped_lock lock(mutex_);
  if (record_ == nullptr || record_->stream == nullptr) return nullptr;
  record_->Retain();
  return record_;
}

}  // namespace portacl::events
