// SPDX-License-Identifier: Apache-2.0
#include "hccl/in_process.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>
#include <utility>

namespace portacl::hccl {
namespace {

// A message that waits for its receiver.
struct Post {
  uint64_t tag;
  const void* data;
  size_t bytes;
  bool taken = false;  // the receiver is copying
  bool done = false;
};

// The state that all ranks of a communicator share.
struct Hub {
  explicit Hub(uint32_t count) : ranks(count), left(count), posts(size_t{count} * count) {}

  std::list<Post>& PostsOf(uint32_t from, uint32_t to) { return posts[size_t{from} * ranks + to]; }

  const uint32_t ranks;
  std::mutex mutex;  // guards all members below
  std::condition_variable changed;
  bool aborted = false;
  std::string reason;
  std::vector<char> left;
  std::vector<std::list<Post>> posts;
};

// Waits for `ready`, or until it cannot become true any more. A transfer that is ready is done, even if it was lost.
template <class Ready>
Outcome WaitFor(Hub& hub, std::unique_lock<std::mutex>& lock, uint32_t from, uint32_t to, Deadline deadline,
                const Ready& ready) {
  for (;;) {
    if (ready()) return Outcome::kDone;
    if (hub.aborted || hub.left[from] != 0 || hub.left[to] != 0) return Outcome::kLost;
    if (!deadline) {
      hub.changed.wait(lock);
    } else if (hub.changed.wait_until(lock, *deadline) == std::cv_status::timeout) {
      return ready() ? Outcome::kDone : Outcome::kTimedOut;
    }
  }
}

class SendInProcess final : public Transfer {
 public:
  SendInProcess(std::shared_ptr<Hub> hub, uint32_t from, uint32_t to, Post post)
      : hub_(std::move(hub)), posts_(hub_->PostsOf(from, to)), from_(from), to_(to) {
    const std::scoped_lock lock(hub_->mutex);
    post_ = posts_.insert(posts_.end(), post);
    hub_->changed.notify_all();
  }
  ~SendInProcess() override {
    std::unique_lock lock(hub_->mutex);
    hub_->changed.wait(lock, [this] { return !post_->taken || post_->done; });
    posts_.erase(post_);
  }

  Outcome Wait(Deadline deadline) override {
    std::unique_lock lock(hub_->mutex);
    return WaitFor(*hub_, lock, from_, to_, deadline, [this] { return post_->done; });
  }

 private:
  const std::shared_ptr<Hub> hub_;
  std::list<Post>& posts_;
  std::list<Post>::iterator post_;
  const uint32_t from_;
  const uint32_t to_;
};

class ReceiveInProcess final : public Transfer {
 public:
  ReceiveInProcess(std::shared_ptr<Hub> hub, uint32_t from, uint32_t to, uint64_t tag, void* data, size_t bytes)
      : hub_(std::move(hub)),
        posts_(hub_->PostsOf(from, to)),
        from_(from),
        to_(to),
        tag_(tag),
        data_(data),
        bytes_(bytes) {}

  Outcome Wait(Deadline deadline) override {
    std::unique_lock lock(hub_->mutex);
    auto post = posts_.end();
    const Outcome outcome = WaitFor(*hub_, lock, from_, to_, deadline, [&] {
      post = std::find_if(posts_.begin(), posts_.end(),
                          [this](const Post& each) { return each.tag == tag_ && !each.taken; });
      return post != posts_.end();
    });
    if (outcome != Outcome::kDone) return outcome;
    post->taken = true;
    lock.unlock();
    // Both ranks have compared the sizes of their messages before.
    if (bytes_ != 0) std::memcpy(data_, post->data, std::min(bytes_, post->bytes));
    lock.lock();
    post->done = true;
    hub_->changed.notify_all();
    return Outcome::kDone;
  }

 private:
  const std::shared_ptr<Hub> hub_;
  std::list<Post>& posts_;
  const uint32_t from_;
  const uint32_t to_;
  const uint64_t tag_;
  void* const data_;
  const size_t bytes_;
};

class TransportInProcess final : public Transport {
 public:
  TransportInProcess(std::shared_ptr<Hub> hub, uint32_t rank) : hub_(std::move(hub)), rank_(rank) {}
  ~TransportInProcess() override { TransportInProcess::Leave(); }

  std::unique_ptr<Transfer> Send(uint32_t to, uint64_t tag, const void* data, size_t bytes) override {
    return std::make_unique<SendInProcess>(hub_, rank_, to, Post{tag, data, bytes});
  }
  std::unique_ptr<Transfer> Receive(uint32_t from, uint64_t tag, void* data, size_t bytes) override {
    return std::make_unique<ReceiveInProcess>(hub_, from, rank_, tag, data, bytes);
  }
  void Leave() noexcept override {
    const std::scoped_lock lock(hub_->mutex);
    hub_->left[rank_] = 1;
    hub_->changed.notify_all();
  }
  void Abort(const std::string& reason) override {
    const std::scoped_lock lock(hub_->mutex);
    if (hub_->aborted) return;
    hub_->aborted = true;
    hub_->reason = reason;
    hub_->changed.notify_all();
  }
  std::string Reason() override {
    const std::scoped_lock lock(hub_->mutex);
    return hub_->reason;
  }

 private:
  const std::shared_ptr<Hub> hub_;
  const uint32_t rank_;
};

}  // namespace

std::vector<std::unique_ptr<Transport>> ConnectInProcess(uint32_t ranks) {
  const auto hub = std::make_shared<Hub>(ranks);
  std::vector<std::unique_ptr<Transport>> transports;
  for (uint32_t rank = 0; rank < ranks; ++rank) transports.push_back(std::make_unique<TransportInProcess>(hub, rank));
  return transports;
}

}  // namespace portacl::hccl
