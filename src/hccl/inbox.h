// SPDX-License-Identifier: Apache-2.0
// Memory of a rank that ranks of other processes of the host write messages into: a ring for each of them, and a bell.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "hccl/transport.h"

namespace portacl::hccl {

inline constexpr size_t kMostReasonBytes = 1920;

enum class RankState : uint32_t { kHere, kLeft, kFailed };

/// The slot of one rank, the writer, in the inbox of another, the owner. The counts of bytes only grow.
struct InboxSlot {
  alignas(64) std::atomic<uint64_t> written;     // written by the writer
  std::atomic<RankState> state;                  // the writer's
  std::atomic<uint32_t> reason_bytes;            // length of the failure text; complete before the state is set
  alignas(64) std::atomic<uint64_t> read;        // written by the owner
  alignas(64) std::atomic<uint32_t> wants_room;  // set by the writer: its ring was full
  alignas(64) std::array<char, kMostReasonBytes> reason;
};

/// How another process finds an inbox.
struct InboxPlace {
  uint64_t token[2];  // random; also stored in the inbox
  int32_t process;
  int32_t descriptor;
};
static_assert(kTravelsWhole<InboxPlace>);

class Inbox {
 public:
  /// Creates an inbox of this process. On failure returns null, with errno.
  static std::unique_ptr<Inbox> Make(size_t slots);
  /// Opens the inbox of a process which has created it with the same number of slots. Returns null when this process
  /// has no permission, or when the inbox does not exist any more.
  static std::unique_ptr<Inbox> Open(const InboxPlace& place, size_t slots);
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  ~Inbox();

  InboxPlace place() const;
  /// No process can open it afterwards.
  void Close() noexcept;

  size_t ring_bytes() const noexcept { return ring_bytes_; }  // a power of two
  InboxSlot& slot(size_t index) const noexcept;
  std::byte* ring(size_t index) const noexcept;

  /// The owner's bell: how often it was rung, and a wait until it is rung again, up to the deadline.
  uint32_t heard() const noexcept;
  void Listen(uint32_t heard, Deadline deadline, std::chrono::microseconds spin) noexcept;
  void Ring() noexcept;

 private:
  struct Head;
  Inbox(void* memory, size_t bytes, size_t slots, int descriptor) noexcept;
  static size_t RingBytes(size_t slots) noexcept;
  static size_t Bytes(size_t slots) noexcept;
  Head& head() const noexcept;

  std::byte* const memory_;
  const size_t bytes_;
  const size_t slots_;
  const size_t ring_bytes_;
  int descriptor_;  // -1: closed, or another process's inbox
};

}  // namespace portacl::hccl
