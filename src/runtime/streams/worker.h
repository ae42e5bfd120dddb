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

// A few threads, started when the first task comes, that run the streams which have tasks. A thread inside a client's
// host function does not count as available, so a function that waits for another stream does not block that stream.
// The threads started in its place end when they were idle for a while.
class WorkerPool {
 public:
  explicit WorkerPool(int device) : device_(device) {}
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Ensures that at least one thread exists. Returns false when the system refused one.
  bool Start() noexcept;

  // Queues a stream. The caller has set the stream's flag kScheduled, so a stream is queued here at most once.
  // `may_delay`: a thread may look at it only after the length of a nap.
  void Push(Stream* stream, bool may_delay) noexcept;
  // Wakes a thread for a stream that was queued with `may_delay`.
  void WakeNow() noexcept;

  // True while streams wait for a thread.
  bool HasBacklog() const noexcept { return ready_count_.load(std::memory_order_relaxed) > 0; }

  // Called before and after a host function.
  void EnterHostFunction() noexcept;
  void LeaveHostFunction() noexcept;

 private:
  static void* Main(void* pool) noexcept;

  // Threads that wait for work on one condition.
  struct Sleepers {
    std::condition_variable wake;
    int sleeping = 0;    // threads that were not woken yet, including napping ones
    int wake_calls = 0;  // calls that woken threads have not noticed yet

    bool Sleep(std::unique_lock<std::mutex>& lock, std::optional<std::chrono::microseconds> limit) noexcept;
  };

  bool StartThread() noexcept;  // the caller holds mutex_
  Stream* Take(bool ran) noexcept;
  std::condition_variable* WakeOne() noexcept;  // null: no thread sleeps; the caller holds mutex_
  Stream* PopUrgent() noexcept;                 // the caller holds mutex_
  bool TooFewAvailable() const noexcept;        // the caller holds mutex_

  const int device_;
  std::atomic<int> threads_{0};
  std::atomic<int> ready_count_{0};
  std::mutex mutex_;  // guards all members below
  LinkedQueue<Stream> ready_;
  Sleepers core_;                    // the threads that are always kept
  Sleepers extra_;                   // woken only when no other thread sleeps
  int napping_ = 0;                  // 1 while a thread sleeps with a time limit
  std::chrono::microseconds nap_{};  // the length of that sleep
  int spinning_ = 0;
  int in_host_function_ = 0;
};

WorkerPool& DeviceWorkers(int device) noexcept;

}  // namespace portacl::streams
