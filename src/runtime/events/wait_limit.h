// SPDX-License-Identifier: Apache-2.0
// How long one wait of a stream may take.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/events/watch.h"

namespace portacl::events {

// Part of a work that waits. Starts counting when the stream is parked for the first time.
class WaitLimit {
 public:
  explicit WaitLimit(uint32_t seconds) noexcept : seconds_(seconds) {}
  ~WaitLimit() {
    if (armed_) TheWatch().DropAlarm(&alarm_);
  }
  WaitLimit(const WaitLimit&) = delete;
  WaitLimit& operator=(const WaitLimit&) = delete;

  // Called by the work's Run() before it parks.
  void Arm(streams::Stream* stream) noexcept {
    if (seconds_ == 0 || armed_) return;
    armed_ = true;
    alarm_.when = std::chrono::steady_clock::now() + std::chrono::seconds(seconds_);
    alarm_.stream = stream;
    alarm_.index = stream->RunningIndex();
    TheWatch().SetAlarm(&alarm_);
  }

 private:
  const uint32_t seconds_;
  bool armed_ = false;
  Alarm alarm_;
};

}  // namespace portacl::events
