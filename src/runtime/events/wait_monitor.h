// SPDX-License-Identifier: Apache-2.0
// The thread that ends waits of streams which nothing else in the library ends: those with a timeout, and those for a
// number in memory that anybody may write.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "runtime/streams/stream.h"

namespace portacl::events {

// Stands in a list while its stream is parked; part of the task that waits.
struct ParkedStream {
  streams::Stream* stream;
  ParkedStream* next = nullptr;
};

// Streams that wait for the same. Whoever has the list locks, but when he resumes them.
template <class Node>
class ParkedStreams {
 public:
  bool IsEmpty() const noexcept { return first_ == nullptr; }

  void Add(Node* node) noexcept {
    node->next = first_;
    first_ = node;
  }

  // False: it is not there.
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

// A number that its stream is parked for; part of the task that waits.
class WatchedValue {
 public:
  WatchedValue(const void* place, streams::Stream* waiting) noexcept : address(place), stream(waiting) {}

  // Reads the number, which lies in a live block meanwhile.
  virtual bool Satisfied() const noexcept = 0;

  const void* const address;
  streams::Stream* const stream;
  WatchedValue* next = nullptr;
  bool lost = false;  // its block was freed

 protected:
  ~WatchedValue() = default;
};

// An alarm of a stream's wait; part of the task that waits.
struct Alarm {
  std::chrono::steady_clock::time_point when{};
  streams::Stream* stream = nullptr;  // null: stands in no list
  uint64_t index = 0;
  Alarm* next = nullptr;
  Alarm* previous = nullptr;
};

// Whether a number at that address lies in a live block of device memory.
bool LiesInLiveBlock(const void* address) noexcept;

class WaitMonitor {
 public:
  // Makes sure that the thread exists. Returns 0, or a status code with a report for `function`.
  int32_t Start(const char* function) noexcept;

  // Ends the wait `index` of the alarm's stream at the alarm's time, unless it has ended before.
  void SetAlarm(Alarm* alarm) noexcept;
  void DropAlarm(Alarm* alarm) noexcept;

  // Looks, and enters what is not satisfied: its stream is resumed when that has changed or the block is freed.
  enum class Found : uint8_t { kSatisfied, kNotYet, kNoMemory };
  Found Await(WatchedValue* value) noexcept;
  // False: it is no longer there.
  bool Remove(const WatchedValue* value) noexcept;
  // Somebody has written a number.
  void Look() noexcept;

 private:
  friend void ForgetWaitMonitor() noexcept;

  static void* Main(void* watch) noexcept;
  [[noreturn]] void Run() noexcept;
  using Values = ParkedStreams<WatchedValue>;
  // Takes out of the list all values for which that holds. Holds mutex_.
  template <class Condition>
  Values Take(Condition&& holds) noexcept;
  Values TakeSatisfied() noexcept;     // holds mutex_
  void Unlink(Alarm* alarm) noexcept;  // holds mutex_

  // Called when a block has died, and before its memory is used again or unmapped.
  static void EndDeadWaits() noexcept;

  // Values in the list, and those about to be looked at: while there are any, the end of a block waits for mutex_.
  inline static constinit std::atomic<int> readers_{0};
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  bool started_ = false;
  Alarm* first_ = nullptr;  // in the order of their times
  Alarm* last_ = nullptr;
  Values values_;
};

WaitMonitor& TheWaitMonitor() noexcept;

// How long one wait may take; part of the task that waits. Starts counting when the stream is parked for the first
// time.
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

// In a forked child: its thread is gone, and nothing waits.
void ForgetWaitMonitor() noexcept;

}  // namespace portacl::events
