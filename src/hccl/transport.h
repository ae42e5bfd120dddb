// SPDX-License-Identifier: Apache-2.0
// Interface of transports, which carry messages between the ranks of a communicator. Another transport is a class
// beside those of in_process.h, memory_link.h and gloo_transport.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>

namespace portacl::hccl {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // none: for ever

/// Whether the bytes of a struct say nothing but what its members say: padding would carry to another process what this
/// one's memory held before.
template <class T>
inline constexpr bool kTravelsWhole = std::has_unique_object_representations_v<T>;

/// How long a wait looks for news before it sleeps: where each rank of the host can have a core.
inline std::chrono::microseconds SpinFor(size_t ranks_of_the_host) {
  return std::chrono::microseconds(ranks_of_the_host <= std::thread::hardware_concurrency() ? 50 : 0);
}

enum class Outcome : uint8_t {
  kDone,
  kTimedOut,
  kLost,  // the other rank has left, or the communicator has failed
};

/// One message under way. Its bytes are the transport's until Wait() has returned kDone or the object is destroyed,
/// which takes the message back.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  virtual ~Transfer() = default;

  virtual Outcome Wait(Deadline deadline) = 0;
};

/// The connections of one rank. Any thread may call it at any time.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// A message to or from a rank. Both sides give the same tag and number of bytes, and use a tag once in each direction.
  virtual std::unique_ptr<Transfer> Send(uint32_t to, uint64_t tag, const void* data, size_t bytes) = 0;
  virtual std::unique_ptr<Transfer> Receive(uint32_t from, uint64_t tag, void* data, size_t bytes) = 0;

  /// Ends all messages of this rank, now and later, with kLost, and what others wait for from it; not what they have of
  /// it, nor what they have to do with each other. So does destroying it.
  virtual void Leave() noexcept = 0;

  /// Ends all messages of all ranks, now and later, with kLost. The first reason is what every rank is told.
  virtual void Abort(const std::string& reason) = 0;
  virtual std::string Reason() = 0;
};

}  // namespace portacl::hccl
