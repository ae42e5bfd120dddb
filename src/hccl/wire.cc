// SPDX-License-Identifier: Apache-2.0
#include "hccl/wire.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

namespace portacl::hccl {
namespace {

constexpr uint32_t kFrameMagic = 0x46434150;  // "PACF"
// A peer to which more than this is unsent does not read.
constexpr size_t kMostUnsent = size_t{64} << 20;

// Waits for a socket. Returns false when the deadline has passed.
bool WaitForSocket(int fd, short events, Deadline deadline) {
  for (;;) {
    int limit = -1;
    if (deadline) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now()).count();
      if (left <= 0) return false;
      limit = static_cast<int>(std::min<int64_t>(left, INT_MAX));
    }
    pollfd waited = {fd, events, 0};
    const int ready = poll(&waited, 1, limit);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the next call reports the error
  }
}

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t bytes = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

bool ReadAddress(const std::string& text, uint16_t port, SocketAddress* address) {
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address->storage);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address->bytes = sizeof(*v4);
    return true;
  }
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address->storage);
  if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) != 1) return false;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  address->bytes = sizeof(*v6);
  return true;
}

int OpenSocket(const SocketAddress& address) {
  return socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int CloseWithError(int fd, int error) {
  close(fd);
  errno = error;
  return -1;
}

}  // namespace

FrameStream::FrameStream(int fd, size_t most_bytes) noexcept : fd_(fd), most_bytes_(most_bytes) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // Ends the connection with a host that has gone without closing it.
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

FrameStream::~FrameStream() {
  if (fd_ >= 0) close(fd_);
}

FrameStream::Got FrameStream::Next(Frame* frame) {
  for (;;) {
    size_t wanted = sizeof(FrameHeader);
    FrameHeader header;
    if (received_.size() >= sizeof(header)) {
      std::memcpy(&header, received_.data(), sizeof(header));
      if (header.magic != kFrameMagic || header.kind >= FrameKind::kCount || header.bytes > most_bytes_)
        return Got::kEnd;
      wanted += header.bytes;
      if (received_.size() == wanted) {
        *frame = {header.kind, header.argument, received_.substr(sizeof(header))};
        received_.clear();
        return Got::kFrame;
      }
    }
    if (ended_) return Got::kEnd;
    // Never reads beyond the frame, so that no data has to be kept for the next one.
    char piece[4096];
    const ssize_t got = recv(fd_, piece, std::min(sizeof(piece), wanted - received_.size()), 0);
    if (got > 0)
      received_.append(piece, static_cast<size_t>(got));
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
      ended_ = true;
    else if (errno == EAGAIN)
      return Got::kNothing;
  }
}

bool FrameStream::Send(FrameKind kind, uint32_t argument, std::string_view body) {
  const FrameHeader header = {kFrameMagic, kind, 0, argument, static_cast<uint32_t>(body.size())};
  unsent_.append(reinterpret_cast<const char*>(&header), sizeof(header));
  unsent_.append(body);
  return Flush();
}

bool FrameStream::Flush() {
  size_t done = 0;
  while (done < unsent_.size()) {
    const ssize_t sent = send(fd_, unsent_.data() + done, unsent_.size() - done, MSG_NOSIGNAL);
    if (sent > 0) {
      done += static_cast<size_t>(sent);
    } else if (errno != EINTR) {
      break;
    }
  }
  const bool alive = done == unsent_.size() || errno == EAGAIN;
  unsent_.erase(0, done);
  return alive && unsent_.size() <= kMostUnsent;
}

void FrameStream::Shutdown() noexcept { shutdown(fd_, SHUT_RDWR); }

bool WaitForFrame(FrameStream& stream, Frame* frame, Deadline deadline) {
  for (;;) {
    if (!stream.Flush()) return false;
    switch (stream.Next(frame)) {
      case FrameStream::Got::kFrame:
        return true;
      case FrameStream::Got::kEnd:
        return false;
      case FrameStream::Got::kNothing:
        break;
    }
    const short events = stream.HasUnsent() ? POLLIN | POLLOUT : POLLIN;
    if (!WaitForSocket(stream.fd(), events, deadline)) return false;
  }
}

int ConnectTo(const std::string& address, uint16_t port, Deadline deadline) {
  SocketAddress to;
  if (!ReadAddress(address, port, &to)) {
    errno = EINVAL;
    return -1;
  }
  const int fd = OpenSocket(to);
  if (fd < 0) return -1;
  if (connect(fd, to.get(), to.bytes) == 0) return fd;
  if (errno != EINPROGRESS) return CloseWithError(fd, errno);
  if (!WaitForSocket(fd, POLLOUT, deadline)) return CloseWithError(fd, ETIMEDOUT);
  int error = 0;
  socklen_t bytes = sizeof(error);
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) error = errno;
  return error == 0 ? fd : CloseWithError(fd, error);
}

int ListenAt(const std::string& address, uint16_t first, uint16_t last, uint16_t* port) {
  for (uint32_t candidate = first; candidate <= last; ++candidate) {
    SocketAddress at;
    if (!ReadAddress(address, static_cast<uint16_t>(candidate), &at)) {
      errno = EINVAL;
      return -1;
    }
    const int fd = OpenSocket(at);
    if (fd < 0) return -1;
    if (bind(fd, at.get(), at.bytes) != 0 || listen(fd, SOMAXCONN) != 0) {
      const int error = errno;
      CloseWithError(fd, error);
      if (error == EADDRINUSE) continue;
      return -1;
    }
    if (getsockname(fd, at.get(), &at.bytes) != 0) return CloseWithError(fd, errno);
    *port = ntohs(at.storage.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&at.storage)->sin_port
                                                  : reinterpret_cast<sockaddr_in6*>(&at.storage)->sin6_port);
    return fd;
  }
  errno = EADDRINUSE;
  return -1;
}

}  // namespace portacl::hccl
