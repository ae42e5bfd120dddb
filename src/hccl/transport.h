// SPDX-License-Identifier: Apache-2.0
// The interface of transports, which carry messages between the ranks of a communicator. A new transport is a class
// like those of in_process.h, memory_link.h and gloo_transport.h.
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

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // none: no limit

/// Whether a struct has no padding: padding would send old contents of this process's memory to another process.
template <class T>
inline constexpr bool kTravelsWhole = std::has_unique_object_representations_v<T>;

/// How long a wait polls before it sleeps; not 0 only where each rank of the host can have a core.
inline std::chrono::microseconds SpinFor(size_t ranks_of_the_host) {
  return std::chrono::microseconds(ranks_of_the_host <= std::thread::hardware_concurrency() ? 50 : 0);
}

enum class Outcome : uint8_t {
  kDone,
  kTimedOut,
  kLost,  // the other rank has left, or the communicator has failed
};

/// One pending message. Its bytes belong to the transport until Wait() has returned kDone or until the object is
/// destroyed, which takes the message back.
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

  /// Begins a message to or from a rank. Both sides pass the same tag and number of bytes, and use a tag once in each
  /// direction.
  virtual std::unique_ptr<Transfer> Send(uint32_t to, uint64_t tag, const void* data, size_t bytes) = 0;
  virtual std::unique_ptr<Transfer> Receive(uint32_t from, uint64_t tag, void* data, size_t bytes) = 0;

  /// Ends all messages of this rank, now and later, with kLost, and the waits of others for its messages. It does not
  /// affect messages that others have already received from it, nor messages between other ranks. Destroying the object
  /// does the same.
  virtual void Leave() noexcept = 0;

  /// Ends all messages of all ranks, now and later, with kLost. Every rank is told the first reason.
  virtual void Abort(const std::string& reason) = 0;
  virtual std::string Reason() = 0;
};

}  // namespace portacl::hccl
