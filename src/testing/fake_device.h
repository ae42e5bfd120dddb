// SPDX-License-Identifier: Apache-2.0
// A device whose memory the host cannot access: every page is inaccessible outside Launch, Copy and Fill, so that a
// forbidden access crashes immediately. It keeps the library ready for devices with separate memory.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "runtime/devices/device.h"

namespace portacl::testing {

class FakeDevice final : public devices::Device {
 public:
  explicit FakeDevice(size_t memory_total = size_t{1} << 30) : memory_total_(memory_total) {}
  ~FakeDevice() override;

  void* Allocate(size_t bytes, size_t alignment) noexcept override;
  void Release(void* begin, size_t bytes) noexcept override;
  size_t MemoryTotal() const noexcept override { return memory_total_; }
  void Copy(void* dst, const void* src, size_t bytes) noexcept override;
  void Fill(void* dst, int value, size_t bytes) noexcept override;
  int32_t Launch(Task& task) noexcept override;

 private:
  class Access;

  // The first user makes the memory accessible, the last one inaccessible: tasks of several streams overlap.
  void Protect(int protection) noexcept;

  const size_t memory_total_;
  std::mutex mutex_;  // guards all members below
  int open_ = 0;
  std::map<void*, size_t> regions_;
};

// Puts a fake device in place of device `id`, for the rest of the process. Must be called before any memory of that
// device is allocated.
void InstallFakeDevice(int id = 0, size_t memory_total = size_t{1} << 30);

}  // namespace portacl::testing
