// SPDX-License-Identifier: Apache-2.0
// What the runtime remembers of each thread.
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "runtime/handle_table.h"

namespace portacl::streams {

class ClientCall;

struct ThreadState {
  HandleBits explicit_context = 0;          // made current by the client; goes before the binding, also when it is dead
  int32_t bound_device = -1;                // aclrtSetDevice: whatever primary context this device has
  uint32_t last_task = 0;                   // number, within its stream, of the task that this thread queued last
  int32_t running_device = -1;              // the device whose task this thread runs; -1: that of the current context
  const ClientCall* client_call = nullptr;  // the innermost one
};

PORTACL_HOT_THREAD_LOCAL extern constinit thread_local ThreadState t_thread;

}  // namespace portacl::streams
