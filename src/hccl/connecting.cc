// SPDX-License-Identifier: Apache-2.0
#include "hccl/connecting.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <utility>

namespace portacl::hccl {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Stream = std::unique_ptr<FrameStream>;

// The largest number of accepted connections that have not shown a key; others wait in the system's queue.
constexpr size_t kMostUnknown = 64;
constexpr std::chrono::seconds kHelloLimit{10};

// The address and key of a rank, in the form in which they are sent through the root.
struct Place {
  char address[64];
  Key key;
  uint32_t port;
};
static_assert(kTravelsWhole<Place>);

std::string BytesOf(const Key& key) { return {reinterpret_cast<const char*>(key.data()), key.size()}; }

class Connecting {
 public:
  Connecting(RootClient& root, const std::string& purpose, uint32_t rank, uint32_t ranks)
      : root_(root), purpose_(purpose), rank_(rank), places_(ranks), dialed_(ranks), connected_(ranks) {}
  Connecting(const Connecting&) = delete;
  Connecting& operator=(const Connecting&) = delete;
  ~Connecting() {
    if (listener_ >= 0) close(listener_);
  }

  HcclResult Run(const std::string& address, std::vector<int>* sockets, std::string* why);

 private:
  struct Unknown {
    Stream stream;
    SteadyClock::time_point limit;
  };

  HcclResult Listen(const std::string& address, std::string* why);
  HcclResult Dial(std::string* why);
  HcclResult WaitForAll(std::string* why);
  void Accept();
  bool TakeHello(Unknown& unknown);
  bool TakeWelcome(uint32_t peer);
  int LimitOfPoll() const;

  RootClient& root_;
  const std::string& purpose_;
  const uint32_t rank_;
  std::vector<Place> places_;
  int listener_ = -1;
  std::vector<Unknown> unknown_;
  std::vector<Stream> dialed_;  // to lower ranks that have not answered yet
  std::vector<Stream> connected_;
};

HcclResult Connecting::Listen(const std::string& address, std::string* why) {
  Place own = {};
  address.copy(own.address, sizeof(own.address) - 1);
  if (getrandom(own.key.data(), own.key.size(), 0) != static_cast<ssize_t>(own.key.size())) {
    *why = "the system gave no random bytes for the key";
    return HCCL_E_SYSCALL;
  }
  uint16_t port = 0;
  listener_ = ListenAt(address, 0, 0, &port);
  if (listener_ < 0) {
    *why = fmt::format("cannot listen at {}: {}", address, std::strerror(errno));
    return HCCL_E_NETWORK;
  }
  own.port = port;
  bool all = root_.Set(fmt::format("{}_{}", purpose_, rank_), {reinterpret_cast<const char*>(&own), sizeof(own)});
  for (uint32_t peer = 0; all && peer < places_.size(); ++peer) {
    const std::string* const theirs = root_.Get(fmt::format("{}_{}", purpose_, peer));
    all = theirs != nullptr && theirs->size() == sizeof(Place);
    if (!all) break;
    std::memcpy(&places_[peer], theirs->data(), sizeof(Place));
    places_[peer].address[sizeof(Place::address) - 1] = '\0';
  }
  if (all) return HCCL_SUCCESS;
  *why = fmt::format("the ranks cannot be connected: {}",
                     root_.Reason().empty() ? "one of them published an invalid address" : root_.Reason());
  return root_.HasPassed() ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
}

// The system accepts these connections before the other ranks call accept().
HcclResult Connecting::Dial(std::string* why) {
  for (uint32_t peer = 0; peer < rank_; ++peer) {
    const Place& place = places_[peer];
    const int fd = ConnectTo(place.address, static_cast<uint16_t>(place.port), root_.deadline());
    if (fd < 0) {
      const int error = errno;
      *why = fmt::format("rank {} cannot be reached at {}, port {}, from {}: {}", peer, place.address, place.port,
                         places_[rank_].address, std::strerror(error));
      return error == ETIMEDOUT ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
    }
    dialed_[peer] = std::make_unique<FrameStream>(fd, sizeof(Key));
    dialed_[peer]->Send(FrameKind::kHello, rank_, BytesOf(place.key));
  }
  return HCCL_SUCCESS;
}

void Connecting::Accept() {
  const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd >= 0) {
    unknown_.push_back({std::make_unique<FrameStream>(fd, sizeof(Key)), SteadyClock::now() + kHelloLimit});
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
    usleep(10'000);  // new connections have to wait
  }
}

// Returns false when no more data is expected from the connection.
bool Connecting::TakeHello(Unknown& unknown) {
  Frame frame;
  switch (unknown.stream->Next(&frame)) {
    case FrameStream::Got::kNothing:
      return SteadyClock::now() < unknown.limit;
    case FrameStream::Got::kEnd:
      return false;
    case FrameStream::Got::kFrame:
      break;
  }
  const uint32_t peer = frame.argument;
  if (frame.kind != FrameKind::kHello || frame.body != BytesOf(places_[rank_].key)) return false;
  if (peer <= rank_ || peer >= places_.size() || connected_[peer] != nullptr) return false;
  if (unknown.stream->Send(FrameKind::kWelcome, rank_, BytesOf(places_[peer].key)))
    connected_[peer] = std::move(unknown.stream);
  return false;
}

// Returns false when the peer is not the rank, or has ended.
bool Connecting::TakeWelcome(uint32_t peer) {
  Frame frame;
  switch (dialed_[peer]->Next(&frame)) {
    case FrameStream::Got::kNothing:
      return true;
    case FrameStream::Got::kEnd:
      return false;
    case FrameStream::Got::kFrame:
      break;
  }
  if (frame.kind != FrameKind::kWelcome || frame.argument != peer || frame.body != BytesOf(places_[rank_].key))
    return false;
  connected_[peer] = std::move(dialed_[peer]);
  return true;
}

int Connecting::LimitOfPoll() const {
  Deadline first = root_.deadline();
  for (const Unknown& each : unknown_) first = first ? std::min(*first, each.limit) : each.limit;
  if (!first) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - SteadyClock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
}

HcclResult Connecting::WaitForAll(std::string* why) {
  for (;;) {
    uint32_t missing = 0;
    while (missing < connected_.size() && (missing == rank_ || connected_[missing] != nullptr)) ++missing;
    if (missing == connected_.size()) return HCCL_SUCCESS;
    if (root_.HasPassed()) {
      *why = fmt::format("rank {} has not connected to this one at {} within HCCL_CONNECT_TIMEOUT", missing,
                         places_[rank_].address);
      return HCCL_E_TIMEOUT;
    }
    std::vector<pollfd> sockets = {{root_.fd(), POLLIN, 0},
                                   {unknown_.size() < kMostUnknown ? listener_ : -1, POLLIN, 0}};
    for (const Unknown& each : unknown_) sockets.push_back({each.stream->fd(), POLLIN, 0});
    for (const Stream& each : dialed_) sockets.push_back({each == nullptr ? -1 : each->fd(), POLLIN, 0});
    if (poll(sockets.data(), sockets.size(), LimitOfPoll()) < 0) continue;  // interrupted by a signal
    if (sockets[0].revents != 0 && !root_.Look()) {
      *why = fmt::format("the ranks cannot be connected: {}", root_.Reason());
      return HCCL_E_TCP_CONNECT;
    }
    std::erase_if(unknown_, [this](Unknown& each) { return !TakeHello(each); });
    for (uint32_t peer = 0; peer < rank_; ++peer) {
      if (dialed_[peer] == nullptr || TakeWelcome(peer)) continue;
      *why = fmt::format("rank {} has ended the connection, or another process is at {}, port {}", peer,
                         places_[peer].address, places_[peer].port);
      return HCCL_E_TCP_CONNECT;
    }
    if (sockets[1].revents != 0) Accept();
  }
}

HcclResult Connecting::Run(const std::string& address, std::vector<int>* sockets, std::string* why) {
  if (const HcclResult result = Listen(address, why); result != HCCL_SUCCESS) return result;
  if (const HcclResult result = Dial(why); result != HCCL_SUCCESS) return result;
  if (const HcclResult result = WaitForAll(why); result != HCCL_SUCCESS) return result;
  sockets->assign(connected_.size(), -1);
  for (uint32_t peer = 0; peer < connected_.size(); ++peer) {
    if (peer != rank_) (*sockets)[peer] = connected_[peer]->Release();
  }
  return HCCL_SUCCESS;
}

}  // namespace

HcclResult ConnectToAll(RootClient& root, const std::string& purpose, const std::string& address, uint32_t rank,
                        uint32_t ranks, std::vector<int>* sockets, std::string* why) {
  return Connecting(root, purpose, rank, ranks).Run(address, sockets, why);
}

}  // namespace portacl::hccl
