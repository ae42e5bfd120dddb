// SPDX-License-Identifier: Apache-2.0
// Pools of handles for the API fuzzer: live handles, destroyed handles, and values that never were handles.
#pragma once

#include <vector>

#include "calls/random.h"

namespace portacl::fuzz {

// Returns an address that looks like a pointer, but belongs to no object of the library.
void* Garbage(calls::Random& random);

template <class Handle>
class Handles {
 public:
  void Add(Handle handle) {
    if (handle != nullptr) live_.push_back(handle);
  }
  // Usually returns a live handle; sometimes a dead, null or foreign one.
  Handle Draw(calls::Random& random) const {
    const double kind = random.Real(0, 1);
    if (kind < 0.8 && !live_.empty()) return random.Pick(live_);
    if (kind < 0.9 && !dead_.empty()) return random.Pick(dead_);
    return kind < 0.95 ? Handle{} : static_cast<Handle>(Garbage(random));
  }
  Handle DrawLive(calls::Random& random) const { return live_.empty() ? Handle{} : random.Pick(live_); }
  bool IsLive(Handle handle) const {
    for (const Handle candidate : live_) {
      if (candidate == handle) return true;
    }
    return false;
  }
  void Kill(Handle handle) {
    for (size_t i = 0; i < live_.size(); ++i) {
      if (live_[i] != handle) continue;
      live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
      dead_.push_back(handle);
      return;
    }
  }
  void KillAll() {
    dead_.insert(dead_.end(), live_.begin(), live_.end());
    live_.clear();
  }
  const std::vector<Handle>& live() const { return live_; }

 private:
  std::vector<Handle> live_;
  std::vector<Handle> dead_;
};

}  // namespace portacl::fuzz
