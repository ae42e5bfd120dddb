// SPDX-License-Identifier: Apache-2.0
// A region is a piece of device or page-locked memory that consists of 64 KiB pages: either one large block, or a slab
// of equal slots.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace portacl::memory {

class Pool;

// The sizes that the client requested and the chain of free slots, stored outside the memory itself. Size 0 marks a
// free slot.
struct SlotBook {
  static constexpr uint32_t kMostSlots = 1024;
  static constexpr uint16_t kNoSlot = 0xFFFF;

  std::array<std::atomic<uint32_t>, kMostSlots> asked{};
  std::array<uint16_t, kMostSlots> next_free{};
};

// Regions are reused but never deleted, so that a lookup needs no lock. All members that a lookup reads are atomic: a
// lookup of a block that is being freed may find it or not, but never crashes.
class Region {
 public:
  // The largest slab: 1 MiB, so that offsets in units of 64 bytes stay below 2^14.
  static constexpr size_t kMostSlabBytes = size_t{1} << 20;

  std::atomic<uintptr_t> begin{0};
  std::atomic<size_t> bytes{0};
  std::atomic<Pool*> pool{nullptr};
  std::atomic<uint32_t> slot_bytes{0};  // 0: one block
  std::atomic<uint64_t> slot_magic{0};  // ceil(2^32 / (slot_bytes / 64)): replaces a division by a multiplication
  std::atomic<size_t> asked{0};         // the size of the one block, with kUnpadded; 0: free
  std::atomic<SlotBook*> book{nullptr};

  // A special value of the slot size: a run of mappings, which is one block and belongs to no slab and no cache.
  static constexpr uint32_t kMappedRun = UINT32_MAX;

  // Flag in `asked`: the block has no 32 bytes of padding after it.
  static constexpr size_t kUnpadded = size_t{1} << 63;
  static constexpr uint32_t kSlotUnpadded = 1u << 31;
  // Flag in `asked`: the block also has the slack that PORTACL_BLOCK_SLACK sets.
  static constexpr size_t kSlack = size_t{1} << 62;
  static constexpr uint32_t kSlotSlack = 1u << 30;

  static constexpr uint16_t kNoSlot = SlotBook::kNoSlot;

  // Dead blocks whose memory may not be reused yet: one entry for each list (deferred_blocks.h), guarded by its lock.
  struct Deferred {
    Region* next = nullptr;
    uint16_t slot = kNoSlot;  // the first slot, for slabs
  };
  std::array<Deferred, 2> deferred{};

  // Guarded by the lock of the slab class or of the region cache.
  Region* next = nullptr;
  Region* previous = nullptr;
  uint32_t slots = 0;
  uint32_t used_slots = 0;
  uint16_t first_free = SlotBook::kNoSlot;

  uint32_t SlotAt(uintptr_t offset) const noexcept {
    return static_cast<uint32_t>((offset >> 6) * slot_magic.load(std::memory_order_relaxed) >> 32);
  }
};

}  // namespace portacl::memory
