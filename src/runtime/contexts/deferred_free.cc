// SPDX-License-Identifier: Apache-2.0
// Two lists are enough: one for blocks that wait until all streams have passed their marks, and one for blocks that
// were freed after the marks were set, which wait for the next marks.
#include "runtime/contexts/deferred_free.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/no_cancel.h"
#include "base/process_mutex.h"
#include "runtime/contexts/context.h"
#include "runtime/memory/deferred_blocks.h"

namespace portacl::contexts {
namespace {

constinit ProcessMutex g_mutex;  // guards the lists and the marks of streams
constinit memory::DeferredBlocks g_lists[2] = {memory::DeferredBlocks(0), memory::DeferredBlocks(1)};
constinit size_t g_marked = 0;             // the index of the list that waits for the marks
constinit std::atomic<bool> g_any{false};  // true while either list is not empty

// All streams of all devices, also those that are being destroyed: a stream may use memory of another device.
template <class Predicate>
bool AllStreams(Predicate&& predicate) noexcept {
  bool all = true;
  g_streams.ForEachUsed([&](streams::Stream& stream) { all = all && predicate(stream); });
  return all;
}

bool AllIdle() noexcept {
  return AllStreams([](const streams::Stream& stream) { return stream.Idle(); });
}

// The caller holds the lock.
void Reuse() noexcept {
  for (int round = 0; round < 2; ++round) {
    memory::DeferredBlocks& marked = g_lists[g_marked];
    if (!marked.empty()) {
      if (!AllStreams([](const streams::Stream& stream) { return stream.PastMark(); })) break;
      marked.ReuseAll();
    }
    g_marked = 1 - g_marked;
    if (g_lists[g_marked].empty()) break;
    g_streams.ForEachUsed([](streams::Stream& stream) { stream.SetMark(); });
  }
  g_any.store(!g_lists[0].empty() || !g_lists[1].empty(), std::memory_order_relaxed);
}

// Waits briefly for a running stream that has not passed its mark. Returns false when there is none. *progress grows
// with each task that finishes.
bool WaitForProgress(uint64_t* progress) noexcept {
  constexpr std::chrono::milliseconds kPatience{10};
  bool moves = false;
  *progress = 0;
  g_streams.ForEach([&](streams::Stream& stream, HandleBits) {
    uint64_t index = 0;
    if (!moves && !stream.PastMark() && !stream.Parked(&index)) {
      moves = true;
      stream.WaitForAll(std::chrono::steady_clock::now() + kPatience);
    }
    *progress += stream.RunningIndex();
  });
  return moves;
}

}  // namespace

bool FreeDeviceBlock(void* begin) noexcept {
  memory::DeadBlock block{};
  if (!memory::EndBlock(begin, memory::Pool::Side::kDevice, &block)) return false;
  if (AllIdle()) {
    memory::ReuseBlock(block);
    ReclaimDeferred();
    return true;
  }
  const std::scoped_lock lock(g_mutex);
  g_lists[1 - g_marked].Add(block);
  Reuse();
  return true;
}

void ReclaimDeferred() noexcept {
  if (!g_any.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(g_mutex);
  Reuse();
}

void* AllocateDeviceBlock(int device, size_t bytes, memory::Padding padding, memory::Pages pages) noexcept {
  memory::Pool& pool = memory::DevicePool(device);
  const NoCancel no_cancel;
  constexpr int kMostStill =
      500;  // waits in a row without a finished task: a function that a stream calls may wait for this thread
  uint64_t seen = 0;
  for (int still = 0;; ++still) {
    ReclaimDeferred();
    void* block = pool.Allocate(bytes, padding, pages);
    if (block != nullptr || !g_any.load(std::memory_order_relaxed)) return block;
    // A function that a stream calls would wait for its own stream.
    uint64_t progress = 0;
    if (streams::t_thread.client_call != nullptr || still == kMostStill || !WaitForProgress(&progress)) return nullptr;
    if (std::exchange(seen, progress) != progress) still = 0;
  }
}

}  // namespace portacl::contexts
