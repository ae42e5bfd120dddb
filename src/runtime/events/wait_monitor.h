// SPDX-License-Identifier: Apache-2.0
// The thread that ends waits of streams which no other part of the library ends: waits with a timeout, and waits for a
// value in memory that any code may write.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "runtime/streams/stream.h"

namespace portacl::events {

// The list node of a parked stream; a part of the task that waits.
struct ParkedStream {
  streams::Stream* stream;
  ParkedStream* next = nullptr;
};

// A list of streams that wait for the same thing. The owner of the list locks it, except while it resumes them.
template <class Node>
class ParkedStreams {
 public:
  bool IsEmpty() const noexcept { return first_ == nullptr; }

  void Add(Node* node) noexcept {
    node->next = first_;
    first_ = node;
  }

  // Returns false when the node is not in the list.
  bool Remove(const Node* node) noexcept {
    return !TakeIf([node](const Node& each) { return &each == node; }).IsEmpty();
  }

  ParkedStreams TakeAll() noexcept { return std::exchange(*this, {}); }

  template <class Condition>
  ParkedStreams TakeIf(Condition&& holds) noexcept {
    ParkedStreams taken;
    for (Node** link = &first_; *link != nullptr;) {
      Node* node = *link;
      if (!holds(*node)) {
        link = &node->next;
        continue;
      }
      *link = node->next;
      taken.Add(node);
    }
    return taken;
  }

  void ResumeAll() noexcept {
    while (first_ != nullptr) {
      // A resumed stream may delete its node at once.
      streams::Stream* const stream = first_->stream;
      first_ = first_->next;
      stream->Resume();
    }
  }

 private:
  Node* first_ = nullptr;
};

// A value that its stream is parked for; a part of the task that waits.
class WatchedValue {
 public:
  WatchedValue(const void* place, streams::Stream* waiting) noexcept : address(place), stream(waiting) {}

  // Reads the value; its block is live during the call.
  virtual bool Satisfied() const noexcept = 0;

  const void* const address;
  streams::Stream* const stream;
  WatchedValue* next = nullptr;
  bool lost = false;  // its block was freed

 protected:
  ~WatchedValue() = default;
};

// The alarm of a stream's wait; a part of the task that waits.
struct Alarm {
  std::chrono::steady_clock::time_point when{};
  streams::Stream* stream = nullptr;  // null: not in a list
  uint64_t index = 0;
  Alarm* next = nullptr;
  Alarm* previous = nullptr;
};

// Whether a value at that address lies in a live block of device memory.
bool LiesInLiveBlock(const void* address) noexcept;

class WaitMonitor {
 public:
  // Starts the thread unless it runs. Returns 0, or a status code with a report for `function`.
  int32_t Start(const char* function) noexcept;

  // Ends the wait `index` of the alarm's stream at the alarm's time, unless that wait has ended before.
  void SetAlarm(Alarm* alarm) noexcept;
  void DropAlarm(Alarm* alarm) noexcept;

  // Reads the value, and registers it if it is not satisfied: its stream is resumed when the value has changed or its
  // block is freed.
  enum class Found : uint8_t { kSatisfied, kNotYet, kNoMemory };
  Found Await(WatchedValue* value) noexcept;
  // Returns false when the value is no longer registered.
  bool Remove(const WatchedValue* value) noexcept;
  // Called after a value was written: checks all registered values.
  void Look() noexcept;

 private:
  friend void ForgetWaitMonitor() noexcept;

  static void* Main(void* watch) noexcept;
  [[noreturn]] void Run() noexcept;
  using Values = ParkedStreams<WatchedValue>;
  // Removes from the list all values that satisfy the condition. The caller holds mutex_.
  template <class Condition>
  Values Take(Condition&& holds) noexcept;
  Values TakeSatisfied() noexcept;     // the caller holds mutex_
  void Unlink(Alarm* alarm) noexcept;  // the caller holds mutex_

  // Called after a block has died, and before its memory is reused or unmapped.
  static void EndDeadWaits() noexcept;

  // Values in the list, and those about to be read: while there are any, ending a block waits for mutex_.
  inline static constinit std::atomic<int> readers_{0};
  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  bool started_ = false;
  Alarm* first_ = nullptr;  // sorted by their times
  Alarm* last_ = nullptr;
  Values values_;
};

WaitMonitor& TheWaitMonitor() noexcept;

// The limit of one wait; a part of the task that waits. Its time starts when the stream is parked for the first time.
class WaitLimit {
 public:
  explicit WaitLimit(uint32_t seconds) noexcept : seconds_(seconds) {}
  ~WaitLimit() {
    if (armed_) TheWaitMonitor().DropAlarm(&alarm_);
  }
  WaitLimit(const WaitLimit&) = delete;
  WaitLimit& operator=(const WaitLimit&) = delete;

  // Called by the task's Run() before it parks.
  void Arm(streams::Stream* stream) noexcept {
    if (seconds_ == 0 || armed_) return;
    armed_ = true;
    alarm_.when = std::chrono::steady_clock::now() + std::chrono::seconds(seconds_);
    alarm_.stream = stream;
    alarm_.index = stream->RunningIndex();
    TheWaitMonitor().SetAlarm(&alarm_);
  }

 private:
  const uint32_t seconds_;
  bool armed_ = false;
  Alarm alarm_;
};

// In a forked child: the parent's thread does not exist, and no stream waits.
void ForgetWaitMonitor() noexcept;

}  // namespace portacl::events
