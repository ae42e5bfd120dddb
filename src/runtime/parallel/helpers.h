// SPDX-License-Identifier: Apache-2.0
// The threads that help with split tasks. The process has one set; they sleep while no task is split.
#pragma once

#include <atomic>

namespace portacl::parallel {

// A running task of which other threads may take parts. It lies on the stack of its caller.
class SharedTask {
 public:
  SharedTask(const SharedTask&) = delete;
  SharedTask& operator=(const SharedTask&) = delete;

  // Allows up to `most` helpers to join from now on. Starts threads where there are too few. Helpers wake each other,
  // so the caller wakes at most two.
  void Open(int most) noexcept;

  // Stops further helpers from joining. The caller waits until IsLeft() before the task ends.
  void Close() noexcept;
  bool IsLeft() const noexcept { return inside_.load(std::memory_order_acquire) == 0; }

  // Whether a helper has just helped, and would join at once.
  static bool HelpersAreAwake() noexcept;

  // Whether a helper has ever joined.
  bool IsHelped() const noexcept { return is_helped_.load(std::memory_order_relaxed); }

 protected:
  SharedTask() = default;
  ~SharedTask() = default;

  // The work of a helper: takes parts until none is left.
  virtual void Help() noexcept = 0;
  virtual bool HasParts() const noexcept = 0;

 private:
  friend class HelperPool;

  int room_ = 0;  // the number of helpers that may still join; owned by the pool
  SharedTask* next_ = nullptr;
  std::atomic<int> inside_{0};
  std::atomic<bool> is_helped_{false};
};

// In a forked child: the threads are gone.
void ForgetHelpers() noexcept;

}  // namespace portacl::parallel
