// SPDX-License-Identifier: Apache-2.0
// The threads that run the streams of one device.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/linked_queue.h"

namespace portacl::streams {

class Stream;

// A few threads, started when work first comes, that take streams which have something to run. A thread inside a
// client's host function does not count as available, so that a function which waits for another stream does not stop
// it; the threads started in its place end when they have had nothing to do for a while.
class WorkerPool {
 public:
  explicit WorkerPool(int device) : device_(device) {}
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Makes sure that at least one thread exists. False: the system refused one.
  bool Start() noexcept;

  // Queues a stream. The caller has set Stream's 'scheduled' mark, so a stream is queued here once at most.
  // `may_delay`: it may wait for the length of a nap before a thread looks.
  void Push(Stream* stream, bool may_delay) noexcept;
  // Wakes a thread for a stream that was queued with `may_delay`.
  void WakeNow() noexcept;

  // True while streams wait for a thread.
  bool HasBacklog() const noexcept { return ready_count_.load(std::memory_order_relaxed) > 0; }

  // Around a host function.
  void EnterHostFunction() noexcept;
  void LeaveHostFunction() noexcept;

 private:
  static void* Main(void* pool) noexcept;

  // Threads that wait for work on one condition.
  struct Sleepers {
    std::condition_variable wake;
    int sleeping = 0;    // threads that nobody has waked yet, napping ones, too
    int wake_calls = 0;  // for threads that were waked and have not noticed

    bool Sleep(std::unique_lock<std::mutex>& lock, std::optional<std::chrono::microseconds> limit) noexcept;
  };

  bool StartThread() noexcept;  // holds mutex_
  Stream* Take(bool ran) noexcept;
  std::condition_variable* WakeOne() noexcept;  // null: nobody sleeps; holds mutex_
  Stream* PopUrgent() noexcept;                 // holds mutex_
  bool TooFewAvailable() const noexcept;        // holds mutex_

  const int device_;
  std::atomic<int> threads_{0};
  std::atomic<int> ready_count_{0};
  std::mutex mutex_;  // guards all below
  LinkedQueue<Stream> ready_;
  Sleepers core_;                    // as many as are always kept
  Sleepers extra_;                   // waked only when nobody else sleeps
  int napping_ = 0;                  // 1 while a thread sleeps with an alarm
  std::chrono::microseconds nap_{};  // until that alarm
  int spinning_ = 0;
  int in_host_function_ = 0;
};

WorkerPool& DeviceWorkers(int device) noexcept;

}  // namespace portacl::streams
