// SPDX-License-Identifier: Apache-2.0
// Checks and reports that the functions of events share.
#pragma once

#include "runtime/arguments.h"
#include "runtime/contexts/context.h"

namespace portacl {

inline constexpr uint32_t kOlderSync = 0x4;  // allows stream waits like ACL_EVENT_SYNC; has no public name

// The live event, or null with *status and a report.
inline events::Event* NeedEvent(const char* function, const char* argument, aclrtEvent event,
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

}  // namespace portacl
