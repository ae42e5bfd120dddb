// SPDX-License-Identifier: Apache-2.0
// A region is a piece of device or pinned memory, whole 64 KiB pages: either one large block, or a slab of equal slots.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace portacl::memory {

class Pool;

// Sizes the client asked for and the chain of free slots, apart from the memory itself. Size 0 marks a free slot.
struct SlotBook {
  static constexpr uint32_t kMostSlots = 1024;
  static constexpr uint16_t kNoSlot = 0xFFFF;

  std::array<std::atomic<uint32_t>, kMostSlots> asked{};
  std::array<uint16_t, kMostSlots> next_free{};
};

// Regions are reused but never deleted, so that a lookup needs no lock. All that a lookup reads is atomic: a look at a
// dying block may give either answer, never a crash.
class Region {
 public:
  // Largest slab: 1 MiB, so offsets in units of 64 bytes stay below 2^14.
  static constexpr size_t kMostSlabBytes = size_t{1} << 20;

  std::atomic<uintptr_t> begin{0};
  std::atomic<size_t> bytes{0};
  std::atomic<Pool*> pool{nullptr};
  std::atomic<uint32_t> slot_bytes{0};  // 0: one block
  std::atomic<uint64_t> slot_magic{0};  // ceil(2^32 / (slot_bytes / 64)): divides without a division
  std::atomic<size_t> asked{0};         // of the one block, with kUnpadded; 0: free
  std::atomic<SlotBook*> book{nullptr};

  // In place of a slot size: a run of mappings, which is one block and belongs to no slab and no cache.
  static constexpr uint32_t kMappedRun = UINT32_MAX;

  // Set in `asked` where the block has no 32 bytes of padding behind it.
  static constexpr size_t kUnpadded = size_t{1} << 63;
  static constexpr uint32_t kSlotUnpadded = 1u << 31;
  // Set where it has what PORTACL_BLOCK_SLACK asks for, too.
  static constexpr size_t kSlack = size_t{1} << 62;
  static constexpr uint32_t kSlotSlack = 1u << 30;

  static constexpr uint16_t kNoSlot = SlotBook::kNoSlot;

  // Dead blocks whose memory may not be used yet: one entry a list (deferred_blocks.h), guarded by its lock.
  struct Deferred {
    Region* next = nullptr;
    uint16_t slot = kNoSlot;  // the first one, of slabs
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
