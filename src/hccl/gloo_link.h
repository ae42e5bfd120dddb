// SPDX-License-Identifier: Apache-2.0
// The state of a communicator between hosts: its pending messages, which ranks have left, and why it has failed. The
// connection with the root reports the last two.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hccl/gloo_table.h"
#include "hccl/memory_link.h"
#include "hccl/socket_link.h"
#include "hccl/watcher.h"
#include "hccl/wire.h"

namespace portacl::hccl {

class GlooLink final : public Watched {
 public:
  /// `near`: a link that also ends when the communicator fails, or null.
  GlooLink(std::unique_ptr<FrameStream> stream, const GlooTable& gloo, uint32_t rank, uint32_t ranks,
           std::unique_ptr<SocketLink> small, std::shared_ptr<MemoryLink> near)
      : gloo_(gloo),
        rank_(rank),
        small_(std::move(small)),
        near_(std::move(near)),
        has_ended_(ranks),
        lost_(ranks),
        stream_(std::move(stream)) {}

  // Without the connection, only limits are watched.
  int fd() const noexcept override {
    const std::scoped_lock lock(mutex_);
    return is_connected_ ? stream_->fd() : -1;
  }
  bool WantsToSend() override {
    const std::scoped_lock lock(mutex_);
    return stream_->HasUnsent();
  }
  bool Ready() override;
  Deadline NextLimit() override;
  bool Passed() override;

  /// `transfer`: NULL if the message could not begin.
  Outcome Wait(void* transfer, uint32_t peer, Deadline deadline);
  /// Called by the watcher: the other end of the connection with that rank was closed. Pending messages with it end
  /// soon, unless all of their data has arrived.
  void LosePeer(uint32_t peer);
  /// Called for a message that the other rank has lost: waits for the reason.
  void Lose(uint32_t peer) {
    std::unique_lock lock(mutex_);
    if (!is_over_) AwaitReason(peer, lock);
  }
  void Take(const Frame& frame) {
    const std::scoped_lock lock(mutex_);
    TakeLocked(frame);
  }
  /// Ends all waits.
  void Abort(const std::string& reason);
  /// Returns false when the waits had ended before.
  bool Leave();
  std::string Reason() {
    const std::scoped_lock lock(mutex_);
    return reason_;
  }

  const GlooTable& gloo() const { return gloo_; }
  /// The link that carries the small messages.
  SocketLink& small() const { return *small_; }
  /// Changes the number of messages that are not done.
  void Count(int change) {
    const std::scoped_lock lock(mutex_);
    under_way_ += change;
  }
  bool HasLeft() {
    const std::scoped_lock lock(mutex_);
    return has_left_;
  }
  bool IsIdle() {
    const std::scoped_lock lock(mutex_);
    return under_way_ == 0;
  }

 private:
  struct Waiting {
    void* transfer;
    uint32_t peer;
    Deadline deadline;
    bool timed_out = false;
    bool was_ended = false;
  };

  void TakeLocked(const Frame& frame);
  void EndWaits();
  Deadline EndOf(uint32_t peer) const;
  Deadline LimitOf(const Waiting& waiting) const;
  void AwaitReason(uint32_t peer, std::unique_lock<std::mutex>& lock);

  const GlooTable& gloo_;
  const uint32_t rank_;
  const std::unique_ptr<SocketLink> small_;
  const std::shared_ptr<MemoryLink> near_;
  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::vector<char> has_ended_;  // 0: no; 1: has left; 2: has ended without leaving
  std::vector<Deadline> lost_;   // the times when their connections ended
  const std::unique_ptr<FrameStream> stream_;
  bool is_connected_ = true;  // to the root
  bool is_over_ = false;
  bool has_left_ = false;
  std::string reason_;
  std::list<Waiting> waits_;
  Deadline planned_;  // when the watcher checks the waits next
  int under_way_ = 0;
};

}  // namespace portacl::hccl
