// SPDX-License-Identifier: Apache-2.0
#include "check/host_functions.h"

#include <algorithm>
#include <mutex>

namespace portacl::check {

void HostFunctions::TaskQueued(uint32_t agent, const Clocks& clocks) {
  const std::scoped_lock lock(mutex_);
  for (auto& [task, function] : functions_) {
    if (clocks.At(function.agent) >= function.clock) function.behind.try_emplace(agent, clocks.At(agent));
  }
}

void HostFunctions::FunctionQueued(const void* task, uint32_t agent, uint64_t clock) {
  const std::scoped_lock lock(mutex_);
  functions_.insert_or_assign(task, Function{agent, clock, {}});
}

bool HostFunctions::TaskEnded(const void* task) noexcept {
  const std::scoped_lock lock(mutex_);
  return functions_.erase(task) != 0;
}

bool HostFunctions::ComeBefore(const Clocks& clocks) noexcept {
  const std::scoped_lock lock(mutex_);
  return std::any_of(functions_.begin(), functions_.end(),
                     [&](const auto& each) { return clocks.At(each.second.agent) >= each.second.clock; });
}

bool HostFunctions::ComesBefore(const void* task, const Stamp& access) noexcept {
  if (task == nullptr) return false;
  const std::scoped_lock lock(mutex_);
  const auto function = functions_.find(task);
  if (function == functions_.end()) return false;
  const auto first = function->second.behind.find(access.agent);
  return first != function->second.behind.end() && access.clock >= first->second;
}

}  // namespace portacl::check
