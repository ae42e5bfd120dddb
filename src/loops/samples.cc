// SPDX-License-Identifier: Apache-2.0
#include "loops/samples.h"

#include <algorithm>
#include <atomic>

#include "runtime/parallel.h"
#include "runtime/pause.h"
#include "tensor/view.h"

namespace portacl::loops {
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

// One thread goes from block to block; the others work ahead of it, and where they have not come yet it does their
// part.
class Blocks {
 public:
  Blocks(int64_t count, void (*ahead)(void*, int64_t), void (*step)(void*, int64_t), void* argument)
      : count_(count), ahead_(ahead), step_(step), argument_(argument) {}

  void Lead() noexcept {
    for (int64_t block = 0; block < count_; ++block) {
      while (next_.load(std::memory_order_relaxed) <= block) WorkAhead();
      while (DoneOf(block).load(std::memory_order_acquire) <= block) Pause();
      step_(argument_, block);
      leader_.store(block + 1, std::memory_order_release);
    }
  }

  void Help() noexcept {
    for (;;) {
      const int64_t block = next_.load(std::memory_order_relaxed);
      if (block >= count_) return;
      if (block < leader_.load(std::memory_order_acquire) + kMostAhead) {
        WorkAhead();
      } else {
        Pause();
      }
    }
  }

 private:
  // Results that lie farther ahead would leave the cache before the leader comes.
  static constexpr int64_t kMostAhead = 16;

  std::atomic<int64_t>& DoneOf(int64_t block) { return done_[block % (2 * kMostAhead)]; }

  void WorkAhead() noexcept {
    int64_t block = next_.load(std::memory_order_relaxed);
    if (block >= count_ || block >= leader_.load(std::memory_order_acquire) + kMostAhead) return;
    if (!next_.compare_exchange_strong(block, block + 1, std::memory_order_relaxed)) return;
    ahead_(argument_, block);
    DoneOf(block).store(block + 1, std::memory_order_release);
  }

  const int64_t count_;
  void (*const ahead_)(void*, int64_t);
  void (*const step_)(void*, int64_t);
  void* const argument_;
  std::atomic<int64_t> next_{0};                    // to be worked ahead
  std::atomic<int64_t> leader_{0};                  // of step_
  std::atomic<int64_t> done_[2 * kMostAhead] = {};  // one more than the block last worked ahead in that place
};

}  // namespace

inline namespace v1 {

int SampleSlots(const exec::PlanBuilder& plan, int64_t samples, std::initializer_list<int> outputs) {
  const bool is_serial = std::any_of(outputs.begin(), outputs.end(),
                                     [&](int output) { return MayOverlapItself(plan.OperandView(output)); });
  return static_cast<int>(std::min<int64_t>(samples, is_serial ? 1 : ParallelWidth()));
}

void ForEachSample(int64_t samples, int slots, void (*body)(void* argument, int64_t sample, int slot),
                   void* argument) noexcept {
  Batch batch{samples, body, argument};
  ParallelFor(slots, RunSlot, &batch);
}

void ForEachBlock(int64_t blocks, void (*ahead)(void* argument, int64_t block),
                  void (*step)(void* argument, int64_t block), void* argument) noexcept {
  Blocks all(blocks, ahead, step, argument);
  ParallelFor(
      ParallelWidth(),
      [](void* of_all, int64_t chunk) {
        Blocks& of = *static_cast<Blocks*>(of_all);
        chunk == 0 ? of.Lead() : of.Help();
      },
      &all);
}

}  // namespace v1
}  // namespace portacl::loops
