// SPDX-License-Identifier: Apache-2.0
// The CPU as a device: its memory is the host's.
#pragma once

#include "runtime/devices/device.h"

namespace portacl::devices {

class CpuDevice final : public Device {
 public:
  void* Allocate(size_t bytes, size_t alignment) noexcept override;
  void Release(void* begin, size_t bytes) noexcept override;
  size_t MemoryTotal() const noexcept override;
  void Copy(void* dst, const void* src, size_t bytes) noexcept override;
  void Fill(void* dst, int value, size_t bytes) noexcept override;
  int32_t Launch(Task& task) noexcept override;
};

// Maps address space aligned to `alignment`, readable and writable unless `protection` says otherwise. Returns null
// when it is exhausted.
void* MapAligned(size_t bytes, size_t alignment, int protection) noexcept;

}  // namespace portacl::devices
