// SPDX-License-Identifier: Apache-2.0
// Runs the samples of a ragged batch, which are independent and differ in cost. Each running sample has a slot, which
// names its part of the scratch memory; the room books one part per slot.
//
//   const int slots = SampleSlots(plan, samples, {out});                     phase 1
//   plan.Book<double>("states", slots * size);
//   ForEachSample(samples, slots, RunSample, &task);                         the run
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::batches {
inline namespace v1 {

// The number of samples that run at the same time: as many as there are threads, at most all samples. It is 1 when
// elements of an output operand share bytes, which two threads must not write at the same time.
PORTACL_EXPORT int SampleSlots(const exec::PlanBuilder& plan, int64_t samples, std::initializer_list<int> outputs);

// Calls body(argument, sample, slot) once for every sample in [0, samples). Samples are started in this order as
// threads become free, so the costly ones should come first. Samples that run at the same time have different slots in
// [0, slots). `body` must not throw.
PORTACL_EXPORT void ForEachSample(int64_t samples, int slots, void (*body)(void* argument, int64_t sample, int slot),
                                  void* argument) noexcept;

// A long sample is cut into blocks, each of which starts where the block before it ended. The leader, in slot 0, runs
// the recursion and saves the start states of some blocks, each in one of kBlockPlaces places, so that other threads
// can recompute and finish them with `complete`. The leader itself finishes blocks with kNotLeft as it advances.
// Neither function may throw.
inline constexpr int kBlockPlaces = 3;
inline constexpr int kNotLeft = -1;
struct BlockStages {
  void (*advance)(void* argument, int64_t block, int place);
  void (*complete)(void* argument, int64_t block, int place, int slot);
};
PORTACL_EXPORT void ForEachBlock(int64_t blocks, int slots, const BlockStages& stages, void* argument) noexcept;

}  // namespace v1
}  // namespace portacl::loops::batches
