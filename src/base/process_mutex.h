// SPDX-License-Identifier: Apache-2.0
// Mutexes of state that the whole process shares.
//
// fork() copies only the thread that calls it: a mutex that another thread holds at that moment would stay locked in
// the child for ever, and the data that it guards could be half changed. So a thread that forks locks all of these
// mutexes first (runtime/process/fork.cc).
#pragma once

#include <atomic>
#include <mutex>

#include "base/visibility.h"

namespace portacl {
inline namespace v1 {

// Constant-initialised and never destroyed: clients call from destructors of their own static objects.
class ProcessMutex {
 public:
  constexpr ProcessMutex() = default;
  ProcessMutex(const ProcessMutex&) = delete;
  ProcessMutex& operator=(const ProcessMutex&) = delete;

  void lock() noexcept {
    if (!is_listed_.load(std::memory_order_relaxed)) [[unlikely]]
      Enlist();
    mutex_.lock();
  }
  void unlock() noexcept { mutex_.unlock(); }

  // For a thread that forks: LockAll() locks all mutexes that were used before, and waits at most a second. Afterwards
  // they are unlocked in the parent, and initialised again in the child.
  static void LockAll() noexcept;
  static void UnlockAll() noexcept;
  static void RenewAll() noexcept;

 private:
  PORTACL_EXPORT void Enlist() noexcept;

  std::mutex mutex_;
  std::atomic<bool> is_listed_{false};
  ProcessMutex* next_ = nullptr;
};

}  // namespace v1
}  // namespace portacl
