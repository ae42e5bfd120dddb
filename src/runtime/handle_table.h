// SPDX-License-Identifier: Apache-2.0
// Handles that can be checked: a handle names a slot and the slot's generation, so that a destroyed, foreign or wild
// handle is recognised instead of followed. Slots are never unmapped, hence a lookup takes no lock, and an object that
// another thread closes in the middle of a call stays readable memory.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>

#include "base/linked_queue.h"
#include "base/process_mutex.h"

namespace portacl {

using HandleBits = uint64_t;

inline HandleBits ToBits(const void* handle) noexcept { return reinterpret_cast<uintptr_t>(handle); }
inline void* ToHandle(HandleBits bits) noexcept { return reinterpret_cast<void*>(static_cast<uintptr_t>(bits)); }

// The number of bits of a slot's index: no two live objects of a table have the same index.
inline constexpr int kHandleIndexBits = 20;
inline uint32_t IndexOfHandle(HandleBits handle) noexcept { return handle & ((1u << kHandleIndexBits) - 1); }

// kTag, 0x0100 to 0x7FFF, is stored above the 48 bits of a user-space address: no pointer is ever mistaken for a
// handle. A table is constant-initialised and never destroyed: static destructors of clients may still call the
// library.
template <class T, uint16_t kTag, uint32_t kCapacity>
class HandleTable {
 public:
  static_assert(kTag >= 0x0100 && kTag <= 0x7FFF);
  static_assert(kCapacity % 64 == 0 && kCapacity <= (1u << 20));

  constexpr HandleTable() = default;

  // Returns the live object, or null. Lock-free; takes a few nanoseconds.
  T* Find(HandleBits handle) const noexcept {
    if (handle >> 48 != kTag) return nullptr;
    const uint32_t index = handle & kIndexMask;
    if (index >= kCapacity) return nullptr;
    const Chunk* chunk = chunks_[index / kChunkSlots].load(std::memory_order_acquire);
    if (chunk == nullptr) return nullptr;
    const Slot& slot = (*chunk)[index % kChunkSlots];
    return slot.handle.load(std::memory_order_acquire) == handle ? const_cast<T*>(&slot.object) : nullptr;
  }
  T* Find(const void* handle) const noexcept { return Find(ToBits(handle)); }

  // Takes a free slot, lets initialize(object, handle) prepare it, and publishes it. Returns 0 when the table is full
  // or no memory is left for it.
  template <class Initialize>
  HandleBits Open(Initialize&& initialize) noexcept {
    uint32_t index = 0;
    Slot* slot = TakeSlot(&index);
    if (slot == nullptr) return 0;
    slot->generation = (slot->generation + 1) & kGenerationMask;
    const HandleBits handle = HandleBits{kTag} << 48 | slot->generation << kIndexBits | index;
    initialize(slot->object, handle);
    live_[index / kChunkSlots].fetch_or(MarkOf(index), std::memory_order_relaxed);
    slot->handle.store(handle, std::memory_order_release);
    return handle;
  }

  // Makes the handle dead. If several threads close one handle, exactly one of them gets the object; it must clean the
  // object up and then call Recycle().
  T* Close(HandleBits handle) noexcept {
    T* object = Find(handle);
    if (object == nullptr) return nullptr;
    Slot* slot = SlotOf(object);
    if (!slot->handle.compare_exchange_strong(handle, 0, std::memory_order_acq_rel)) return nullptr;
    live_[slot->index / kChunkSlots].fetch_and(~MarkOf(slot->index), std::memory_order_relaxed);
    return object;
  }

  void Recycle(T* object) noexcept {
    Slot* slot = SlotOf(object);
    const std::scoped_lock lock(mutex_);
    free_.PushBack(slot);
  }

  // The number of objects that can still be opened; approximate while other threads open or close objects.
  uint32_t Room() const noexcept {
    uint32_t live = 0;
    ForEach([&live](T&, HandleBits) { ++live; });
    return kCapacity - live;
  }

  // Calls visit(object, handle) for every object that is live at that moment. Empty slots cost almost nothing.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    const uint32_t used = used_.load(std::memory_order_acquire);
    for (uint32_t place = 0; place * kChunkSlots < used; ++place) {
      uint64_t live = live_[place].load(std::memory_order_acquire);
      if (live == 0) continue;
      const Chunk* chunk = chunks_[place].load(std::memory_order_acquire);
      for (; live != 0; live &= live - 1) {
        const Slot& slot = (*chunk)[static_cast<uint32_t>(std::countr_zero(live))];
        const HandleBits handle = slot.handle.load(std::memory_order_acquire);
        if (handle != 0) visit(const_cast<T&>(slot.object), handle);
      }
    }
  }

  // Calls visit(object) for every object that was ever opened, whether it is live, dead or being closed.
  template <class Visit>
  void ForEachUsed(Visit&& visit) const {
    const uint32_t used = used_.load(std::memory_order_acquire);
    for (uint32_t index = forgotten_.load(std::memory_order_relaxed); index < used; ++index)
      visit(
          const_cast<T&>((*chunks_[index / kChunkSlots].load(std::memory_order_acquire))[index % kChunkSlots].object));
  }

  // In a forked child: makes every object dead, and never reuses a slot that was used before.
  void Forget() noexcept {
    const std::scoped_lock lock(mutex_);
    const uint32_t used = used_.load(std::memory_order_relaxed);
    for (uint32_t index = 0; index < used; ++index) {
      (*chunks_[index / kChunkSlots].load(std::memory_order_relaxed))[index % kChunkSlots].handle = 0;
    }
    free_ = {};
    forgotten_.store(used, std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t kIndexBits = kHandleIndexBits;
  static constexpr uint64_t kIndexMask = (1u << kIndexBits) - 1;
  static constexpr uint64_t kGenerationMask = (1u << 28) - 1;
  static constexpr uint32_t kChunkSlots = 64;
  // A freed slot is reused after this many others, so that the address of an object, too, is not reused soon.
  static constexpr uint32_t kQuarantine = 16;

  struct Slot {
    T object;
    std::atomic<HandleBits> handle{0};
    uint64_t generation = 0;
    uint32_t index = 0;
    Slot* next = nullptr;
  };
  using Chunk = std::array<Slot, kChunkSlots>;

  // The object is the first member of its slot.
  static Slot* SlotOf(T* object) noexcept { return reinterpret_cast<Slot*>(object); }

  Slot* TakeSlot(uint32_t* index) noexcept {
    const std::scoped_lock lock(mutex_);
    const uint32_t used = used_.load(std::memory_order_relaxed);
    if (free_.count() > kQuarantine || (used == kCapacity && !free_.empty())) {
      Slot* slot = free_.PopFront();
      *index = slot->index;
      return slot;
    }
    if (used == kCapacity) return nullptr;
    std::atomic<Chunk*>& place = chunks_[used / kChunkSlots];
    Chunk* chunk = place.load(std::memory_order_relaxed);
    if (chunk == nullptr) {
      chunk = new (std::nothrow) Chunk;
      if (chunk == nullptr) return nullptr;
      place.store(chunk, std::memory_order_release);
    }
    Slot* slot = &(*chunk)[used % kChunkSlots];
    slot->index = used;
    used_.store(used + 1, std::memory_order_release);
    *index = used;
    return slot;
  }

  static constexpr uint64_t MarkOf(uint32_t index) noexcept { return uint64_t{1} << index % kChunkSlots; }

  std::array<std::atomic<Chunk*>, kCapacity / kChunkSlots> chunks_{};
  // One bit for each slot: set if the slot holds a live object, or one that is being opened or was just closed.
  std::array<std::atomic<uint64_t>, kCapacity / kChunkSlots> live_{};
  std::atomic<uint32_t> used_{0};
  std::atomic<uint32_t> forgotten_{0};  // the number of slots that were used by the parent of a forked process
  ProcessMutex mutex_;                  // guards free_
  LinkedQueue<Slot> free_;
};

}  // namespace portacl
