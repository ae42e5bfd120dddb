// SPDX-License-Identifier: Apache-2.0
// The client's function that the calling thread runs for a stream that waits for it; observers read it.
#pragma once

#include "base/visibility.h"

namespace portacl {

// The task that runs the function; null: none.
PORTACL_HOT_THREAD_LOCAL inline constinit thread_local const void* t_host_function = nullptr;

class HostFunctionRuns {
 public:
  explicit HostFunctionRuns(const void* task) noexcept : outer_(t_host_function) { t_host_function = task; }
  ~HostFunctionRuns() { t_host_function = outer_; }
  HostFunctionRuns(const HostFunctionRuns&) = delete;
  HostFunctionRuns& operator=(const HostFunctionRuns&) = delete;

 private:
  const void* const outer_;
};

}  // namespace portacl
