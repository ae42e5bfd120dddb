// SPDX-License-Identifier: Apache-2.0
// Reuses regions: page faults of fresh memory cost more than any kernel, so a freed region is kept for the next request
// of its size.
#pragma once

#include <array>
#include <cstddef>

#include "base/process_mutex.h"
#include "runtime/devices/device.h"
#include "runtime/memory/region.h"

namespace portacl::memory {

class RegionCache {
 public:
  explicit RegionCache(Pool* pool) : pool_(pool) {}

  // Sets the device that provides the memory; regions kept from another device are returned to that one.
  void UseDevice(devices::Device& device) noexcept;

  // Returns a region of at least `bytes` that is in the page table; null when the device's memory is exhausted.
  Region* Take(size_t bytes) noexcept;
  void Give(Region* region) noexcept;

  // Returns the kept regions to the device.
  void Trim() noexcept;

  size_t UsedBytes() noexcept;
  size_t PeakBytes() noexcept;

  // Counts bytes as used that another part of the library allocated. Returns false when the device has not enough left.
  bool Charge(size_t bytes) noexcept;
  void Refund(size_t bytes) noexcept;

 private:
  static constexpr size_t kClasses = 256;

  Region* NewRegion(size_t bytes) noexcept;
  void ReleaseToDevice(Region* region) noexcept;
  void DropKept() noexcept;

  Pool* const pool_;
  ProcessMutex mutex_;  // guards all members below
  devices::Device* device_ = nullptr;
  size_t used_bytes_ = 0;
  size_t peak_bytes_ = 0;  // the largest used_bytes_ so far
  size_t kept_bytes_ = 0;
  std::array<Region*, kClasses> kept_{};  // by size class, most recently used first
  Region* spare_ = nullptr;               // descriptors without memory
};

}  // namespace portacl::memory
