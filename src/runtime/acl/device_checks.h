// SPDX-License-Identifier: Apache-2.0
// The check of device numbers that many functions share.
#pragma once

#include <cstdint>

#include "acl/acl.h"
#include "base/status.h"
#include "runtime/devices/device.h"

namespace portacl {

// 0, or 107001 with a report. Takes 64 bits, so that no unsigned argument looks negative or small.
inline aclError CheckDevice(const char* function, int64_t id, const char* argument = "deviceId") noexcept {
  if (id >= 0 && id < devices::DeviceCount()) return ACL_SUCCESS;
  return Failf(ACL_ERROR_RT_INVALID_DEVICEID, "{}: argument '{}': expected a number in [0, {}), got {}", function,
               argument, devices::DeviceCount(), id);
}

}  // namespace portacl
