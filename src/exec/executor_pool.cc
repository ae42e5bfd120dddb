// SPDX-License-Identifier: Apache-2.0
#include "exec/executor_pool.h"

#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <thread>

#include "base/linked_queue.h"
#include "base/process_mutex.h"
#include "base/thread_end.h"
#include "base/visibility.h"

namespace portacl::exec {
namespace {

// Handle, from the top: tag, generation, index, one bit that is 0. No address of a user process has this top byte on
// the supported machines, so that no pointer is mistaken for a handle. A HandleTable would not do: an executor has a
// new handle for each call, without a lock, and 28 bits of generation would wrap around in seconds.
constexpr uint64_t kTag = 0xA5;
constexpr int kTagShift = 56;
constexpr int kIndexBits = 22;
constexpr int kGenerationShift = 1 + kIndexBits;
constexpr uint64_t kGenerationMask = (uint64_t{1} << (kTagShift - kGenerationShift)) - 1;
constexpr uint32_t kIndexMask = (1U << kIndexBits) - 1;
// Executor::state: 0 (no handle), the handle (live), or the handle with this bit (claimed).
constexpr uint64_t kClaimed = 1;

uint64_t BitsOf(const aclOpExecutor* handle) { return reinterpret_cast<uintptr_t>(handle); }

// Chunk k holds the addresses of 64 << k executors. Chunks are never freed: a lookup needs no lock.
constexpr uint32_t kFirstChunk = 64;
constexpr size_t kChunks = 16;
using Slot = std::atomic<Executor*>;
constinit std::array<std::atomic<Slot*>, kChunks> chunks{};

struct Surplus {
  ProcessMutex mutex;
  LinkedQueue<Executor> free;
  Executor* abandoned = nullptr;  // executors in the cache of a thread that ended while they were in use
  uint32_t executors = 0;         // number of executors that exist
};
constinit Surplus surplus;

constexpr size_t kBatch = 32;
constexpr size_t kMostLocal = 2 * kBatch;

struct LocalList {
  LinkedQueue<Executor> free;  // the most recently used first: its memory is in the cache
  ThreadKeeping keeping;
};
PORTACL_HOT_THREAD_LOCAL constinit thread_local LocalList local;

size_t ChunkOf(uint32_t index, uint32_t* within) {
  const uint32_t shifted = index + kFirstChunk;
  const auto chunk = static_cast<size_t>(std::bit_width(shifted)) - static_cast<size_t>(std::bit_width(kFirstChunk));
  *within = shifted - (kFirstChunk << chunk);
  return chunk;
}

Executor* Lookup(uint64_t handle) {
  if (handle >> kTagShift != kTag) return nullptr;
  uint32_t within = 0;
  const size_t chunk = ChunkOf(static_cast<uint32_t>(handle >> 1) & kIndexMask, &within);
  if (chunk >= kChunks) return nullptr;
  Slot* slots = chunks[chunk].load(std::memory_order_acquire);
  return slots == nullptr ? nullptr : slots[within].load(std::memory_order_acquire);
}

void SpillLocal(size_t keep) noexcept {
  if (local.free.count() <= keep) return;
  const std::lock_guard lock(surplus.mutex);
  while (local.free.count() > keep) surplus.free.PushFront(local.free.PopFront());
}

const ThreadEnd list_end([](void*) {
  local.keeping.End();
  SpillLocal(0);
});

Executor* MakeExecutor() {
  const std::lock_guard lock(surplus.mutex);
  uint32_t within = 0;
  const size_t chunk = ChunkOf(surplus.executors, &within);
  if (chunk >= kChunks) throw std::bad_alloc();
  Slot* slots = chunks[chunk].load(std::memory_order_relaxed);
  if (slots == nullptr) {
    slots = new Slot[size_t{kFirstChunk} << chunk]();
    chunks[chunk].store(slots, std::memory_order_release);
  }
  auto* executor = new Executor(surplus.executors);
  slots[within].store(executor, std::memory_order_release);
  ++surplus.executors;
  return executor;
}

// Returns abandoned executors that are idle by now to the pool. The caller holds the lock.
void CollectAbandoned() {
  for (Executor** place = &surplus.abandoned; *place != nullptr;) {
    Executor* executor = *place;
    if (executor->owner.load(std::memory_order_acquire) != Executor::Owner::kCacheIdle) {
      place = &executor->next_abandoned;
      continue;
    }
    *place = executor->next_abandoned;
    executor->owner.store(Executor::Owner::kPool, std::memory_order_relaxed);
    surplus.free.PushFront(executor);
  }
}

void Refill() {
  const std::lock_guard lock(surplus.mutex);
  CollectAbandoned();
  while (!surplus.free.empty() && local.free.count() < kBatch) local.free.PushFront(surplus.free.PopFront());
}

}  // namespace

Executor* TakeExecutor() {
  if (Executor* executor = local.free.PopFront(); executor != nullptr) [[likely]]
    return executor;
  Refill();
  Executor* executor = local.free.PopFront();
  if (executor == nullptr) return MakeExecutor();
  if (!local.keeping.MayKeep(list_end, &local)) SpillLocal(0);
  return executor;
}

void GiveBackExecutor(Executor* executor) noexcept {
  local.free.PushFront(executor);
  if (!local.keeping.MayKeep(list_end, &local)) [[unlikely]] {
    SpillLocal(0);
  } else if (local.free.count() > kMostLocal) [[unlikely]] {
    SpillLocal(kBatch);
  }
}

void Disown(Executor* executor) noexcept {
  const std::lock_guard lock(surplus.mutex);
  executor->next_abandoned = surplus.abandoned;
  surplus.abandoned = executor;
}

aclOpExecutor* Publish(Executor* executor) noexcept {
  executor->generation = (executor->generation + 1) & kGenerationMask;
  const uint64_t handle = kTag << kTagShift | executor->generation << kGenerationShift | uint64_t{executor->index} << 1;
  executor->state.store(handle, std::memory_order_release);
  return reinterpret_cast<aclOpExecutor*>(static_cast<uintptr_t>(handle));
}

Executor* Claim(aclOpExecutor* handle, const Schema* schema) noexcept {
  const uint64_t live = BitsOf(handle);
  Executor* executor = Lookup(live);
  if (executor == nullptr || (live & kClaimed) != 0) return nullptr;
  for (;;) {
    uint64_t state = executor->state.load(std::memory_order_acquire);
    if (state == (live | kClaimed)) {
      std::this_thread::yield();
      continue;
    }
    if (state != live) return nullptr;
    // Generations only grow: when the exchange succeeds, the schema read here belongs to this handle.
    if (schema != nullptr && executor->PeekSchema() != schema) return nullptr;
    if (executor->state.compare_exchange_weak(state, live | kClaimed, std::memory_order_acquire,
                                              std::memory_order_relaxed))
      return executor;
  }
}

void Release(Executor* executor) noexcept {
  executor->state.store(executor->state.load(std::memory_order_relaxed) & ~kClaimed, std::memory_order_release);
}

void Retire(Executor* executor) noexcept { executor->state.store(0, std::memory_order_release); }

const Schema* SchemaOfHandle(aclOpExecutor* handle) noexcept {
  const uint64_t live = BitsOf(handle);
  const Executor* executor = Lookup(live);
  if (executor == nullptr || executor->state.load(std::memory_order_acquire) != live) return nullptr;
  return executor->PeekSchema();
}

size_t ExecutorCount() noexcept {
  const std::lock_guard lock(surplus.mutex);
  return surplus.executors;
}

void Executor::Finish() noexcept {
  if (awaited_) return;
  DropRun();
  if (owner.load(std::memory_order_relaxed) == Owner::kPool) {
    GiveBackExecutor(this);
  } else {
    owner.store(Owner::kCacheIdle, std::memory_order_release);
  }
}

}  // namespace portacl::exec
