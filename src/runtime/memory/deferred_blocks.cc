// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/deferred_blocks.h"

#include <utility>

namespace portacl::memory {

// The chain of free slots does not use a slot's entry until the slot is free, so the entry can link the dead slots.
void DeferredBlocks::Add(const DeadBlock& block) noexcept {
  Region::Deferred& deferred = block.region->deferred[number_];
  const bool listed = deferred.slot != Region::kNoSlot;
  if (block.slot != Region::kNoSlot) {
    block.region->book.load(std::memory_order_relaxed)->next_free[block.slot] = deferred.slot;
    deferred.slot = block.slot;
  }
  if (listed) return;
  deferred.next = first_;
  first_ = block.region;
}

// A region is not read after its last block was returned: it may then be reused.
void DeferredBlocks::ReuseAll() noexcept {
  while (first_ != nullptr) {
    Region* region = first_;
    Region::Deferred& deferred = region->deferred[number_];
    first_ = std::exchange(deferred.next, nullptr);
    uint16_t slot = std::exchange(deferred.slot, Region::kNoSlot);
    if (slot == Region::kNoSlot) {
      ReuseBlock({region, Region::kNoSlot});
      continue;
    }
    const SlotBook* book = region->book.load(std::memory_order_relaxed);
    while (slot != Region::kNoSlot) {
      const uint16_t next = book->next_free[slot];
      ReuseBlock({region, slot});
      slot = next;
    }
  }
}

}  // namespace portacl::memory
