// SPDX-License-Identifier: Apache-2.0
#include "hccl/peer_ends.h"

#include <sys/epoll.h>
#include <unistd.h>

namespace portacl::hccl {
namespace {

class PeerEnds final : public Watched {
 public:
  PeerEnds(int epoll, const std::shared_ptr<GlooLink>& link) : epoll_(epoll), link_(link) {}
  ~PeerEnds() override { close(epoll_); }

  int fd() const noexcept override { return epoll_; }
  bool WantsToSend() override { return false; }
  bool Ready() override {
    const std::shared_ptr<GlooLink> link = link_.lock();
    epoll_event event = {};
    while (link != nullptr && epoll_wait(epoll_, &event, 1, 0) > 0) link->LosePeer(event.data.u32);
    return link != nullptr;
  }
  // When the link closes the sockets, they leave the epoll set without an event.
  Deadline NextLimit() override {
    const std::shared_ptr<GlooLink> link = link_.lock();
    return link == nullptr || link->HasLeft() ? Deadline(std::chrono::steady_clock::time_point{}) : std::nullopt;
  }
  bool Passed() override { return false; }

 private:
  const int epoll_;
  const std::weak_ptr<GlooLink> link_;
};

}  // namespace

std::shared_ptr<Watched> WatchEnds(const std::vector<int>& sockets, const std::shared_ptr<GlooLink>& link) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return nullptr;
  auto ends = std::make_shared<PeerEnds>(epoll, link);
  for (uint32_t rank = 0; rank < sockets.size(); ++rank) {
    epoll_event event = {EPOLLRDHUP | EPOLLONESHOT, {}};
    event.data.u32 = rank;
    if (sockets[rank] >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, sockets[rank], &event) != 0) return nullptr;
  }
  return ends;
}

}  // namespace portacl::hccl
