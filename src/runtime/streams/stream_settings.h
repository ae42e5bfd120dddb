// SPDX-License-Identifier: Apache-2.0
// The client's settings of a stream. All but the failure mode are only stored and returned.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace portacl::streams {

inline constexpr uint32_t kLeastUrgent = 7;  // priorities are 0, the most urgent, to 7

inline constexpr int kCoreKinds = 2;  // the values of aclrtDevResLimitType are 0 and 1

// The numbers of cores of a device that programs see. Programs divide work by them, so they are those of a mid-range
// card whatever the machine has.
inline constexpr uint32_t kCubeCores = 24;
inline constexpr uint32_t kVectorCores = 48;

using CoreLimits = std::array<std::atomic<uint32_t>, kCoreKinds>;  // 0: no limit

inline void ResetCores(CoreLimits& cores) noexcept {
  for (std::atomic<uint32_t>& limit : cores) limit.store(0, std::memory_order_relaxed);
}

struct StreamSettings {
  std::atomic<uint32_t> priority{0};
  std::atomic<uint32_t> flags{0};
  std::atomic<uint32_t> overflow_switch{0};
  std::atomic<uint32_t> custom_tag{0};
  std::atomic<uint32_t> cache_op_info{0};
  std::atomic<bool> stops_on_failure{false};
  CoreLimits cores{};

  void Open(uint32_t new_priority, uint32_t new_flags) noexcept {
    priority.store(new_priority < kLeastUrgent ? new_priority : kLeastUrgent, std::memory_order_relaxed);
    flags.store(new_flags, std::memory_order_relaxed);
    for (std::atomic<uint32_t>* setting : {&overflow_switch, &custom_tag, &cache_op_info}) {
      setting->store(0, std::memory_order_relaxed);
    }
    stops_on_failure.store(false, std::memory_order_relaxed);
    ResetCores(cores);
  }
};

}  // namespace portacl::streams
