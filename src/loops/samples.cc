// SPDX-License-Identifier: Apache-2.0
#include "loops/samples.h"

#include <algorithm>
#include <atomic>

#include "runtime/parallel.h"
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

void ForEachPiece(int64_t pieces, void (*body)(void* argument, int64_t piece), void* argument) noexcept {
  ParallelFor(pieces, body, argument);
}

}  // namespace v1
}  // namespace portacl::loops
