// SPDX-License-Identifier: Apache-2.0
#include "base/process_mutex.h"

#include <chrono>
#include <new>
#include <thread>

namespace portacl {
namespace {

constinit std::atomic<ProcessMutex*> g_listed{nullptr};

// The first of the mutexes that a forking thread has locked; null: none.
constinit ProcessMutex* g_taken = nullptr;

}  // namespace

inline namespace v1 {

void ProcessMutex::Enlist() noexcept {
  if (is_listed_.exchange(true)) return;
  next_ = g_listed.load(std::memory_order_relaxed);
  while (!g_listed.compare_exchange_weak(next_, this, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

// Other threads lock in no fixed order, so a thread that finds a mutex locked releases those that it has, and tries
// again.
void ProcessMutex::LockAll() noexcept {
  g_taken = nullptr;
#ifndef __SANITIZE_THREAD__  // which ends a process that holds more than 64 mutexes
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  do {
    ProcessMutex* const first = g_listed.load(std::memory_order_acquire);
    ProcessMutex* taken_by_others = first;
    while (taken_by_others != nullptr && taken_by_others->mutex_.try_lock()) taken_by_others = taken_by_others->next_;
    if (taken_by_others == nullptr) {
      g_taken = first;
      return;
    }
    for (ProcessMutex* mutex = first; mutex != taken_by_others; mutex = mutex->next_) mutex->mutex_.unlock();
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
#endif
}

void ProcessMutex::UnlockAll() noexcept {
  for (ProcessMutex* mutex = g_taken; mutex != nullptr; mutex = mutex->next_) mutex->mutex_.unlock();
}

void ProcessMutex::RenewAll() noexcept {
  for (ProcessMutex* mutex = g_listed.load(); mutex != nullptr; mutex = mutex->next_) new (&mutex->mutex_) std::mutex;
}

}  // namespace v1
}  // namespace portacl
