// SPDX-License-Identifier: Apache-2.0
// The state that strict mode keeps for each thread.
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "check/call_sites.h"

namespace portacl::check {

struct CheckedThread {
  const char* function = nullptr;  // the API function that is being called
  const void* claimed = nullptr;   // the executor whose phase 2 has begun but is not queued yet
  int32_t failed_code = 0;         // the result of the last phase 1; 0: it succeeded
  const char* failed_name = nullptr;
  CallSiteId failed_site = 0;
  bool holds_open = false;  // some pages are open until its call ends (guard.h)
};

PORTACL_HOT_THREAD_LOCAL extern constinit thread_local CheckedThread t_checked;

}  // namespace portacl::check
