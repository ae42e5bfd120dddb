// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel/helpers.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>

#include "base/never_destroyed.h"
#include "runtime/parallel/placement.h"
#include "runtime/parallel/threads.h"

namespace portacl::parallel {

class HelperPool {
 public:
  void Open(SharedTask& task, int most) noexcept;
  void Close(SharedTask& task) noexcept;
  bool IsAwake() const noexcept { return looking_.load(std::memory_order_relaxed) > 0; }

 private:
  static void* Main(void* pool) noexcept;

  // The caller of the next four functions holds mutex_.
  int ThreadsWanted(const SharedTask& opened) const noexcept;
  int Call(const SharedTask& task) noexcept;
  SharedTask* Join() noexcept;
  void Rest(std::unique_lock<std::mutex>& lock) noexcept;

  void Wake(int helpers) noexcept;
  void Run() noexcept;

  std::mutex mutex_;  // guards all members below
  std::condition_variable wake_;
  SharedTask* open_ = nullptr;
  std::atomic<uint64_t> opened_{0};  // the number of tasks so far
  int threads_ = 0;
  int most_threads_ = 0;
  int sleeping_ = 0;             // threads that were not called yet
  int calls_ = 0;                // calls that sleeping threads have not noticed yet
  std::atomic<int> looking_{0};  // threads that look for a task before they sleep; read without the mutex
};

namespace {

// A helper that has just helped takes the next task at once; a sleeping helper needs 20 to 70 us.
constexpr std::chrono::microseconds kSpin{30};

// Each thread that joins calls further threads, so that many cores join quickly.
constexpr int kCalledByEach = 2;

HelperPool& Helpers() noexcept {
  static NeverDestroyed<HelperPool> pool;
  return *pool;
}

}  // namespace

void HelperPool::Open(SharedTask& task, int most) noexcept {
  int called = 0;
  {
    const std::scoped_lock lock(mutex_);
    task.room_ = most;
    task.next_ = open_;
    open_ = &task;
    opened_.fetch_add(1, std::memory_order_release);
    most_threads_ = std::max(most_threads_, ThreadsWanted(task));
    called = Call(task);
  }
  Wake(called);
}

void HelperPool::Close(SharedTask& task) noexcept {
  const std::scoped_lock lock(mutex_);
  SharedTask** link = &open_;
  while (*link != &task) link = &(*link)->next_;
  *link = task.next_;
}

// The number of threads that all open tasks can use, limited by the number of cores.
int HelperPool::ThreadsWanted(const SharedTask& opened) const noexcept {
  int room = 0;
  for (const SharedTask* task = open_; task != nullptr; task = task->next_) room += task->room_;
  return std::max(opened.room_, std::min(room, UsableCores() - 1));
}

// Calls or starts threads for the helpers that the task can still use. Returns how many are to be woken.
int HelperPool::Call(const SharedTask& task) noexcept {
  const int wanted = std::min(task.room_ - looking_ - calls_, kCalledByEach);
  int called = 0;
  for (; called < wanted && sleeping_ > 0; ++called) {
    --sleeping_;
    ++calls_;
  }
  for (int missing = wanted - called; missing > 0 && threads_ < most_threads_; --missing) {
    if (!StartBackgroundThread(&HelperPool::Main, this)) break;
    ++threads_;
    ++looking_;
  }
  return called;
}

void HelperPool::Wake(int helpers) noexcept {
  for (; helpers > 0; --helpers) wake_.notify_one();
}

// Several tasks at a time share the helpers: the one with the fewest helpers gets the next.
SharedTask* HelperPool::Join() noexcept {
  SharedTask* best = nullptr;
  int fewest = 0;
  for (SharedTask* task = open_; task != nullptr; task = task->next_) {
    const int inside = task->inside_.load(std::memory_order_relaxed);
    if (task->room_ == 0 || !task->HasParts() || (best != nullptr && inside >= fewest)) continue;
    best = task;
    fewest = inside;
  }
  if (best == nullptr) return nullptr;
  --best->room_;
  best->inside_.fetch_add(1, std::memory_order_relaxed);  // other threads leave meanwhile, without the mutex
  best->is_helped_.store(true, std::memory_order_relaxed);
  return best;
}

// Returns when there may be a task to join.
void HelperPool::Rest(std::unique_lock<std::mutex>& lock) noexcept {
  const uint64_t seen = opened_.load(std::memory_order_relaxed);
  lock.unlock();
  const auto end = std::chrono::steady_clock::now() + kSpin;
  while (opened_.load(std::memory_order_acquire) == seen && std::chrono::steady_clock::now() < end) Pause();
  lock.lock();
  if (opened_.load(std::memory_order_relaxed) != seen) return;
  --looking_;
  ++sleeping_;
  wake_.wait(lock, [this] { return calls_ > 0; });
  --calls_;
  ++looking_;
}

void* HelperPool::Main(void* pool) noexcept {
  pthread_setname_np(pthread_self(), "portacl helper");
  static_cast<HelperPool*>(pool)->Run();
  return nullptr;
}

void HelperPool::Run() noexcept {
  Placement placement;
  std::unique_lock lock(mutex_);
  for (;;) {
    SharedTask* const task = Join();
    if (task == nullptr) {
      Rest(lock);
      continue;
    }
    --looking_;
    const int called = Call(*task);
    lock.unlock();
    Wake(called);
    placement.HelpWith(task);
    task->Help();
    placement.HelpWith(nullptr);
    task->inside_.fetch_sub(1, std::memory_order_release);  // the task may be deleted after this line
    lock.lock();
    ++looking_;
  }
}

void SharedTask::Open(int most) noexcept { Helpers().Open(*this, most); }
void SharedTask::Close() noexcept { Helpers().Close(*this); }
bool SharedTask::HelpersAreAwake() noexcept { return Helpers().IsAwake(); }

void ForgetHelpers() noexcept {
  new (&Helpers()) HelperPool;
  ForgetPlacements();
}

}  // namespace portacl::parallel
