// SPDX-License-Identifier: Apache-2.0
#include "hccl/gloo_transport.h"

#include <exception>
#include <mutex>
#include <utility>

namespace portacl::hccl {
namespace {

// How long a rank that leaves waits until others have read its messages. Their threads answer, whatever the ranks are
// doing.
constexpr int64_t kFlushLimitMs = 1000;

class GlooTransfer final : public Transfer {
 public:
  GlooTransfer(std::shared_ptr<GlooLink> link, void* mesh, bool sends, uint32_t peer, uint64_t tag, void* data,
               size_t bytes)
      : link_(std::move(link)), peer_(peer), handle_(link_->gloo().begin(mesh, sends, peer, tag, data, bytes)) {
    if (handle_ != nullptr) link_->Count(1);
  }
  // An unfinished transfer stays counted. It may have finished meanwhile: the lock that end_wait() takes makes the
  // writes of Gloo's thread visible to this thread before the memory is released.
  ~GlooTransfer() override {
    if (handle_ == nullptr) return;
    if (!is_done_) link_->gloo().end_wait(handle_);
    link_->gloo().release_transfer(handle_);
  }

  Outcome Wait(Deadline deadline) override {
    if (is_done_) return Outcome::kDone;
    const Outcome outcome = link_->Wait(handle_, peer_, deadline);
    if (outcome == Outcome::kDone) {
      is_done_ = true;
      link_->Count(-1);
    }
    return outcome;
  }

 private:
  const std::shared_ptr<GlooLink> link_;
  const uint32_t peer_;
  void* const handle_;  // null: the connection was gone
  bool is_done_ = false;
};

class SmallTransfer final : public Transfer {
 public:
  SmallTransfer(std::shared_ptr<GlooLink> link, const SocketLink::Message& message)
      : link_(std::move(link)), message_(message) {
    link_->small().Begin(message_);
  }
  ~SmallTransfer() override { link_->small().TakeBack(message_); }

  Outcome Wait(Deadline deadline) override {
    const Outcome outcome = link_->small().Wait(message_, deadline);
    if (outcome == Outcome::kLost) link_->Lose(message_.peer);
    return outcome;
  }

 private:
  const std::shared_ptr<GlooLink> link_;
  SocketLink::Message message_;
};

class GlooTransport final : public Transport {
 public:
  GlooTransport(std::shared_ptr<GlooLink> link, void* mesh) : link_(std::move(link)), mesh_(mesh) {}
  ~GlooTransport() override {
    GlooTransport::Leave();
    link_->gloo().release(mesh_);
  }

  std::unique_ptr<Transfer> Send(uint32_t to, uint64_t tag, const void* data, size_t bytes) override {
    return Begin(true, to, tag, const_cast<void*>(data), bytes);
  }
  std::unique_ptr<Transfer> Receive(uint32_t from, uint64_t tag, void* data, size_t bytes) override {
    return Begin(false, from, tag, data, bytes);
  }

  void Leave() noexcept override {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(has_left_, true)) return;
    try {
      // A message that was cancelled half-way blocks all later ones: other ranks are then told of the end at once.
      if (link_->Leave() && link_->IsIdle()) link_->gloo().flush(mesh_, kFlushLimitMs);
    } catch (const std::exception&) {
      // Out of memory. The calls below tell the other ranks of the end.
    }
    link_->small().Close();
    link_->gloo().close(mesh_);
  }

  void Abort(const std::string& reason) override {
    link_->Abort(reason);
    link_->small().Close();
    link_->gloo().close(mesh_);  // also tells other ranks, and ends messages that were cancelled half-way
  }
  std::string Reason() override { return link_->Reason(); }

 private:
  std::unique_ptr<Transfer> Begin(bool sends, uint32_t peer, uint64_t tag, void* data, size_t bytes) {
    if (bytes <= SocketLink::kMostBytes)
      return std::make_unique<SmallTransfer>(
          link_, SocketLink::Message{sends, peer, tag, static_cast<std::byte*>(data), bytes});
    return std::make_unique<GlooTransfer>(link_, mesh_, sends, peer, tag, data, bytes);
  }

  const std::shared_ptr<GlooLink> link_;
  void* const mesh_;
  std::mutex mutex_;  // guards has_left_
  bool has_left_ = false;
};

}  // namespace

std::unique_ptr<Transport> MakeGlooTransport(std::shared_ptr<GlooLink> link, void* mesh) {
  return std::make_unique<GlooTransport>(std::move(link), mesh);
}

}  // namespace portacl::hccl
