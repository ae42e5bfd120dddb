// SPDX-License-Identifier: Apache-2.0
// One thread of the process that watches sockets and limits.
#pragma once

#include <memory>

#include "hccl/transport.h"

namespace portacl::hccl {

/// The watcher's thread calls all functions.
class Watched {
 public:
  Watched() = default;
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  virtual ~Watched() = default;

  virtual int fd() const noexcept = 0;
  virtual bool WantsToSend() = 0;
  /// Called when the socket can be read from or written to. Returns false when it need not be watched any more.
  virtual bool Ready() = 0;
  /// The time at which Passed() is to be called.
  virtual Deadline NextLimit() = 0;
  /// Returns false as Ready() does.
  virtual bool Passed() = 0;
};

/// Watches the object from now on, and keeps it until it need not be watched any more. Returns false when the system
/// refused a thread.
bool Watch(std::shared_ptr<Watched> watched);
/// Called after a limit became earlier, or when there is data to send.
void WakeWatcher() noexcept;

}  // namespace portacl::hccl
