// SPDX-License-Identifier: Apache-2.0
// Checks of arguments that many of the C functions share.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/arguments.h"
#include "runtime/contexts/context.h"

namespace portacl {

// Returns 0, or 107001 with a report. Takes 64 bits, so that no unsigned argument becomes negative or is truncated.
inline aclError CheckDevice(const char* function, int64_t id, const char* argument = "deviceId") noexcept {
  if (id >= 0 && id < devices::DeviceCount()) return ACL_SUCCESS;
  return Failf(ACL_ERROR_RT_INVALID_DEVICEID, "{}: argument '{}': expected a number in [0, {}), got {}", function,
               argument, devices::DeviceCount(), id);
}

// Converts a timeout in milliseconds (-1: no limit) to a deadline. Returns 0, or `refusal` with a report.
inline aclError ReadTimeout(const char* function, int32_t timeout, streams::Deadline* deadline,
                            aclError refusal = ACL_ERROR_RT_PARAM_INVALID) noexcept {
  if (timeout == 0 || timeout < -1) {
    return Failf(refusal, "{}: argument 'timeout': expected -1 (for ever) or a positive number of milliseconds, got {}",
                 function, timeout);
  }
  *deadline = timeout == -1 ? streams::Deadline{}
                            : streams::Deadline{std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout)};
  return ACL_SUCCESS;
}

inline constexpr uint32_t kOlderSync = 0x4;  // allows stream waits, as ACL_EVENT_SYNC does; has no public name

// Returns the live event, or null with *status and a report.
inline events::Event* ResolveEvent(const char* function, const char* argument, aclrtEvent event,
                                   aclError* status) noexcept {
  if (event == nullptr) {
    *status = NullArgument(function, argument);
    return nullptr;
  }
  events::Event* live = contexts::g_events.Find(event);
  if (live == nullptr) *status = BadHandle(function, argument, "event", event);
  return live;
}

inline aclError NotSupported(const char* function, const char* argument, const char* expected) noexcept {
  return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "{}: argument '{}': expected {}, got one without", function, argument,
               expected);
}

// The limit of event waits that are queued from now on; a client sets it for all of them. 0: no limit.
uint32_t EventWaitLimitSeconds() noexcept;

}  // namespace portacl
