// SPDX-License-Identifier: Apache-2.0
// The interface of libportacl_gloo.so for libhccl.so: messages between hosts, over Gloo. A library of its own, because
// PyTorch's libraries export the same names for another version of Gloo. No exception and no object of C++ crosses.
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

  /// Messages over connected sockets, one for each other rank, -1 for this one. Takes them, also when it fails. NULL: with a
  /// sentence in `error`.
  void* (*connect)(uint32_t rank, uint32_t ranks, int* sockets, char* error, size_t error_bytes);
  /// Waits until all other ranks have read what was sent to them, or the limit has passed.
  void (*flush)(void* mesh, int64_t limit_ms);
  /// Ends all connections. Calls of begin() fail from now on.
  void (*close)(void* mesh);
  void (*release)(void* mesh);

  /// Begins a message. NULL: the connection is gone.
  void* (*begin)(void* mesh, bool sends, uint32_t peer, uint64_t tag, void* data, size_t bytes);
  GlooEnd (*wait)(void* transfer);
  /// Ends the wait that another thread is in, or the next one.
  void (*end_wait)(void* transfer);
  /// Takes the message back if it is still under way.
  void (*release_transfer)(void* transfer);
};

}  // namespace portacl::hccl

/// The only exported function.
extern "C" const portacl::hccl::GlooTable* PortaclGlooTable(void);
