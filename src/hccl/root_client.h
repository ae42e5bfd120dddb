// SPDX-License-Identifier: Apache-2.0
// A rank's side of the server of the root, while it connects with the others.
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
  /// Values that ranks leave for each other. Get() waits for one; null: a rank has ended or failed, or the deadline has
  /// passed. Good until the next call.
  bool Set(std::string_view key, std::string_view value);
  const std::string* Get(std::string_view key);
  /// For poll(), and for when there is something to read: false if a rank has ended or failed.
  int fd() const noexcept { return stream_->fd(); }
  bool Look();
  /// Why one of these failed.
  const std::string& Reason() const noexcept { return reason_; }
  /// Waits so long for others to say that they have failed.
  bool AwaitReason(std::chrono::milliseconds limit);
  /// Tells the others why this rank does not go on.
  void Abort(uint32_t rank, const std::string& why);
  /// The connection, and what came on it for later.
  std::unique_ptr<FrameStream> Release(std::vector<Frame>* early);

 private:
  std::unique_ptr<FrameStream> stream_;
  bool IsEnd(const Frame& frame);
  void NoteSilence(bool has_passed);

  const Deadline deadline_;
  std::string value_;
  std::string reason_;
  std::vector<Frame> early_;  // of ranks that are further
};

}  // namespace portacl::hccl
