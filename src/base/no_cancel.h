// SPDX-License-Identifier: Apache-2.0
// Cancellation of client threads (pthread_cancel).
#pragma once

#include <pthread.h>

namespace portacl {

// Disables cancellation of the calling thread while it lives. Cancellation unwinds the stack, and ends the process at a
// noexcept function: a thread of the client is cancelled only where it waits for a stream, an event or a callback and
// holds no locks.
class NoCancel {
 public:
  NoCancel() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancel() { pthread_setcancelstate(before_, nullptr); }
  NoCancel(const NoCancel&) = delete;
  NoCancel& operator=(const NoCancel&) = delete;

 private:
  int before_ = 0;
};

}  // namespace portacl
