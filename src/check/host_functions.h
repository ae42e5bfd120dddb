// SPDX-License-Identifier: Apache-2.0
// Functions of the client that streams have queued: the tasks before and after each of them.
//
// When a function begins, the host is ordered after the tasks queued before it, and after no others. Tasks queued after
// it wait until it returns, so its thread may access their memory.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/process_mutex.h"
#include "check/shadow.h"

namespace portacl::check {

class HostFunctions {
 public:
  // A task of this agent was queued; the clocks include its own stamp.
  void TaskQueued(uint32_t agent, const Clocks& clocks);
  // That task is a function. Called after TaskQueued().
  void FunctionQueued(const void* task, uint32_t agent, uint64_t clock);
  // Returns whether it was a function.
  bool TaskEnded(const void* task) noexcept;

  // Whether there is an unfinished function that is ordered before tasks with these clocks.
  bool ComeBefore(const Clocks& clocks) noexcept;
  // Whether this function is unfinished, and the access is ordered after it.
  bool ComesBefore(const void* task, const Stamp& access) noexcept;

 private:
  struct Function {
    uint32_t agent;
    uint64_t clock;
    std::unordered_map<uint32_t, uint64_t> behind;  // by agent: the clock of its first task after the function
  };

  ProcessMutex mutex_;  // also locked in the fault handler, and under the checker's lock
  std::unordered_map<const void*, Function> functions_;
};

}  // namespace portacl::check
