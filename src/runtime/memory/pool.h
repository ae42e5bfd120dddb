// SPDX-License-Identifier: Apache-2.0
// The memory pool of one device, or of pinned host memory: small blocks in slabs, large ones in regions of their own,
// all warm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/process_mutex.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/region_cache.h"

namespace portacl::memory {

// Bytes that may be read and written after the requested ones, rounded up to 32.
enum class Padding : uint8_t { kNone, k32Bytes, k32BytesAndSlack };  // the slack: PORTACL_BLOCK_SLACK

// Where a block lies: small ones share pages, unless somebody closes those of one block alone.
enum class Pages : bool { kShared, kOwn };

// A block that is dead, but whose memory has not gone back to its pool.
struct DeadBlock {
  Region* region;
  uint16_t slot;  // of a slab; Region::kNoSlot: the region was one block
};

class Pool {
 public:
  enum class Side : bool { kHost, kDevice };

  Pool(Side side, devices::Device& device) : side_(side), regions_(this) { regions_.UseDevice(device); }
  explicit Pool(int device) : Pool(Side::kDevice, devices::GetDevice(device)) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // A block for `bytes` > 0, a multiple of 64; of 512 where it is a region of its own. Null when memory is exhausted.
  void* Allocate(size_t bytes, Padding padding, Pages pages = Pages::kShared) noexcept;

  Side side() const noexcept { return side_; }
  size_t UsedBytes() noexcept { return regions_.UsedBytes(); }  // in slabs, large blocks and charges
  size_t PeakBytes() noexcept { return regions_.PeakBytes(); }
  // Counts memory that the device gave out beside the pool. False: not enough is left.
  bool Charge(size_t bytes) noexcept { return regions_.Charge(bytes); }
  void Refund(size_t bytes) noexcept { regions_.Refund(bytes); }
  void UseDevice(devices::Device& device) noexcept { regions_.UseDevice(device); }
  // Gives memory that holds no block back to the device; for tests.
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

// Frees the live block of that side which begins exactly at `begin`; false when there is none.
bool FreeBlock(void* begin, Pool::Side side) noexcept;

// The two halves of FreeBlock(): no call finds the block any more; its memory may be given out again.
bool EndBlock(void* begin, Pool::Side side, DeadBlock* block) noexcept;
void ReuseBlock(const DeadBlock& block) noexcept;

// Tells FreedBlocks(), and threads that read memory without FindBlock(), that a block is dead; its memory may be used
// again afterwards. EndBlock() has called it.
void CountFreedBlock() noexcept;

// Sets the function that CountFreedBlock() calls from then on, on the thread that frees.
void SetFreedBlocksListener(void (*listener)() noexcept) noexcept;

// Decides between a thread that says it will read and CountFreedBlock(): either that sees what the thread wrote before,
// or the thread's FindBlock() afterwards finds the block dead.
void OrderWithFreedBlocks() noexcept;

Pool& DevicePool(int device) noexcept;

// Tests only: puts another device in place of device `id`. No memory of the old one may be live.
void InstallDeviceForTest(int id, std::unique_ptr<devices::Device> device);

// The device whose memory a live block is.
int DeviceOfBlock(const void* address) noexcept;
Pool& HostPool() noexcept;

}  // namespace portacl::memory
