// SPDX-License-Identifier: Apache-2.0
#include "loops/batches/samples.h"

#include <algorithm>
#include <atomic>

#include "runtime/parallel/parallel.h"
#include "runtime/parallel/threads.h"
#include "tensor/view.h"

namespace portacl::loops::batches {
namespace {

// A slot is one chunk of the split task: it takes samples until none are left, so that it has at most one at a time.
struct Batch {
  const int64_t samples;
  void (*const body)(void*, int64_t, int);
  void* const argument;
  std::atomic<int64_t> next{0};
};

void RunSlot(void* argument, int64_t slot) {
  Batch& batch = *static_cast<Batch*>(argument);
  for (int64_t i = batch.next.fetch_add(1, std::memory_order_relaxed); i < batch.samples;
       i = batch.next.fetch_add(1, std::memory_order_relaxed)) {
    batch.body(batch.argument, i, static_cast<int>(slot));
  }
}

// One thread, the leader, advances from block to block and leaves some blocks to be completed by other threads. It
// completes those that no thread has taken, so it waits for an interrupted thread only at the very end.
class Blocks {
 public:
  Blocks(int64_t blocks, int slots, const BlockStages& stages, void* argument)
      : last_to_leave_(slots == 1 ? -1 : blocks - 1 - kBlockPlaces),
        blocks_(blocks),
        stages_(stages),
        argument_(argument) {}

  void Lead() noexcept {
    int64_t left = 0;
    for (int64_t block = 0; block < blocks_; ++block) {
      const int64_t place = left % kBlockPlaces;
      const bool leaves = block <= last_to_leave_ && !busy_[place].load(std::memory_order_acquire);
      stages_.advance(argument_, block, leaves ? static_cast<int>(place) : kNotLeft);
      if (!leaves) continue;
      block_in_[place] = block;
      busy_[place].store(true, std::memory_order_relaxed);
      left_.store(++left, std::memory_order_release);
    }
    is_over_.store(true, std::memory_order_release);
    while (Complete(0)) {
    }
  }

  void Help(int slot) noexcept {
    while (Complete(slot) || !is_over_.load(std::memory_order_acquire)) parallel::Pause();
  }

 private:
  bool Complete(int slot) noexcept {
    int64_t number = taken_.load(std::memory_order_relaxed);
    if (number >= left_.load(std::memory_order_acquire)) return false;
    if (!taken_.compare_exchange_strong(number, number + 1, std::memory_order_relaxed)) return true;
    const int64_t place = number % kBlockPlaces;
    stages_.complete(argument_, block_in_[place], static_cast<int>(place), slot);
    busy_[place].store(false, std::memory_order_release);
    return true;
  }

  const int64_t last_to_leave_;  // the leader would only wait for later blocks
  const int64_t blocks_;
  const BlockStages& stages_;
  void* const argument_;
  int64_t block_in_[kBlockPlaces] = {};
  std::atomic<bool> busy_[kBlockPlaces] = {};
  std::atomic<int64_t> left_{0};
  std::atomic<int64_t> taken_{0};
  std::atomic<bool> is_over_{false};
};

}  // namespace

inline namespace v1 {

int SampleSlots(const exec::PlanBuilder& plan, int64_t samples, std::initializer_list<int> outputs) {
  const bool is_serial = std::any_of(outputs.begin(), outputs.end(),
                                     [&](int output) { return MayOverlapItself(plan.OperandView(output)); });
  return static_cast<int>(std::min<int64_t>(samples, is_serial ? 1 : parallel::Width()));
}

void ForEachSample(int64_t samples, int slots, void (*body)(void* argument, int64_t sample, int slot),
                   void* argument) noexcept {
  Batch batch{samples, body, argument};
  parallel::For(slots, RunSlot, &batch);
}

void ForEachBlock(int64_t blocks, int slots, const BlockStages& stages, void* argument) noexcept {
  Blocks all(blocks, slots, stages, argument);
  parallel::For(
      slots,
      [](void* of_all, int64_t chunk) {
        Blocks& of = *static_cast<Blocks*>(of_all);
        chunk == 0 ? of.Lead() : of.Help(static_cast<int>(chunk));
      },
      &all);
}

}  // namespace v1
}  // namespace portacl::loops::batches
