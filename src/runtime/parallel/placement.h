// SPDX-License-Identifier: Apache-2.0
//
// On which cores the system may run the threads that help with split tasks.
//
// Linux may wake a helper on the core that its caller keeps busy although another one is idle: with two cores that had
// rested, helpers stood behind their caller for 1 to 4 ms, in half of all attempts. And where another process takes a
// helper's core, for as long, its caller would wait for what the helper has begun.
#pragma once

#include <sched.h>
#include <time.h>

#include <chrono>
#include <mutex>

namespace portacl::parallel {

// A helper as a thread that can be moved. Made on the thread itself, which it does not outlive.
class Placement {
 public:
  Placement() noexcept;
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  // Sets the task that the thread helps with from now on, null: none. Lifts the restriction of its cores.
  void HelpWith(const void* task) noexcept;

 private:
  friend void KeepHelpersOffThisCore() noexcept;
  friend bool MoveStalledHelpersHere(const void* task) noexcept;

  void KeepOff(int core) noexcept;
  bool MoveIfStalled(const void* task, int core) noexcept;
  bool FindAllowed() noexcept;
  void Restrict(const cpu_set_t& cores, int kept_off) noexcept;

  Placement* next_ = nullptr;
  std::mutex mutex_;  // of what follows, which other threads read and change
  const pid_t thread_;
  clockid_t clock_ = {};  // of the time that the thread has run
  timespec last_ = {};
  const void* task_ = nullptr;
  bool is_restricted_ = false;
  cpu_set_t allowed_ = {};
  cpu_set_t given_ = {};
  int kept_off_ = -1;
};

// Keeps every helper off the core that the calling thread runs on, where it may use another one, until it helps.
void KeepHelpersOffThisCore() noexcept;

// Moves stalled helpers of `task` (no CPU time since the last call) to the caller's core until they finish. True if
// there are any; the caller must then sleep.
bool MoveStalledHelpersHere(const void* task) noexcept;

// In a forked child: there are no helpers any more.
void ForgetPlacements() noexcept;

// The help that a caller expects with a split task. Where it has worked alone for too long, in this task or in several,
// helpers are kept off its core.
class ExpectedHelp {
 public:
  // After each chunk that the caller has done.
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
