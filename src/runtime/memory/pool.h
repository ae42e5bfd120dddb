// SPDX-License-Identifier: Apache-2.0
// The memory pool of one device, or of page-locked host memory: small blocks in slabs, large ones in regions of their
// own; freed memory is kept for reuse.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/process_mutex.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/region_cache.h"

namespace portacl::memory {

// Extra bytes that may be accessed after the requested ones, which are rounded up to 32.
enum class Padding : uint8_t { kNone, k32Bytes, k32BytesAndSlack };  // the slack: PORTACL_BLOCK_SLACK

// Whether small blocks share pages. They do not when a client of the pool protects the pages of single blocks.
enum class Pages : bool { kShared, kOwn };

// A block that is dead, but whose memory was not returned to its pool yet.
struct DeadBlock {
  Region* region;
  uint16_t slot;  // the slot in its slab; Region::kNoSlot: the region was one block
};

class Pool {
 public:
  enum class Side : bool { kHost, kDevice };

  Pool(Side side, devices::Device& device) : side_(side), regions_(this) { regions_.UseDevice(device); }
  explicit Pool(int device) : Pool(Side::kDevice, devices::GetDevice(device)) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Allocates a block for `bytes` > 0, aligned to 64 bytes; to 512 if it is a region of its own. Returns null when
  // memory is exhausted.
  void* Allocate(size_t bytes, Padding padding, Pages pages = Pages::kShared) noexcept;

  Side side() const noexcept { return side_; }
  size_t UsedBytes() noexcept { return regions_.UsedBytes(); }  // the bytes in slabs, large blocks and charges
  size_t PeakBytes() noexcept { return regions_.PeakBytes(); }
  // Counts memory that the device provides outside of the pool. Returns false when not enough is left.
  bool Charge(size_t bytes) noexcept { return regions_.Charge(bytes); }
  void Refund(size_t bytes) noexcept { regions_.Refund(bytes); }
  void UseDevice(devices::Device& device) noexcept { regions_.UseDevice(device); }
  // Returns memory without blocks to the device; for tests.
  void Trim() noexcept;

 private:
  friend void ReuseBlock(const DeadBlock& block) noexcept;

  static constexpr size_t kSmallClasses = 32;

  struct alignas(64) SlabClass {
    ProcessMutex mutex;
    Region* partial = nullptr;  // slabs with a free slot
  };

  void* AllocateSlot(size_t capacity, size_t bytes, Padding padding) noexcept;
  void* AllocateRegion(size_t capacity, size_t bytes, Padding padding) noexcept;
  Region* NewSlab(size_t slot_bytes) noexcept;
  void FreeSlot(Region* region, uint32_t slot) noexcept;
  void GiveSlab(Region* region) noexcept;

  const Side side_;
  RegionCache regions_;
  std::array<SlabClass, kSmallClasses> classes_{};
};

// Frees the live block of that side which begins exactly at `begin`. Returns false when there is none.
bool FreeBlock(void* begin, Pool::Side side) noexcept;

// The two halves of FreeBlock(): after the first, no lookup finds the block; after the second, its memory may be
// reused.
bool EndBlock(void* begin, Pool::Side side, DeadBlock* block) noexcept;
void ReuseBlock(const DeadBlock& block) noexcept;

// Tells FreedBlocks(), and threads that read memory without FindBlock(), that a block is dead; its memory may be reused
// afterwards. EndBlock() calls it.
void CountFreedBlock() noexcept;

// Sets the function that CountFreedBlock() calls from now on, on the thread that frees the block.
void SetFreedBlocksListener(void (*listener)() noexcept) noexcept;

// Orders a thread that announces a read against CountFreedBlock(): either CountFreedBlock() sees what the thread wrote
// before, or the thread's next FindBlock() finds the block dead.
void OrderWithFreedBlocks() noexcept;

Pool& DevicePool(int device) noexcept;

// For tests: replaces device `id`. No memory of the old device may be live.
void InstallDeviceForTest(int id, std::unique_ptr<devices::Device> device);

// The device that owns the memory of a live block.
int DeviceOfBlock(const void* address) noexcept;
Pool& HostPool() noexcept;

}  // namespace portacl::memory
