// SPDX-License-Identifier: Apache-2.0
//
// The order of work on a batch.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "hwy/cache_control.h"

#include "loops/batches/samples.h"
#include "ops/loss/ctc_loss/ctc_loss_sample.h"

namespace portacl::ops::ctc_loss {
namespace {

struct Batch {
  const exec::RunContext& run;
  const CtcPlan& plan;
  const Direction& direction;
  // The row of a gradient is computed from that of the log-probabilities, which is then in the cache; in place it must
  // be read first.
  bool prepares_first;
};

// Computes steps `begin` to `end` with one recursion, `block` steps at a time; returns the first that it cannot
// compute. Without outputs it computes only the states.
int64_t RunSteps(const Batch& batch, const Recursion& recursion, int64_t block, Sample& sample, int64_t begin,
                 int64_t end, bool writes) {
  const bool prepares = writes && batch.direction.prepare != nullptr;
  const bool prepares_first = prepares && batch.prepares_first && !sample.takes_rows();
  const bool writes_steps = writes && recursion.write != nullptr;
  const auto write = [&](int64_t step) {
    if (prepares && !prepares_first && !sample.has_rows()) batch.direction.prepare(sample, step, step + 1);
    recursion.write(sample, step);
    if (sample.streams()) sample.Stream(step);
  };
  for (int64_t last; begin < end; begin = last) {
    // The decisions for a block must not depend on where a thread began.
    last = std::min((begin / block + 1) * block, end);
    if (prepares_first) batch.direction.prepare(sample, begin, last);
    recursion.read(sample, begin, last, !prepares_first, writes);
    for (int64_t step = begin; step < last;) {
      const int64_t made = recursion.advance(sample, step, last, writes);
      if (made == step) return step;
      for (; writes_steps && step < made; ++step) write(step);
      step = made;
    }
  }
  return end;
}

// Computes steps `begin` to `end`; scratch holds the step before.
void RunSteps(const Batch& batch, Sample& sample, int64_t begin, int64_t end, bool writes) {
  const Direction& direction = batch.direction;
  if (begin == 0) {
    sample.scaled().End();  // another thread may have left the states of a later block for the first one
    begin = RunSteps(batch, direction.pairs, 1, sample, 0, 1, writes);
    sample.BeginScaled();
  }
  if (sample.scaled().are_on()) {
    begin = RunSteps(batch, direction.scaled, batch.plan.sizes.scaled, sample, begin, end, writes);
    if (begin < end) sample.EndScaled(begin - 1);
  }
  RunSteps(batch, direction.pairs, batch.plan.block, sample, begin, end, writes);
  if (end == sample.steps()) direction.finish(sample);
  if (sample.streams()) hwy::FlushStream();
}

// A sample of which each thread has its own copy.
struct SharedSample {
  const Batch& batch;
  const SampleLengths& lengths;
  std::optional<Sample> samples[kMostSlotsOfSample] = {};  // by slot

  Sample& In(int slot) {
    std::optional<Sample>& sample = samples[slot];
    if (!sample) sample.emplace(batch.run, batch.plan, lengths, slot).Begin();
    return *sample;
  }
  int64_t Begin(int64_t block) const { return std::min(block * batch.plan.shared_steps, lengths.steps); }
  int64_t Count() const { return (lengths.steps + batch.plan.shared_steps - 1) / batch.plan.shared_steps; }

  void Advance(int64_t block, int place) {
    Sample& sample = In(0);
    if (place != loops::batches::kNotLeft && block > 0) sample.KeepStates(Begin(block) - 1, place);
    RunSteps(batch, sample, Begin(block), Begin(block + 1), place == loops::batches::kNotLeft);
  }
  void Complete(int64_t block, int place, int slot) {
    Sample& sample = In(slot);
    if (block > 0) sample.FetchStates(Begin(block) - 1, place);
    RunSteps(batch, sample, Begin(block), Begin(block + 1), true);
  }
};

constexpr loops::batches::BlockStages kStages = {
    [](void* of, int64_t block, int place) { static_cast<SharedSample*>(of)->Advance(block, place); },
    [](void* of, int64_t block, int place, int slot) { static_cast<SharedSample*>(of)->Complete(block, place, slot); },
};

void RunSample(void* argument, int64_t number, int slot) {
  const Batch& batch = *static_cast<const Batch*>(argument);
  const SampleLengths& lengths = LengthsOf(batch.plan)[static_cast<size_t>(number)];
  if (batch.plan.splits) {
    SharedSample shared{batch, lengths};
    if (batch.direction.begin(shared.In(0)))
      loops::batches::ForEachBlock(shared.Count(), batch.plan.slots, kStages, &shared);
    return;
  }
  Sample sample(batch.run, batch.plan, lengths, slot);
  sample.Begin();
  if (batch.direction.begin(sample)) RunSteps(batch, sample, 0, sample.steps(), true);
}

}  // namespace

void RunBatch(const exec::RunContext& run, const Direction& direction) {
  const auto& plan = run.Parameters<CtcPlan>();
  const bool is_in_place = run.Address(plan.out.operand) == run.Address(plan.log_probs.operand);
  Batch batch{run, plan, direction, !is_in_place};
  loops::batches::ForEachSample(plan.samples, plan.splits ? 1 : plan.slots, RunSample, &batch);
}

}  // namespace portacl::ops::ctc_loss
