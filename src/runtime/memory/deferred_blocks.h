// SPDX-License-Identifier: Apache-2.0
// Dead blocks whose memory may not be used yet. Linked through what describes the regions: to put one in takes no
// memory, and does not touch the block's.
#pragma once

#include <cstddef>

#include "runtime/memory/pool.h"

namespace portacl::memory {

// One of the two lists that a region may be in. The caller holds a lock for both.
class DeferredBlocks {
 public:
  constexpr explicit DeferredBlocks(size_t number) : number_(number) {}

  bool empty() const noexcept { return first_ == nullptr; }
  void Add(const DeadBlock& block) noexcept;
  // Gives all of them back to their pools.
  void ReuseAll() noexcept;

 private:
  const size_t number_;
  Region* first_ = nullptr;
};

}  // namespace portacl::memory
