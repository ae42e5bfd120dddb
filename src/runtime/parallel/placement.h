// SPDX-License-Identifier: Apache-2.0
//
// Controls on which cores the system may run the threads that help with split tasks.
//
// Linux may wake a helper on the core that its caller keeps busy although another core is idle: with two cores that had
// been idle, helpers waited for their caller's core for 1 to 4 ms, in half of all attempts. And where another process
// takes a helper's core, the caller would wait as long for the chunks that the helper has begun.
#pragma once

#include <sched.h>
#include <time.h>

#include <chrono>
#include <mutex>

namespace portacl::parallel {

// A helper as a thread that can be moved. The object is created on that thread, and destroyed before it ends.
class Placement {
 public:
  Placement() noexcept;
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  // Sets the task that the thread helps with from now on; null: none. Lifts the restriction of its cores.
  void HelpWith(const void* task) noexcept;

 private:
  friend void KeepHelpersOffThisCore() noexcept;
  friend bool MoveStalledHelpersHere(const void* task) noexcept;

  void KeepOff(int core) noexcept;
  bool MoveIfStalled(const void* task, int core) noexcept;
  bool FindAllowed() noexcept;
  void Restrict(const cpu_set_t& cores, int kept_off) noexcept;

  Placement* next_ = nullptr;
  std::mutex mutex_;  // guards the members below, which other threads read and change
  const pid_t thread_;
  clockid_t clock_ = {};  // measures the CPU time of the thread
  timespec last_ = {};
  const void* task_ = nullptr;
  bool is_restricted_ = false;
  cpu_set_t allowed_ = {};
  cpu_set_t given_ = {};
  int kept_off_ = -1;
};

// Keeps every helper off the core of the calling thread, where another core is allowed, until the helper joins a task.
void KeepHelpersOffThisCore() noexcept;

// Moves stalled helpers of `task` (no CPU time since the last call) to the caller's core until they finish. Returns
// true if there are any; the caller must then sleep.
bool MoveStalledHelpersHere(const void* task) noexcept;

// In a forked child: the helpers do not exist any more.
void ForgetPlacements() noexcept;

// Tracks whether helpers join a split task. Where the caller has worked alone for too long, in this task or in several,
// helpers are kept off its core.
class ExpectedHelp {
 public:
  // Called after each chunk that the caller has done.
  void Look(bool has_come) noexcept {
    if (is_expected_) LookAtClock(has_come);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void LookAtClock(bool has_come) noexcept;

  bool is_expected_ = true;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace portacl::parallel
