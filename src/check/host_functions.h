// SPDX-License-Identifier: Apache-2.0
// Functions of the client that streams have queued: what comes before each, and what behind it.
//
// When one begins, the host comes after what was queued before it, and after no more. What is queued behind it waits
// until it returns, so that its thread may touch the memory of that work.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/process_mutex.h"
#include "check/shadow.h"

namespace portacl::check {

class HostFunctions {
 public:
  // A task of this agent, whose clocks hold its own stamp.
  void TaskQueued(uint32_t agent, const Clocks& clocks);
  // That task is a function. Comes after TaskQueued().
  void FunctionQueued(const void* task, uint32_t agent, uint64_t clock);
  // Whether it was a function.
  bool TaskEnded(const void* task) noexcept;

  // Whether a function has not ended that comes before work with these clocks.
  bool ComeBefore(const Clocks& clocks) noexcept;
  // Whether this function has not ended, and the access comes behind it.
  bool ComesBefore(const void* task, const Stamp& access) noexcept;

 private:
  struct Function {
    uint32_t agent;
    uint64_t clock;
    std::unordered_map<uint32_t, uint64_t> behind;  // by agent: the clock of its first task that comes after
  };

  ProcessMutex mutex_;  // taken in the handler of faults, too, and under the checker's lock
  std::unordered_map<const void*, Function> functions_;
};

}  // namespace portacl::check
