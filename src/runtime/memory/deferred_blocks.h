// SPDX-License-Identifier: Apache-2.0
// Dead blocks whose memory may not be reused yet. They are linked through the descriptors of the regions, so adding one
// allocates nothing and does not touch the block's memory.
#pragma once

#include <cstddef>

#include "runtime/memory/pool.h"

namespace portacl::memory {

// One of the two lists that a region may be in. The caller holds a lock that guards both.
class DeferredBlocks {
 public:
  constexpr explicit DeferredBlocks(size_t number) : number_(number) {}

  bool empty() const noexcept { return first_ == nullptr; }
  void Add(const DeadBlock& block) noexcept;
  // Returns all blocks to their pools.
  void ReuseAll() noexcept;

 private:
  const size_t number_;
  Region* first_ = nullptr;
};

}  // namespace portacl::memory
