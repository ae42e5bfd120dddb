// SPDX-License-Identifier: Apache-2.0
// Makes the memory of the fake device accessible and inaccessible.
#include "testing/fake_device.h"

#include <sys/mman.h>

#include <cstring>
#include <memory>

#include "base/float_mode.h"
#include "runtime/devices/cpu_device.h"
#include "runtime/memory/pool.h"
#include "runtime/task.h"

namespace portacl::testing {

class FakeDevice::Access {
 public:
  explicit Access(FakeDevice& device) : device_(device) {
    const std::scoped_lock lock(device_.mutex_);
    if (device_.open_++ == 0) device_.Protect(PROT_READ | PROT_WRITE);
  }
  ~Access() {
    const std::scoped_lock lock(device_.mutex_);
    if (--device_.open_ == 0) device_.Protect(PROT_NONE);
  }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

 private:
  FakeDevice& device_;
};

FakeDevice::~FakeDevice() {
  for (const auto& [begin, bytes] : regions_) munmap(begin, bytes);
}

void FakeDevice::Protect(int protection) noexcept {
  for (const auto& [begin, bytes] : regions_) mprotect(begin, bytes, protection);
}

void* FakeDevice::Allocate(size_t bytes, size_t alignment) noexcept {
  const std::scoped_lock lock(mutex_);
  void* begin = devices::MapAligned(bytes, alignment, open_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
  if (begin != nullptr) regions_.emplace(begin, bytes);
  return begin;
}

void FakeDevice::Release(void* begin, size_t bytes) noexcept {
  const std::scoped_lock lock(mutex_);
  regions_.erase(begin);
  munmap(begin, bytes);
}

void FakeDevice::Copy(void* dst, const void* src, size_t bytes) noexcept {
  const Access access(*this);
  std::memmove(dst, src, bytes);
}

void FakeDevice::Fill(void* dst, int value, size_t bytes) noexcept {
  const Access access(*this);
  std::memset(dst, value, bytes);
}

int32_t FakeDevice::Launch(Task& task) noexcept {
  const Access access(*this);
  const DefaultFloatMode mode;
  return task.Run();
}

void InstallFakeDevice(int id, size_t memory_total) {
  memory::InstallDeviceForTest(id, std::make_unique<FakeDevice>(memory_total));
}

}  // namespace portacl::testing
