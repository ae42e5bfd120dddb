// SPDX-License-Identifier: Apache-2.0
#include "hccl/socket_link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <utility>

#include "runtime/parallel/threads.h"

namespace portacl::hccl {
namespace {

using SteadyClock = std::chrono::steady_clock;

// The header in the form in which it is sent: both ends have the same byte order.
struct SmallHeader {
  uint64_t tag;
  uint32_t magic;
  uint32_t bytes;
};
static_assert(kTravelsWhole<SmallHeader>);
constexpr uint32_t kSmallMagic = 0x4d434150;  // "PACM"
constexpr size_t kMostReadBytes = size_t{16} << 10;

int OpenBell() {
  const int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (bell < 0) throw std::bad_alloc();
  return bell;
}

}  // namespace

SocketLink::SocketLink(std::vector<int> sockets, std::chrono::microseconds spin)
    : spin_(spin), bell_(OpenBell()), peers_(sockets.size()), piece_(kMostReadBytes) {
  for (size_t rank = 0; rank < sockets.size(); ++rank) peers_[rank].socket = sockets[rank];
}

SocketLink::~SocketLink() {
  for (const Peer& each : peers_) {
    if (each.socket >= 0) close(each.socket);
  }
  close(bell_);
}

void SocketLink::Begin(Message& message) {
  const std::scoped_lock lock(mutex_);
  Peer& peer = peers_[message.peer];
  if (message.sends) {
    const SmallHeader header = {message.tag, kSmallMagic, static_cast<uint32_t>(message.bytes)};
    const size_t at = peer.unsent.size();
    peer.unsent.resize(at + sizeof(header) + message.bytes);
    std::memcpy(peer.unsent.data() + at, &header, sizeof(header));
    if (message.bytes != 0) std::memcpy(peer.unsent.data() + at + sizeof(header), message.data, message.bytes);
    peer.queued += sizeof(header) + message.bytes;
    message.end = peer.queued;
    Write(peer);
    if (!IsDone(message)) WakeSleeper();  // the looking thread must then also wait for room in the socket
    return;
  }
  const auto is_it = [&](const Early& each) { return each.tag == message.tag; };
  const auto early = std::find_if(peer.early.begin(), peer.early.end(), is_it);
  if (early == peer.early.end()) {
    peer.receives.push_back(&message);
    return;
  }
  if (early->content.size() != message.bytes) {
    peer.is_lost = true;
    return;
  }
  if (message.bytes != 0) std::memcpy(message.data, early->content.data(), message.bytes);
  message.is_done = true;
  peer.early.erase(early);
}

void SocketLink::TakeBack(Message& message) noexcept {
  const std::scoped_lock lock(mutex_);
  if (!message.sends && !message.is_done) peers_[message.peer].receives.remove(&message);
}

bool SocketLink::IsDone(const Message& message) const {
  return message.sends ? peers_[message.peer].sent >= message.end : message.is_done;
}

class SocketLink::Turn {
 public:
  explicit Turn(SocketLink& link) : link_(link) { link_.somebody_looks_ = true; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    link_.somebody_looks_ = false;
    link_.changed_.notify_all();
  }

 private:
  SocketLink& link_;
};

// One of the waiting threads looks at the sockets; the others sleep until their message is done or it is their turn to
// look.
Outcome SocketLink::Wait(Message& message, Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (!somebody_looks_) MoveAll();
  for (;;) {
    if (IsDone(message)) return Outcome::kDone;
    if (is_over_ || peers_[message.peer].is_lost) return Outcome::kLost;
    if (deadline && SteadyClock::now() >= *deadline) return Outcome::kTimedOut;
    if (!somebody_looks_) {
      const Turn turn(*this);
      Look(lock, deadline);
    } else if (deadline) {
      changed_.wait_until(lock, *deadline);
    } else {
      changed_.wait(lock);
    }
  }
}

// Returns when data has moved, at the end of the link, or at the deadline.
void SocketLink::Look(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  const auto begin = SteadyClock::now();
  do {
    if (MoveAll() || is_over_) return;
    if (spin_.count() == 0) break;
    lock.unlock();
    for (int i = 0; i < 8; ++i) parallel::Pause();
    lock.lock();
  } while (SteadyClock::now() - begin < spin_);
  Sleep(lock, deadline);
  MoveAll();
}

void SocketLink::Sleep(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  std::vector<pollfd> waited = {{bell_, POLLIN, 0}};
  for (const Peer& peer : peers_) {
    if (peer.socket < 0 || peer.is_lost) continue;
    waited.push_back({peer.socket, static_cast<short>(peer.sent == peer.queued ? POLLIN : POLLIN | POLLOUT), 0});
  }
  int limit = -1;
  if (deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - SteadyClock::now()).count();
    limit = static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
  }
  sleeps_ = true;
  lock.unlock();
  poll(waited.data(), waited.size(), limit);
  lock.lock();
  sleeps_ = false;
  if (waited[0].revents != 0) {
    uint64_t rings = 0;
    [[maybe_unused]] const ssize_t got = read(bell_, &rings, sizeof(rings));
  }
}

void SocketLink::WakeSleeper() noexcept {
  const uint64_t once = 1;
  if (sleeps_) [[maybe_unused]]
    const ssize_t done = write(bell_, &once, sizeof(once));
}

// Returns true if data was read or written.
bool SocketLink::MoveAll() {
  bool moved = false;
  for (Peer& peer : peers_) {
    if (peer.socket < 0 || peer.is_lost) continue;
    const uint64_t sent = peer.sent;
    Write(peer);
    moved = Read(peer) || moved || peer.sent != sent;
  }
  return moved;
}

void SocketLink::Write(Peer& peer) noexcept {
  while (peer.sent != peer.queued && !peer.is_lost) {
    const ssize_t sent = send(peer.socket, peer.unsent.data() + peer.unsent_begin,
                              peer.unsent.size() - peer.unsent_begin, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      peer.unsent_begin += static_cast<size_t>(sent);
      peer.sent += static_cast<uint64_t>(sent);
    } else if (errno != EINTR) {
      // Data from a rank that is gone is still read: reading detects the end.
      break;
    }
  }
  if (peer.sent == peer.queued) {
    peer.unsent.clear();
    peer.unsent_begin = 0;
  }
}

// Returns true if data or the end has arrived.
bool SocketLink::Read(Peer& peer) {
  for (bool moved = false;;) {
    const ssize_t got = recv(peer.socket, piece_.data(), kMostReadBytes, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return moved;
    moved = true;
    if (got > 0) peer.received.insert(peer.received.end(), piece_.begin(), piece_.begin() + got);
    peer.is_lost = got <= 0 || !TakeMessages(peer);
    if (peer.is_lost || got < static_cast<ssize_t>(kMostReadBytes)) return moved;
  }
}

// Checks all received data before memory is allocated or written for it. Returns false when the data is not a message.
bool SocketLink::TakeMessages(Peer& peer) {
  size_t place = 0;
  SmallHeader header;
  bool is_right = true;
  while (peer.received.size() - place >= sizeof(header)) {
    std::memcpy(&header, peer.received.data() + place, sizeof(header));
    is_right = header.magic == kSmallMagic && header.bytes <= kMostBytes;
    if (!is_right || peer.received.size() - place - sizeof(header) < header.bytes) break;
    const std::byte* const content = peer.received.data() + place + sizeof(header);
    place += sizeof(header) + header.bytes;
    const auto is_it = [&](const Message* each) { return each->tag == header.tag; };
    const auto found = std::find_if(peer.receives.begin(), peer.receives.end(), is_it);
    if (found == peer.receives.end()) {
      peer.early.push_back({header.tag, {content, content + header.bytes}});
      continue;
    }
    is_right = (*found)->bytes == header.bytes;
    if (!is_right) break;
    if (header.bytes != 0) std::memcpy((*found)->data, content, header.bytes);
    (*found)->is_done = true;
    peer.receives.erase(found);
  }
  peer.received.erase(peer.received.begin(), peer.received.begin() + static_cast<ptrdiff_t>(place));
  return is_right;
}

void SocketLink::End() noexcept {
  const std::scoped_lock lock(mutex_);
  is_over_ = true;
  WakeSleeper();
  changed_.notify_all();
}

void SocketLink::Close() noexcept {
  const std::scoped_lock lock(mutex_);
  for (Peer& peer : peers_) {
    if (peer.socket < 0) continue;
    Write(peer);
    // Unread data would make the system reset the connection, and drop sent data, when the socket is closed.
    while (recv(peer.socket, piece_.data(), kMostReadBytes, MSG_DONTWAIT) > 0) continue;
    shutdown(peer.socket, SHUT_RDWR);
    peer.is_lost = true;
  }
  is_over_ = true;
  WakeSleeper();
  changed_.notify_all();
}

}  // namespace portacl::hccl
