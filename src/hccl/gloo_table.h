// SPDX-License-Identifier: Apache-2.0
// The interface of libportacl_gloo.so for libhccl.so: messages between hosts, over Gloo. It is a separate library,
// because PyTorch's libraries export the same symbols for another version of Gloo. No exception and no C++ object
// crosses the interface.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::hccl {

inline constexpr uint32_t kGlooTableVersion = 2;

enum class GlooEnd : uint32_t {
  kDone,
  kEnded,  // by end_wait()
  kLost,   // the connection is gone
};

struct GlooTable {
  uint32_t version;

  /// Creates a mesh for messages over connected sockets, one for each other rank, -1 for this one. Takes over the
  /// sockets, also when it fails. On failure returns NULL, with a sentence in `error`.
  void* (*connect)(uint32_t rank, uint32_t ranks, int* sockets, char* error, size_t error_bytes);
  /// Waits until all other ranks have read the messages sent to them, or until the limit has passed.
  void (*flush)(void* mesh, int64_t limit_ms);
  /// Ends all connections. Later calls of begin() fail.
  void (*close)(void* mesh);
  void (*release)(void* mesh);

  /// Begins a message. Returns NULL when the connection is gone.
  void* (*begin)(void* mesh, bool sends, uint32_t peer, uint64_t tag, void* data, size_t bytes);
  GlooEnd (*wait)(void* transfer);
  /// Ends the wait of another thread for this transfer, or the next one.
  void (*end_wait)(void* transfer);
  /// Releases the transfer, and cancels the message if it is still pending.
  void (*release_transfer)(void* transfer);
};

}  // namespace portacl::hccl

/// The only exported function.
extern "C" const portacl::hccl::GlooTable* PortaclGlooTable(void);
