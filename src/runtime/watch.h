// SPDX-License-Identifier: Apache-2.0
// The one thread that looks after waits of streams which nothing in the library ends: those with a limit, and those for
// a number in memory that anybody may write.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>

#include "runtime/stream.h"

namespace portacl {

// Stands in the watch's list while its stream is parked; part of the work that waits.
class WatchedValue {
 public:
  virtual bool Satisfied() const noexcept = 0;

  Stream* stream = nullptr;
  WatchedValue* next = nullptr;

 protected:
  ~WatchedValue() = default;
};

class Watch {
 public:
  // Makes sure that the thread exists. False: the system refuses one.
  bool Start() noexcept;

  // Ends the wait `index` of a stream at that time, if it still goes on then.
  void SetAlarm(std::chrono::steady_clock::time_point when, Stream* stream, uint64_t index);

  void Add(WatchedValue* value) noexcept;
  // False: it is no longer there.
  bool Remove(const WatchedValue* value) noexcept;
  // Somebody has written a number.
  void Look() noexcept;

 private:
  struct Alarm {
    Stream* stream;
    uint64_t index;
  };

  static void* Main(void* watch) noexcept;
  [[noreturn]] void Run() noexcept;
  WatchedValue* TakeSatisfied() noexcept;  // holds mutex_

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  bool started_ = false;
  std::multimap<std::chrono::steady_clock::time_point, Alarm> alarms_;
  WatchedValue* values_ = nullptr;
};

Watch& TheWatch() noexcept;

}  // namespace portacl
