// SPDX-License-Identifier: Apache-2.0
//
// The threads that help with split tasks, and on which cores the system may run them.
//
// Linux may wake a helper on the core that its caller keeps busy although another one is idle: with two cores that had
// rested, helpers stood behind their caller for 1 to 4 ms, in half of all attempts. And where another process takes a
// helper's core, for as long, its caller would wait for what the helper has begun.
#pragma once

#include <chrono>

namespace portacl {

// The calling thread helps with a task while this lives: it is a helper until it ends.
class Helping {
 public:
  explicit Helping(const void* task) noexcept;
  ~Helping();
  Helping(const Helping&) = delete;
  Helping& operator=(const Helping&) = delete;
};

// Keeps every helper off the core that the calling thread runs on, where it may use another one, until it helps.
void KeepHelpersOffThisCore() noexcept;

// Moves those that help with `task` to the core of the calling thread, until they have helped, if they did not run
// since the last call: true if there are any. The caller is to sleep then, and they go on.
bool MoveStalledHelpersHere(const void* task) noexcept;

// The help that a caller expects with a split task. Where it has worked alone for too long, in this task or in several,
// helpers are kept off its core.
class ExpectedHelp {
 public:
  // After each piece of work that the caller has done.
  void Look(bool has_come) noexcept {
    if (is_expected_) LookAtClock(has_come);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void LookAtClock(bool has_come) noexcept;

  bool is_expected_ = true;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace portacl
