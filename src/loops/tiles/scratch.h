// SPDX-License-Identifier: Apache-2.0
//
// Memory that the library provides for one run: per thread while it runs chunks, or for the whole task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"
#include "runtime/contexts/submit.h"

namespace portacl::loops {

/// More bytes of scratch than this come from the pool.
inline constexpr int64_t kStackBytes = 40 << 10;

/// Memory of the pool, aligned to a cache line; none for 0 bytes. Throws std::bad_alloc.
class PoolMemory {
 public:
  explicit PoolMemory(int64_t bytes)
      : memory_(bytes == 0 ? nullptr : contexts::AllocateScratch(static_cast<size_t>(bytes))) {
    if (bytes != 0 && memory_ == nullptr) throw std::bad_alloc();
  }
  PoolMemory(const PoolMemory&) = delete;
  PoolMemory& operator=(const PoolMemory&) = delete;
  ~PoolMemory() { contexts::FreeScratch(memory_); }

  template <class T = std::byte>
  T* As() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_;
};

/// Calls f(scratch) with memory aligned to a cache line. Throws std::bad_alloc, and whatever `f` throws.
template <class F>
void WithScratch(int64_t bytes, const F& f) {
  if (bytes <= kStackBytes) {
    // No larger than needed: the thread is the client's, and its stack may be small.
    f(static_cast<std::byte*>(__builtin_alloca_with_align(static_cast<size_t>(bytes), 8 * kLineBytes)));
    return;
  }
  const PoolMemory memory(bytes);
  f(memory.As());
}

/// An array within scratch.
template <class T>
struct ScratchPart {
  int64_t at = 0;  // in bytes
  T* In(std::byte* scratch) const { return reinterpret_cast<T*>(scratch + at); }
};

/// Lays out scratch: parts in sequence, each aligned to a cache line.
class ScratchLayout {
 public:
  template <class T>
  ScratchPart<T> Add(int64_t count) {
    const ScratchPart<T> part{bytes_};
    bytes_ += CeilDivide(count * static_cast<int64_t>(sizeof(T)), kLineBytes) * kLineBytes;
    return part;
  }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

}  // namespace portacl::loops
