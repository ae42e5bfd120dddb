// SPDX-License-Identifier: Apache-2.0
// The list of devices, fixed when it is first asked for.
#include "runtime/device.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/environment.h"
#include "runtime/cores.h"
#include "runtime/cpu_device.h"
#include "runtime/pool.h"

namespace portacl {
namespace {

// The visible ones are the leading valid, not repeated numbers of the list; what follows the first bad entry does not
// count.
int CountVisible(const char* list, int present) noexcept {
  std::array<bool, kMaxDevices> seen{};
  int count = 0;
  for (const char* at = list;; ++at) {
    char* end = nullptr;
    const long id = std::strtol(at, &end, 10);
    if (end == at || id < 0 || id >= present || seen[static_cast<size_t>(id)]) break;
    seen[static_cast<size_t>(id)] = true;
    ++count;
    at = end;
    if (*at != ',') break;
  }
  return count;
}

int ReadDeviceCount() noexcept {
  const int present = static_cast<int>(VariableInteger(Variable::kDevices, 1, kMaxDevices, 1));
  const char* visible = VariableText(Variable::kVisibleDevices);
  return visible == nullptr ? present : CountVisible(visible, present);
}

// Never destroyed: static destructors of clients may still free device memory.
std::array<Device*, kMaxDevices>& Devices() noexcept {
  static auto& devices = *[] {
    auto* list = new std::array<Device*, kMaxDevices>;
    for (Device*& device : *list) device = new CpuDevice;
    return list;
  }();
  return devices;
}

}  // namespace

int DeviceCount() noexcept {
  static const int count = ReadDeviceCount();
  return count;
}

Device& GetDevice(int id) noexcept { return *Devices()[static_cast<size_t>(id)]; }

int CoresPerDevice() noexcept { return std::max(1, UsableCores() / std::max(1, DeviceCount())); }

void InstallDeviceForTest(int id, std::unique_ptr<Device> device) {
  DevicePool(id).UseDevice(*device);
  Device*& place = Devices()[static_cast<size_t>(id)];
  delete place;
  place = device.release();
}

}  // namespace portacl
