// SPDX-License-Identifier: Apache-2.0
// Messages between a rank and the process of the root: small frames over TCP. Lengths are checked against limits before
// memory is allocated for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "hccl/transport.h"

namespace portacl::hccl {

using Key = std::array<unsigned char, 16>;

enum class FrameKind : uint16_t {
  kJoin,       // the first: a JoinRequest
  kReady,      // all ranks have come; argument 1: all on one host
  kRefused,    // argument: an HcclResult; body: why; also after kJoin was taken, as long as not all have come
  kSet,        // body: a key, a zero, its value
  kGet,        // body: a key
  kValue,      // body: its value, once there is one
  kAbort,      // argument: the rank; body: why the communicator has failed
  kLeave,      // argument: the rank
  kEnded,      // argument: a rank whose connection ended before it has left
  kHello,      // from rank to rank, argument: who connects; body: the key of who listens
  kWelcome,    // its answer, argument: who listens; body: the key of who connects
  kNotJoined,  // argument: the rank; body: why it cannot connect with the others
  kCount,
};

struct Frame {
  FrameKind kind;
  uint32_t argument;
  std::string body;
};

/// As it travels.
struct JoinRequest {
  uint32_t version;
  uint32_t ranks;
  uint32_t rank;
  uint32_t address_is_given;  // by a variable
  Key key;
  char host[128];     // names a host and its network, ends with a zero
  uint32_t limit_ms;  // how long the rank waits for the others; 0: for ever
};
static_assert(kTravelsWhole<JoinRequest>);
inline constexpr uint32_t kJoinVersion = 4;

/// Both ends are of one kind of machine, as are the bytes that collectives move.
struct FrameHeader {
  uint32_t magic;
  FrameKind kind;
  uint16_t unused;
  uint32_t argument;
  uint32_t bytes;  // of the body
};
static_assert(kTravelsWhole<FrameHeader>);

/// Frames over a socket, which it owns and never blocks on. One thread at a time.
class FrameStream {
 public:
  FrameStream(int fd, size_t most_bytes) noexcept;
  FrameStream(const FrameStream&) = delete;
  FrameStream& operator=(const FrameStream&) = delete;
  ~FrameStream();

  int fd() const noexcept { return fd_; }
  /// The longest body that may come.
  void Limit(size_t most_bytes) noexcept { most_bytes_ = most_bytes; }

  enum class Got : uint8_t { kNothing, kFrame, kEnd };
  /// kEnd: the other side has closed, or has sent what is no frame.
  Got Next(Frame* frame);

  /// Sends what the socket takes, and the rest with later calls of Flush(). False: the other side is gone, or does not
  /// read.
  bool Send(FrameKind kind, uint32_t argument, std::string_view body = {});
  bool Flush();
  bool HasUnsent() const noexcept { return !unsent_.empty(); }
  void Shutdown() noexcept;
  /// The socket, which is the caller's from now on.
  int Release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_;
  size_t most_bytes_;
  std::string received_;
  std::string unsent_;
  bool ended_ = false;
};

/// For a thread that may wait. False: the end, or the deadline has passed.
bool WaitForFrame(FrameStream& stream, Frame* frame, Deadline deadline);

/// A connected socket that does not block, -1 with errno.
int ConnectTo(const std::string& address, uint16_t port, Deadline deadline);
/// A socket that listens at the first port of [first, last] that is free (0: any), -1 with errno.
int ListenAt(const std::string& address, uint16_t first, uint16_t last, uint16_t* port);

}  // namespace portacl::hccl
