// SPDX-License-Identifier: Apache-2.0
// Timeouts of the synchronizing functions: milliseconds, -1 for ever.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/status.h"
#include "runtime/streams/stream.h"

namespace portacl::streams {

// Turns a timeout into a deadline. Returns 0, or 107000 with a report for 0 and values below -1.
inline int32_t ReadTimeout(const char* function, int32_t timeout, Deadline* deadline) noexcept {
  if (timeout == 0 || timeout < -1) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: argument 'timeout': expected -1 (for ever) or a positive number of milliseconds, got {}",
                 function, timeout);
  }
  *deadline =
      timeout == -1 ? Deadline{} : Deadline{std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout)};
  return 0;
}

// The report of device work that failed earlier, as a synchronizing call returns it.
inline int32_t ReportAsynchronous(const char* function, int32_t status) noexcept {
  return Failf(status, "{}: work queued earlier failed on the device with status {}", function, status);
}

}  // namespace portacl::streams
