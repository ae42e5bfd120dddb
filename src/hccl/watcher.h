// SPDX-License-Identifier: Apache-2.0
// One thread of the process that looks after sockets and limits.
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
  /// The socket can be read from or written to. False: there is no more to look after.
  virtual bool Ready() = 0;
  /// When Passed() is to be called.
  virtual Deadline NextLimit() = 0;
  /// False: as above.
  virtual bool Passed() = 0;
};

/// Watches it from now on, and keeps it as long. False: the system refused a thread.
bool Watch(std::shared_ptr<Watched> watched);
/// After an earlier limit, or what is to be sent.
void WakeWatcher() noexcept;

}  // namespace portacl::hccl
