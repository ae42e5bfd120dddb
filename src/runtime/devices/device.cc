// SPDX-License-Identifier: Apache-2.0
// The list of devices, fixed when it is first requested.
#include "runtime/devices/device.h"

#include <array>
#include <cstdlib>

#include "base/environment.h"
#include "base/never_destroyed.h"
#include "runtime/devices/cpu_device.h"

namespace portacl::devices {
namespace {

struct VisibleDevices {
  int count = 0;
  std::array<int, kMaxDevices> numbers{};
};

// The visible devices are the leading valid and distinct numbers of the list; the first invalid entry ends it.
VisibleDevices ReadVisible(const char* list, int present) noexcept {
  VisibleDevices visible;
  std::array<bool, kMaxDevices> seen{};
  for (const char* at = list;; ++at) {
    char* end = nullptr;
    const long id = std::strtol(at, &end, 10);
    if (end == at || id < 0 || id >= present || seen[static_cast<size_t>(id)]) break;
    seen[static_cast<size_t>(id)] = true;
    visible.numbers[static_cast<size_t>(visible.count++)] = static_cast<int>(id);
    at = end;
    if (*at != ',') break;
  }
  return visible;
}

VisibleDevices ReadVisibleDevices() noexcept {
  const int present = static_cast<int>(VariableInteger(Variable::kDevices, 1, kMaxDevices, 1));
  const char* list = VariableText(Variable::kVisibleDevices);
  if (list != nullptr) return ReadVisible(list, present);
  VisibleDevices all;
  for (all.count = 0; all.count < present; ++all.count) all.numbers[static_cast<size_t>(all.count)] = all.count;
  return all;
}

const VisibleDevices& Visible() noexcept {
  static const VisibleDevices visible = ReadVisibleDevices();
  return visible;
}

// Devices that tests install; null: the CPU.
constinit std::array<Device*, kMaxDevices> g_devices_of_test{};

}  // namespace

int DeviceCount() noexcept { return Visible().count; }

int PhysicalFromVisible(int id) noexcept {
  return id >= 0 && id < Visible().count ? Visible().numbers[static_cast<size_t>(id)] : -1;
}

int VisibleFromPhysical(int number) noexcept {
  for (int id = 0; id < Visible().count; ++id) {
    if (Visible().numbers[static_cast<size_t>(id)] == number) return id;
  }
  return -1;
}

Device& GetDevice(int id) noexcept {
  static NeverDestroyed<CpuDevice> cpu;
  Device* device = g_devices_of_test[static_cast<size_t>(id)];
  return device == nullptr ? *cpu : *device;
}

void ReplaceForTest(int id, std::unique_ptr<Device> device) {
  Device*& place = g_devices_of_test[static_cast<size_t>(id)];
  delete place;
  place = device.release();
}

}  // namespace portacl::devices
