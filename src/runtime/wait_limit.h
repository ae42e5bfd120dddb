// SPDX-License-Identifier: Apache-2.0
// How long one wait of a stream may take.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/watch.h"

namespace portacl {

// Part of a work that waits. Starts counting when the stream is parked for the first time.
class WaitLimit {
 public:
  explicit WaitLimit(uint32_t seconds) noexcept : seconds_(seconds) {}

  // Called by the work's Run() before it parks. Out of memory: there is no limit.
  void Arm(Stream* stream) noexcept {
    if (seconds_ == 0) return;
    try {
      TheWatch().SetAlarm(std::chrono::steady_clock::now() + std::chrono::seconds(seconds_), stream,
                          stream->RunningIndex());
    } catch (...) {
    }
    seconds_ = 0;
  }

 private:
  uint32_t seconds_;
};

}  // namespace portacl
