// SPDX-License-Identifier: Apache-2.0
// Waking, spinning and starting worker threads.
#include "runtime/worker.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "runtime/background_thread.h"
#include "runtime/device.h"
#include "runtime/pause.h"
#include "runtime/stream.h"
#include "runtime/thread_state.h"

namespace portacl {
namespace {

// A worker that spins takes the next task within a microsecond, a sleeping one costs the submitter 8 us and the task 16
// us.
constexpr std::chrono::microseconds kSpin{30};

// After that one thread naps for a while, which lets streams wait whose work the client's thread will probably run
// itself. Waking takes 20 us of the core that the system chooses, often the client's own, so naps become longer while
// the client keeps doing so.
constexpr std::chrono::microseconds kShortestNap{100};
constexpr std::chrono::microseconds kLongestNap{1600};
constexpr int kNaps = 64;

// One stream occupies one thread, and kernels split themselves further.
constexpr int kLeastThreads = 2;
constexpr int kEnoughThreads = 4;

}  // namespace

bool WorkerPool::Start() noexcept {
  if (threads_.load(std::memory_order_acquire) > 0) return true;
  const std::scoped_lock lock(mutex_);
  return threads_.load(std::memory_order_relaxed) > 0 || StartThread();
}

bool WorkerPool::StartThread() noexcept {
  const bool started = StartBackgroundThread(&WorkerPool::Main, this);
  if (started) threads_.fetch_add(1, std::memory_order_release);
  return started;
}

void* WorkerPool::Main(void* argument) noexcept {
  auto* pool = static_cast<WorkerPool*>(argument);
  pthread_setname_np(pthread_self(), "portacl");
  t_thread.running_device = pool->device_;
  for (bool ran = true;;) ran = pool->Take(ran)->RunOnWorker();
  return nullptr;
}

bool WorkerPool::WakeOne() noexcept {
  if (sleeping_ == 0) return false;
  --sleeping_;
  ++wake_calls_;
  return true;
}

void WorkerPool::Push(Stream* stream, bool patient) noexcept {
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    stream->next_ready = nullptr;
    (last_ready_ == nullptr ? first_ready_ : last_ready_->next_ready) = stream;
    last_ready_ = stream;
    const int ready = ready_count_.fetch_add(1, std::memory_order_release) + 1;
    if (ready > spinning_ && !(patient && napping_ > 0)) {
      wake = WakeOne();
      const int available = threads_.load(std::memory_order_relaxed) - in_host_function_;
      const int wanted = std::clamp(CoresPerDevice(), kLeastThreads, kEnoughThreads);
      if (!wake && available < wanted) StartThread();
    }
  }
  if (wake) wake_.notify_one();
}

void WorkerPool::Hurry() noexcept {
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    wake = first_ready_ != nullptr && WakeOne();
  }
  if (wake) wake_.notify_one();
}

Stream* WorkerPool::Pop() noexcept {
  Stream* stream = first_ready_;
  if (stream == nullptr) return nullptr;
  first_ready_ = stream->next_ready;
  if (first_ready_ == nullptr) last_ready_ = nullptr;
  ready_count_.fetch_sub(1, std::memory_order_relaxed);
  return stream;
}

// `ran`: the thread has just run something, so that more is likely to come soon.
Stream* WorkerPool::Take(bool ran) noexcept {
  std::unique_lock lock(mutex_);
  if (ran) nap_ = kShortestNap;
  if (Stream* stream = Pop()) return stream;
  // One spinning thread is enough to answer fast; more would take cores from kernels.
  if (ran && spinning_ == 0) {
    ++spinning_;
    lock.unlock();
    const auto end = std::chrono::steady_clock::now() + kSpin;
    while (ready_count_.load(std::memory_order_acquire) == 0 && std::chrono::steady_clock::now() < end) Pause();
    lock.lock();
    --spinning_;
  }
  for (int naps = napping_ == 0 ? kNaps : 0;; --naps) {
    if (Stream* stream = Pop()) return stream;
    ++sleeping_;
    const auto called = [this] { return wake_calls_ > 0; };
    if (naps <= 0) {
      wake_.wait(lock, called);
    } else {
      ++napping_;
      const bool woken = wake_.wait_for(lock, nap_, called);
      --napping_;
      if (!woken) {
        --sleeping_;
        nap_ = std::min(2 * nap_, kLongestNap);
        continue;
      }
    }
    --wake_calls_;
  }
}

void WorkerPool::EnterHostFunction() noexcept {
  const std::scoped_lock lock(mutex_);
  ++in_host_function_;
  // Streams that were left to this thread must not wait for the client's function.
  const bool nobody = sleeping_ == 0 && spinning_ == 0 && wake_calls_ == 0;
  if (nobody && first_ready_ != nullptr) StartThread();
}

void WorkerPool::LeaveHostFunction() noexcept {
  const std::scoped_lock lock(mutex_);
  --in_host_function_;
}

WorkerPool& DeviceWorkers(int device) noexcept {
  // Never destroyed: the threads live until the process ends.
  static auto& pools = *[] {
    auto* list = new std::array<WorkerPool*, kMaxDevices>;
    for (int id = 0; id < kMaxDevices; ++id) (*list)[static_cast<size_t>(id)] = new WorkerPool(id);
    return list;
  }();
  return *pools[static_cast<size_t>(device)];
}

}  // namespace portacl
