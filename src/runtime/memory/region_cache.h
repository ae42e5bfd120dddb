// SPDX-License-Identifier: Apache-2.0
// Keeps regions warm: fresh pages cost more than any kernel, so a freed region is kept for the next request of its
// size.
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

  // Tells where memory comes from; what was kept of another device is given back to it.
  void UseDevice(devices::Device& device) noexcept;

  // A region of at least `bytes`, known to the page table. Null when the device has no more.
  Region* Take(size_t bytes) noexcept;
  void Give(Region* region) noexcept;

  // Gives back what is kept for later.
  void Trim() noexcept;

  size_t UsedBytes() noexcept;
  size_t PeakBytes() noexcept;

  // Counts bytes as used that came from elsewhere. False: the device has not enough left.
  bool Charge(size_t bytes) noexcept;
  void Refund(size_t bytes) noexcept;

 private:
  static constexpr size_t kClasses = 256;

  Region* NewRegion(size_t bytes) noexcept;
  void ReleaseToDevice(Region* region) noexcept;
  void DropKept() noexcept;

  Pool* const pool_;
  ProcessMutex mutex_;  // guards all below
  devices::Device* device_ = nullptr;
  size_t used_bytes_ = 0;
  size_t peak_bytes_ = 0;  // the largest used_bytes_ so far
  size_t kept_bytes_ = 0;
  std::array<Region*, kClasses> kept_{};  // by size class, most recently used first
  Region* spare_ = nullptr;               // descriptors without memory
};

}  // namespace portacl::memory
