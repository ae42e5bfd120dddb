// SPDX-License-Identifier: Apache-2.0
// What strict mode remembers of a thread.
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "check/call_sites.h"

namespace portacl::check {

struct CheckedThread {
  const char* function = nullptr;  // of the API, that is being called
  const void* claimed = nullptr;   // the executor whose phase 2 has begun, and is not queued
  int32_t failed_code = 0;         // of the phase 1 that was called last, 0: it succeeded
  const char* failed_name = nullptr;
  CallSiteId failed_site = 0;
  bool holds_open = false;  // what it has open until its call ends (guard.h)
};

PORTACL_HOT_THREAD_LOCAL extern constinit thread_local CheckedThread t_checked;

}  // namespace portacl::check
