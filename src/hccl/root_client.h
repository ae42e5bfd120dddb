// SPDX-License-Identifier: Apache-2.0
// A rank's connection to the server of the root, while it connects with the others.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hccl/hccl_types.h"
#include "hccl/wire.h"

namespace portacl::hccl {

class RootClient {
 public:
  RootClient(int fd, Deadline deadline);

  Deadline deadline() const noexcept { return deadline_; }
  bool HasPassed() const noexcept { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }

  /// Waits until the server says that all ranks have come.
  HcclResult Enter(const JoinRequest& request, bool* is_one_host, std::string* why);
  /// Set() stores a value for the other ranks, and Get() waits for one. Get() returns null when a rank has ended or
  /// failed, or when the deadline has passed; its result is valid until the next call.
  bool Set(std::string_view key, std::string_view value);
  const std::string* Get(std::string_view key);
  /// The descriptor for poll(), and the function to call when it is readable, which returns false if a rank has ended
  /// or failed.
  int fd() const noexcept { return stream_->fd(); }
  bool Look();
  /// Why one of these functions failed.
  const std::string& Reason() const noexcept { return reason_; }
  /// Waits up to the limit for others to report that they have failed.
  bool AwaitReason(std::chrono::milliseconds limit);
  /// Tells the others why this rank does not continue.
  void Abort(uint32_t rank, const std::string& why);
  /// Returns the connection, and the frames that arrived on it for later.
  std::unique_ptr<FrameStream> Release(std::vector<Frame>* early);

 private:
  std::unique_ptr<FrameStream> stream_;
  bool IsEnd(const Frame& frame);
  void NoteSilence(bool has_passed);

  const Deadline deadline_;
  std::string value_;
  std::string reason_;
  std::vector<Frame> early_;  // from ranks that have advanced further
};

}  // namespace portacl::hccl
