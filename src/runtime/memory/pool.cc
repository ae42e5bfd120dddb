// SPDX-License-Identifier: Apache-2.0
// Allocation, release and lookup of blocks.
#include "runtime/memory/pool.h"

#include <bit>
#include <cstdint>
#include <new>
#include <utility>

#include "base/environment.h"
#include "base/never_destroyed.h"
#include "runtime/devices/cpu_device.h"
#include "runtime/memory/page_table.h"
#include "runtime/memory/virtual_memory.h"

// With AddressSanitizer, the bytes outside of blocks are poisoned.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PORTACL_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define PORTACL_ASAN 1
#endif

#if defined(PORTACL_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace portacl::memory {
namespace {

#if defined(PORTACL_ASAN)
void Poison(void* begin, size_t bytes) noexcept { __asan_poison_memory_region(begin, bytes); }
void Unpoison(void* begin, size_t bytes) noexcept { __asan_unpoison_memory_region(begin, bytes); }
#else
void Poison(void*, size_t) noexcept {}
void Unpoison(void*, size_t) noexcept {}
#endif

constexpr size_t kSlotUnit = 64;
constexpr size_t kMostSlotBytes = 32 * 1024;
constexpr size_t kMostBlockBytes = size_t{1} << 47;

size_t RoundUp32(size_t bytes) noexcept { return (bytes + 31) & ~size_t{31}; }

constexpr int64_t kMostSlack = int64_t{1} << 30;

size_t Slack() noexcept {
  static const auto slack = static_cast<size_t>(VariableInteger(Variable::kBlockSlack, 0, kMostSlack, 0));
  return slack;
}

size_t Capacity(size_t bytes, Padding padding) noexcept {
  if (padding == Padding::kNone) return RoundUp32(bytes);
  return RoundUp32(bytes) + 32 + (padding == Padding::k32BytesAndSlack ? Slack() : 0);
}

// Convert the padding to a flag that is stored with the requested size, and back.
template <class T>
T MarkOf(Padding padding, T unpadded, T slack) noexcept {
  return padding == Padding::kNone ? unpadded : padding == Padding::k32BytesAndSlack ? slack : 0;
}

template <class T>
Padding PaddingOf(T marked, T unpadded, T slack) noexcept {
  if ((marked & unpadded) != 0) return Padding::kNone;
  return (marked & slack) != 0 ? Padding::k32BytesAndSlack : Padding::k32Bytes;
}

struct SlotClass {
  size_t index;
  size_t bytes;
};

// Size classes: multiples of 64 up to 512, then four classes in each doubling.
SlotClass ClassOf(size_t capacity) noexcept {
  if (capacity <= 8 * kSlotUnit) {
    const size_t units = (capacity + kSlotUnit - 1) / kSlotUnit;
    return {units - 1, units * kSlotUnit};
  }
  const int exponent =
      static_cast<int>(std::bit_width(capacity - 1)) - 1;  // 2^exponent < capacity <= 2^(exponent + 1), exponent >= 9
  const size_t step = size_t{1} << (exponent - 2);
  const size_t steps = (capacity + step - 1) / step;  // 5..8
  return {8 + static_cast<size_t>(exponent - 9) * 4 + steps - 5, steps * step};
}

// Large enough for a few dozen slots, small enough for SlotBook::kMostSlots.
size_t SlabBytes(size_t slot_bytes) noexcept {
  if (slot_bytes <= 1024) return PageTable::kPageBytes;
  return slot_bytes <= 8 * 1024 ? 4 * PageTable::kPageBytes : Region::kMostSlabBytes;
}

bool FillBlock(uintptr_t begin, size_t asked, Padding padding, uintptr_t address, Block* block) noexcept {
  *block = {begin, asked, Capacity(asked, padding)};
  return asked != 0 && address - begin < block->usable;
}

constinit std::atomic<uint64_t> g_freed_blocks{0};

using FreedListener = void (*)() noexcept;
constinit std::atomic<FreedListener> g_freed_listener{nullptr};

bool FindIn(const Region* region, uintptr_t address, Block* block) noexcept {
  const uintptr_t begin = region->begin.load(std::memory_order_relaxed);
  const uint32_t slot_bytes = region->slot_bytes.load(std::memory_order_acquire);
  if (slot_bytes == 0 || slot_bytes == Region::kMappedRun) {
    const size_t asked = region->asked.load(std::memory_order_acquire);
    constexpr size_t kMarks = Region::kUnpadded | Region::kSlack;
    const Padding padding = PaddingOf(asked, Region::kUnpadded, Region::kSlack);
    return FillBlock(begin, asked & ~kMarks, padding, address, block);
  }
  const uint32_t slot = region->SlotAt(address - begin);
  const SlotBook* book = region->book.load(std::memory_order_acquire);
  if (book == nullptr || slot >= SlotBook::kMostSlots) return false;
  const uint32_t asked = book->asked[slot].load(std::memory_order_acquire);
  constexpr uint32_t kMarks = Region::kSlotUnpadded | Region::kSlotSlack;
  const Padding padding = PaddingOf(asked, Region::kSlotUnpadded, Region::kSlotSlack);
  return FillBlock(begin + size_t{slot} * slot_bytes, asked & ~kMarks, padding, address, block);
}

bool FindOn(Pool::Side side, const void* pointer, Block* block) noexcept {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const Region* region = g_page_table.Find(address);
  if (region == nullptr) return false;
  const Pool* pool = region->pool.load(std::memory_order_relaxed);
  return pool != nullptr && pool->side() == side && FindIn(region, address, block);
}

}  // namespace

inline namespace v1 {

bool FindBlock(const void* address, Block* block) noexcept { return FindOn(Pool::Side::kDevice, address, block); }

uint64_t FreedBlocks() noexcept { return g_freed_blocks.load(std::memory_order_relaxed); }

Located Locate(const void* pointer, Block* block) noexcept {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const Region* region = g_page_table.Find(address);
  if (region == nullptr) return IsReserved(pointer) ? Located::kNoBlock : Located::kForeign;
  return FindIn(region, address, block) ? Located::kBlock : Located::kNoBlock;
}

}  // namespace v1

bool FindHostBlock(const void* address, Block* block) noexcept { return FindOn(Pool::Side::kHost, address, block); }

void* Pool::Allocate(size_t bytes, Padding padding, Pages pages) noexcept {
  if (bytes == 0 || bytes > kMostBlockBytes) return nullptr;
  const size_t capacity = Capacity(bytes, padding);
  const bool shared = capacity <= kMostSlotBytes && pages == Pages::kShared;
  void* block = shared ? AllocateSlot(capacity, bytes, padding) : AllocateRegion(capacity, bytes, padding);
  if (block != nullptr) Unpoison(block, capacity);
  return block;
}

void* Pool::AllocateSlot(size_t capacity, size_t bytes, Padding padding) noexcept {
  const SlotClass slot_class = ClassOf(capacity);
  SlabClass& slabs = classes_[slot_class.index];
  Region* region = nullptr;
  uint16_t slot = 0;
  {
    const std::scoped_lock lock(slabs.mutex);
    region = slabs.partial;
    if (region == nullptr) {
      region = NewSlab(slot_class.bytes);
      if (region == nullptr) return nullptr;
      slabs.partial = region;
    }
    slot = region->first_free;
    region->first_free = region->book.load(std::memory_order_relaxed)->next_free[slot];
    ++region->used_slots;
    if (region->first_free == SlotBook::kNoSlot) {
      slabs.partial = region->next;
      if (slabs.partial != nullptr) slabs.partial->previous = nullptr;
    }
  }
  const uint32_t mark = static_cast<uint32_t>(bytes) | MarkOf(padding, Region::kSlotUnpadded, Region::kSlotSlack);
  region->book.load(std::memory_order_relaxed)->asked[slot].store(mark, std::memory_order_release);
  return reinterpret_cast<void*>(region->begin.load(std::memory_order_relaxed) + size_t{slot} * slot_class.bytes);
}

Region* Pool::NewSlab(size_t slot_bytes) noexcept {
  Region* region = regions_.Take(SlabBytes(slot_bytes));
  if (region == nullptr) return nullptr;
  SlotBook* book = region->book.load(std::memory_order_relaxed);
  if (book == nullptr) {
    book = new (std::nothrow) SlotBook;
    if (book == nullptr) {
      regions_.Give(region);
      return nullptr;
    }
    region->book.store(book, std::memory_order_release);
  }
  const auto slots = static_cast<uint32_t>(region->bytes.load(std::memory_order_relaxed) / slot_bytes);
  for (uint32_t slot = 0; slot < slots; ++slot) {
    book->next_free[slot] = slot + 1 == slots ? SlotBook::kNoSlot : static_cast<uint16_t>(slot + 1);
  }
  const uint64_t units = slot_bytes / kSlotUnit;
  region->slot_magic.store(((uint64_t{1} << 32) + units - 1) / units, std::memory_order_relaxed);
  region->slot_bytes.store(static_cast<uint32_t>(slot_bytes), std::memory_order_release);
  region->slots = slots;
  region->used_slots = 0;
  region->first_free = 0;
  region->next = region->previous = nullptr;
  Poison(reinterpret_cast<void*>(region->begin.load(std::memory_order_relaxed)),
         region->bytes.load(std::memory_order_relaxed));
  return region;
}

void* Pool::AllocateRegion(size_t capacity, size_t bytes, Padding padding) noexcept {
  Region* region = regions_.Take(capacity);
  if (region == nullptr) return nullptr;
  region->slot_bytes.store(0, std::memory_order_relaxed);
  void* begin = reinterpret_cast<void*>(region->begin.load(std::memory_order_relaxed));
  Poison(begin, region->bytes.load(std::memory_order_relaxed));
  region->asked.store(bytes | MarkOf(padding, Region::kUnpadded, Region::kSlack), std::memory_order_release);
  return begin;
}

void Pool::FreeSlot(Region* region, uint32_t slot) noexcept {
  SlotBook* book = region->book.load(std::memory_order_relaxed);
  SlabClass& slabs = classes_[ClassOf(region->slot_bytes.load(std::memory_order_relaxed)).index];
  bool empty = false;
  {
    const std::scoped_lock lock(slabs.mutex);
    book->next_free[slot] = region->first_free;
    const bool was_full = region->first_free == SlotBook::kNoSlot;
    region->first_free = static_cast<uint16_t>(slot);
    --region->used_slots;
    if (was_full) {
      region->previous = nullptr;
      region->next = slabs.partial;
      if (slabs.partial != nullptr) slabs.partial->previous = region;
      slabs.partial = region;
    }
    // The last slab of a class is kept, so that allocating and freeing one block repeatedly needs no new region.
    empty = region->used_slots == 0 && (region->next != nullptr || region->previous != nullptr);
    if (empty) {
      (region->previous == nullptr ? slabs.partial : region->previous->next) = region->next;
      if (region->next != nullptr) region->next->previous = region->previous;
    }
  }
  if (empty) GiveSlab(region);
}

void Pool::GiveSlab(Region* region) noexcept {
  Unpoison(reinterpret_cast<void*>(region->begin.load(std::memory_order_relaxed)),
           region->bytes.load(std::memory_order_relaxed));
  regions_.Give(region);
}

void Pool::Trim() noexcept {
  for (SlabClass& slabs : classes_) {
    Region* empty = nullptr;
    {
      const std::scoped_lock lock(slabs.mutex);
      // An empty slab that was kept is the only one of its class with a free slot.
      if (slabs.partial != nullptr && slabs.partial->used_slots == 0 && slabs.partial->next == nullptr)
        empty = std::exchange(slabs.partial, nullptr);
    }
    if (empty != nullptr) GiveSlab(empty);
  }
  regions_.Trim();
}

bool EndBlock(void* pointer, Pool::Side side, DeadBlock* block) noexcept {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  Region* region = g_page_table.Find(address);
  if (region == nullptr) return false;
  const Pool* pool = region->pool.load(std::memory_order_relaxed);
  if (pool == nullptr || pool->side() != side) return false;
  const uint32_t slot_bytes = region->slot_bytes.load(std::memory_order_acquire);
  if (slot_bytes == Region::kMappedRun) return false;
  const uintptr_t offset = address - region->begin.load(std::memory_order_relaxed);
  // If two threads free one block, the exchange decides which of them frees it.
  if (slot_bytes == 0) {
    if (offset != 0 || region->asked.exchange(0, std::memory_order_acq_rel) == 0) return false;
    *block = {region, Region::kNoSlot};
  } else {
    const uint32_t slot = region->SlotAt(offset);
    SlotBook* book = region->book.load(std::memory_order_acquire);
    if (slot >= SlotBook::kMostSlots || offset != uintptr_t{slot} * slot_bytes) return false;
    if (book->asked[slot].exchange(0, std::memory_order_acq_rel) == 0) return false;
    *block = {region, static_cast<uint16_t>(slot)};
  }
  CountFreedBlock();
  return true;
}

void ReuseBlock(const DeadBlock& block) noexcept {
  Region* region = block.region;
  Pool* pool = region->pool.load(std::memory_order_relaxed);
  const uintptr_t begin = region->begin.load(std::memory_order_relaxed);
  if (block.slot == Region::kNoSlot) {
    Unpoison(reinterpret_cast<void*>(begin), region->bytes.load(std::memory_order_relaxed));
    pool->regions_.Give(region);
    return;
  }
  const size_t slot_bytes = region->slot_bytes.load(std::memory_order_relaxed);
  Poison(reinterpret_cast<void*>(begin + block.slot * slot_bytes), slot_bytes);
  pool->FreeSlot(region, block.slot);
}

bool FreeBlock(void* pointer, Pool::Side side) noexcept {
  DeadBlock block{};
  if (!EndBlock(pointer, side, &block)) return false;
  ReuseBlock(block);
  return true;
}

void CountFreedBlock() noexcept {
  g_freed_blocks.fetch_add(1, std::memory_order_acq_rel);
  const FreedListener listener = g_freed_listener.load(std::memory_order_relaxed);
  if (listener != nullptr) listener();
}

void SetFreedBlocksListener(FreedListener listener) noexcept {
  g_freed_listener.store(listener, std::memory_order_relaxed);
}

void OrderWithFreedBlocks() noexcept { g_freed_blocks.fetch_add(0, std::memory_order_acq_rel); }

Pool& DevicePool(int device) noexcept { return devices::OfDevice<Pool>(device); }

void InstallDeviceForTest(int id, std::unique_ptr<devices::Device> device) {
  DevicePool(id).UseDevice(*device);
  devices::ReplaceForTest(id, std::move(device));
}

int DeviceOfBlock(const void* address) noexcept {
  const Region* region = g_page_table.Find(reinterpret_cast<uintptr_t>(address));
  const Pool* pool = region == nullptr ? nullptr : region->pool.load(std::memory_order_relaxed);
  for (int id = 0; id < devices::DeviceCount(); ++id) {
    if (&DevicePool(id) == pool) return id;
  }
  return 0;
}

Pool& HostPool() noexcept {
  static NeverDestroyed<devices::CpuDevice> device;
  static NeverDestroyed<Pool> pool(Pool::Side::kHost, *device);
  return *pool;
}

}  // namespace portacl::memory
