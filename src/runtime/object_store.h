// SPDX-License-Identifier: Apache-2.0
// Storage for objects that clients hold plain pointers to and that are not created on hot paths.
//
// The storage is kept until the process ends, and a destroyed object is reused only after several others: a second
// destroy finds a dead object. So does any other invalid pointer, because pointers are compared and never dereferenced.
// The storage grows with the largest number of objects alive at once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include "base/linked_queue.h"
#include "base/process_mutex.h"

namespace portacl {

// Constant-initialised and never destroyed, as static destructors of clients may still use it.
template <class Object>
class ObjectStore {
 public:
  constexpr ObjectStore() = default;

  // Creates an object; returns null when out of memory.
  Object* Make(const Object& content) noexcept {
    Slot* slot = nullptr;
    {
      const std::scoped_lock lock(mutex_);
      if (free_.count() <= kQuarantine) AddSlab();
      slot = free_.PopFront();
      if (slot == nullptr) return nullptr;
    }
    slot->object = content;
    slot->alive.store(true, std::memory_order_release);
    return &slot->object;
  }

  // Returns false when there is no live object. If several threads destroy one object, exactly one gets true.
  bool Destroy(const void* pointer) noexcept {
    Slot* slot = Find(pointer);
    if (slot == nullptr || !slot->alive.exchange(false, std::memory_order_acq_rel)) return false;
    const std::scoped_lock lock(mutex_);
    free_.PushBack(slot);
    return true;
  }

  // Returns the live object, or null.
  Object* Live(const void* pointer) const noexcept {
    Slot* slot = Find(pointer);
    return slot != nullptr && slot->alive.load(std::memory_order_acquire) ? &slot->object : nullptr;
  }

  // Whether it was an object of the store and is destroyed.
  bool Dead(const void* pointer) const noexcept { return Find(pointer) != nullptr && Live(pointer) == nullptr; }

 private:
  static constexpr size_t kQuarantine = 16;
  static constexpr size_t kFirstSlab = 64;  // each slab is as large as all earlier ones: a search is short
  static constexpr size_t kSlabs = 32;

  struct Slot {
    Object object;
    std::atomic<bool> alive{false};
    Slot* next = nullptr;
  };

  static size_t SlotsOf(size_t slab) noexcept { return slab == 0 ? kFirstSlab : kFirstSlab << (slab - 1); }

  Slot* Find(const void* pointer) const noexcept {
    for (size_t slab = 0; slab < kSlabs; ++slab) {
      Slot* first = slabs_[slab].load(std::memory_order_acquire);
      if (first == nullptr) return nullptr;
      // For an address below the slab, the difference wraps to a huge value.
      const uintptr_t offset = reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(first);
      if (offset >= SlotsOf(slab) * sizeof(Slot)) continue;
      return offset % sizeof(Slot) == 0 ? first + offset / sizeof(Slot) : nullptr;
    }
    return nullptr;
  }

  // When out of memory, slots are taken from the quarantine. The caller holds mutex_.
  void AddSlab() noexcept {
    size_t slab = 0;
    while (slab < kSlabs && slabs_[slab].load(std::memory_order_relaxed) != nullptr) ++slab;
    if (slab == kSlabs) return;
    Slot* slots = new (std::nothrow) Slot[SlotsOf(slab)];
    if (slots == nullptr) return;
    for (size_t index = 0; index < SlotsOf(slab); ++index) free_.PushBack(&slots[index]);
    slabs_[slab].store(slots, std::memory_order_release);
  }

  std::array<std::atomic<Slot*>, kSlabs> slabs_{};
  ProcessMutex mutex_;  // guards free_
  LinkedQueue<Slot> free_;
};

}  // namespace portacl
