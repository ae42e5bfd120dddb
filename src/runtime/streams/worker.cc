// SPDX-License-Identifier: Apache-2.0
// Waking, spinning and starting of worker threads.
#include "runtime/streams/worker.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>

#include "runtime/devices/device.h"
#include "runtime/parallel/threads.h"
#include "runtime/streams/stream.h"

namespace portacl::streams {
namespace {

// A spinning worker takes the next task within a microsecond; a sleeping one costs the submitter 8 us and delays the
// task by 16 us.
constexpr std::chrono::microseconds kSpin{30};

// After spinning, one thread naps for a while. Meanwhile the streams wait that the client's thread will probably run
// itself. Waking the thread takes 20 us of the core that the system chooses, often the client's own, so naps become
// longer while the client keeps running its streams.
constexpr std::chrono::microseconds kShortestNap{100};
constexpr std::chrono::microseconds kLongestNap{1600};
constexpr int kNaps = 64;

// One stream occupies one thread; kernels are split further by themselves.
constexpr int kLeastThreads = 2;
constexpr int kEnoughThreads = 4;

// A surplus thread ends when it was not needed for this time.
constexpr std::chrono::seconds kSurplusLife{1};

int WantedThreads() noexcept { return std::clamp(parallel::CoresPerDevice(), kLeastThreads, kEnoughThreads); }

}  // namespace

bool WorkerPool::Start() noexcept {
  if (threads_.load(std::memory_order_acquire) > 0) return true;
  const std::scoped_lock lock(mutex_);
  return threads_.load(std::memory_order_relaxed) > 0 || StartThread();
}

bool WorkerPool::StartThread() noexcept {
  const bool started = parallel::StartBackgroundThread(&WorkerPool::Main, this);
  if (started) threads_.fetch_add(1, std::memory_order_release);
  return started;
}

void* WorkerPool::Main(void* argument) noexcept {
  auto* pool = static_cast<WorkerPool*>(argument);
  pthread_setname_np(pthread_self(), "portacl");
  t_thread.running_device = pool->device_;
  bool ran = true;
  while (Stream* stream = pool->Take(ran)) ran = stream->RunOnWorker();
  return nullptr;
}

// Threads in host functions may stay there for ever, so they are not available; threads that were just started are.
bool WorkerPool::TooFewAvailable() const noexcept {
  return threads_.load(std::memory_order_relaxed) - in_host_function_ < WantedThreads();
}

std::condition_variable* WorkerPool::WakeOne() noexcept {
  for (Sleepers* sleepers : {&core_, &extra_}) {
    if (sleepers->sleeping == 0) continue;
    --sleepers->sleeping;
    ++sleepers->wake_calls;
    return &sleepers->wake;
  }
  return nullptr;
}

// Returns false when the limit has passed and no call has woken the thread.
bool WorkerPool::Sleepers::Sleep(std::unique_lock<std::mutex>& lock,
                                 std::optional<std::chrono::microseconds> limit) noexcept {
  const auto called = [this] { return wake_calls > 0; };
  ++sleeping;
  if (!limit.has_value()) {
    wake.wait(lock, called);
  } else if (!wake.wait_for(lock, *limit, called)) {
    --sleeping;
    return false;
  }
  --wake_calls;
  return true;
}

void WorkerPool::Push(Stream* stream, bool may_delay) noexcept {
  std::condition_variable* wake = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    ready_.PushBack(stream);
    const int ready = ready_count_.fetch_add(1, std::memory_order_release) + 1;
    if (ready > spinning_ && !(may_delay && napping_ > 0)) {
      wake = WakeOne();
      if (wake == nullptr && TooFewAvailable()) StartThread();
    }
  }
  if (wake != nullptr) wake->notify_one();
}

void WorkerPool::WakeNow() noexcept {
  std::condition_variable* wake = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (!ready_.empty()) wake = WakeOne();
  }
  if (wake != nullptr) wake->notify_one();
}

// Returns the first stream that is not reserved for its caller.
Stream* WorkerPool::PopUrgent() noexcept {
  for (int left = ready_count_.load(std::memory_order_relaxed); left > 0; --left) {
    Stream* stream = ready_.PopFront();
    if (!stream->ReservedForCaller()) {
      ready_count_.fetch_sub(1, std::memory_order_relaxed);
      return stream;
    }
    ready_.PushBack(stream);
  }
  return nullptr;
}

// `ran`: the thread has just run a stream, so more tasks are likely to come soon. Returns null when the thread is to
// end.
Stream* WorkerPool::Take(bool ran) noexcept {
  std::unique_lock lock(mutex_);
  if (ran) nap_ = kShortestNap;
  if (Stream* stream = PopUrgent()) return stream;
  // One spinning thread is enough for fast reactions; more would take cores from kernels.
  if (ran && spinning_ == 0) {
    ++spinning_;
    lock.unlock();
    const auto end = std::chrono::steady_clock::now() + kSpin;
    while (ready_count_.load(std::memory_order_acquire) == 0 && std::chrono::steady_clock::now() < end)
      parallel::Pause();
    lock.lock();
    --spinning_;
  }
  for (int naps = napping_ == 0 ? kNaps : 0;; --naps) {
    if (Stream* stream = PopUrgent()) return stream;
    // While a stream is reserved for its caller, one thread wakes regularly to check it.
    if (naps > 0 || (napping_ == 0 && !ready_.empty())) {
      ++napping_;
      if (!core_.Sleep(lock, nap_)) nap_ = std::min(2 * nap_, kLongestNap);
      --napping_;
    } else if (core_.sleeping < WantedThreads()) {
      core_.Sleep(lock, {});
    } else if (!extra_.Sleep(lock, kSurplusLife)) {
      threads_.fetch_sub(1, std::memory_order_relaxed);
      return nullptr;
    }
  }
}

void WorkerPool::EnterHostFunction() noexcept {
  const std::scoped_lock lock(mutex_);
  ++in_host_function_;
  // Streams that this thread was to check must not wait for the client's function.
  const bool nobody = core_.sleeping + core_.wake_calls + extra_.sleeping + extra_.wake_calls + spinning_ == 0;
  if (nobody && !ready_.empty() && TooFewAvailable()) StartThread();
}

void WorkerPool::LeaveHostFunction() noexcept {
  const std::scoped_lock lock(mutex_);
  --in_host_function_;
}

WorkerPool& DeviceWorkers(int device) noexcept { return devices::OfDevice<WorkerPool>(device); }

}  // namespace portacl::streams
