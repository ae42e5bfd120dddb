// SPDX-License-Identifier: Apache-2.0
// The interface that a device implements, and the list of devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "base/never_destroyed.h"

namespace portacl {
class Task;
}

namespace portacl::devices {

class Device {
 public:
  virtual ~Device() = default;

  // Allocates memory in large pieces, which the pool divides. `bytes` and `alignment` are multiples of 64 KiB. Returns
  // null when memory is exhausted.
  virtual void* Allocate(size_t bytes, size_t alignment) noexcept = 0;
  virtual void Release(void* begin, size_t bytes) noexcept = 0;
  virtual size_t MemoryTotal() const noexcept = 0;

  // Source or destination of a copy may be host memory; the ranges may overlap.
  virtual void Copy(void* dst, const void* src, size_t bytes) noexcept = 0;
  virtual void Fill(void* dst, int value, size_t bytes) noexcept = 0;

  // Runs a kernel on the calling thread, with device memory accessible and the default floating-point mode.
  virtual int32_t Launch(Task& task) noexcept = 0;
};

inline constexpr int kMaxDevices = 64;

// Visible devices: PORTACL_DEVICES (default 1), filtered by ASCEND_RT_VISIBLE_DEVICES. Fixed at the first call.
int DeviceCount() noexcept;

// Convert between the number of a visible device and its number before ASCEND_RT_VISIBLE_DEVICES renumbered it; -1: not
// visible.
int PhysicalFromVisible(int id) noexcept;
int VisibleFromPhysical(int number) noexcept;

// `id` is in [0, DeviceCount()).
Device& GetDevice(int id) noexcept;

// The T of a device. All are constructed from the numbers of their devices at the first call and never destroyed:
// clients call from destructors of static objects, and threads live until the process ends.
template <class T>
T& OfDevice(int id) noexcept {
  struct All {
    All() {
      for (int each = 0; each < kMaxDevices; ++each) new (storage[each]) T(each);
    }
    alignas(T) std::byte storage[kMaxDevices][sizeof(T)];
  };
  static NeverDestroyed<All> all;
  return *std::launder(reinterpret_cast<T*>((*all).storage[id]));
}

// For tests: replaces device `id`. memory::InstallDeviceForTest also tells the pool.
void ReplaceForTest(int id, std::unique_ptr<Device> device);

}  // namespace portacl::devices
