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
  kRefused,    // argument: an HcclResult; body: the reason; also after kJoin was accepted, until all have come
  kSet,        // body: a key, a zero, its value
  kGet,        // body: a key
  kValue,      // body: the value, once it is set
  kAbort,      // argument: the rank; body: why the communicator has failed
  kLeave,      // argument: the rank
  kEnded,      // argument: a rank whose connection ended before it has left
  kHello,      // between ranks, argument: the connecting rank; body: the key of the listening rank
  kWelcome,    // the answer, argument: the listening rank; body: the key of the connecting rank
  kNotJoined,  // argument: the rank; body: why it cannot connect with the others
  kCount,
};

struct Frame {
  FrameKind kind;
  uint32_t argument;
  std::string body;
};

/// The request in the form in which it is sent.
struct JoinRequest {
  uint32_t version;
  uint32_t ranks;
  uint32_t rank;
  uint32_t address_is_given;  // set by a variable
  Key key;
  char host[128];     // names a host and its network; zero-terminated
  uint32_t limit_ms;  // how long the rank waits for the others; 0: no limit
};
static_assert(kTravelsWhole<JoinRequest>);
inline constexpr uint32_t kJoinVersion = 4;

/// Both ends have the same byte order; collectives rely on that as well.
struct FrameHeader {
  uint32_t magic;
  FrameKind kind;
  uint16_t unused;
  uint32_t argument;
  uint32_t bytes;  // the length of the body
};
static_assert(kTravelsWhole<FrameHeader>);

/// Frames over a socket, which the object owns and never blocks on. Only one thread may use it at a time.
class FrameStream {
 public:
  FrameStream(int fd, size_t most_bytes) noexcept;
  FrameStream(const FrameStream&) = delete;
  FrameStream& operator=(const FrameStream&) = delete;
  ~FrameStream();

  int fd() const noexcept { return fd_; }
  /// Sets the length of the longest body that is accepted.
  void Limit(size_t most_bytes) noexcept { most_bytes_ = most_bytes; }

  enum class Got : uint8_t { kNothing, kFrame, kEnd };
  /// kEnd: the other side has closed the connection, or has sent an invalid frame.
  Got Next(Frame* frame);

  /// Sends what the socket accepts; later calls of Flush() send the rest. Returns false when the other side is gone, or
  /// does not read.
  bool Send(FrameKind kind, uint32_t argument, std::string_view body = {});
  bool Flush();
  bool HasUnsent() const noexcept { return !unsent_.empty(); }
  void Shutdown() noexcept;
  /// Returns the socket, which the caller owns from now on.
  int Release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_;
  size_t most_bytes_;
  std::string received_;
  std::string unsent_;
  bool ended_ = false;
};

/// For a thread that may wait. Returns false at the end of the connection, or when the deadline has passed.
bool WaitForFrame(FrameStream& stream, Frame* frame, Deadline deadline);

/// Returns a connected socket that does not block; on failure -1, with errno.
int ConnectTo(const std::string& address, uint16_t port, Deadline deadline);
/// Returns a socket that listens at the first free port of [first, last] (0: any); on failure -1, with errno.
int ListenAt(const std::string& address, uint16_t first, uint16_t last, uint16_t* port);

}  // namespace portacl::hccl
