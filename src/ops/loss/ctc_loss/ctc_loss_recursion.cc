// SPDX-License-Identifier: Apache-2.0
//
// The order of work on a batch.
#include "ops/loss/ctc_loss/ctc_loss_sample.h"

#include <algorithm>
#include <optional>

#include "loops/samples.h"

namespace portacl::ops::ctc_loss {
namespace {

struct Batch {
  const exec::RunContext& run;
  const CtcPlan& plan;
  const Direction& direction;
};

// How the steps of a sample that write outputs go about it.
struct Order {
  bool prepares;  // The row of a gradient is made from that of log-probabilities,
  bool is_first;  //   where the emissions are then found in the cache; in place they must come first.

  Order(const Batch& batch, bool writes) : prepares(writes && batch.direction.prepare != nullptr) {
    const CtcPlan& plan = batch.plan;
    is_first = prepares && batch.run.Address(plan.out.operand) != batch.run.Address(plan.log_probs.operand);
  }
};

void RunGeneralSteps(const Batch& batch, const Sample& sample, int64_t begin, int64_t end, bool writes) {
  const Direction& direction = batch.direction;
  const Order order(batch, writes);
  for (; begin < end; begin += batch.plan.block) {
    const int64_t last = std::min(begin + batch.plan.block, end);
    if (order.is_first) direction.prepare(sample, begin, last);
    sample.ReadEmissions(begin, last, !order.is_first, writes);
    if (order.prepares && !order.is_first) direction.prepare(sample, begin, last);
    for (int64_t step = begin; step < last; ++step) direction.advance(sample, step);
    if (writes) direction.write(sample, begin, last);
  }
}

// The outputs of the plain step that was just made.
void WritePlainStep(const Batch& batch, const Order& order, Sample& sample, int64_t step) {
  const Direction& direction = batch.direction;
  const bool is_plain = direction.compute_plain(sample, step);
  if (!is_plain) {
    sample.CopyPlainStates(sample.plain().step().to, step, 0);
    sample.ReadEmissions(step, step + 1, false, false);
  }
  if (order.prepares && !order.is_first) direction.prepare(sample, step, step + 1);
  if (is_plain) {
    direction.write_plain(sample, step);
  } else {
    direction.write(sample, step, step + 1);
  }
}

// As far as they are plain; returns the first that is not.
int64_t RunPlainSteps(const Batch& batch, Sample& sample, int64_t begin, int64_t end, bool writes) {
  const Direction& direction = batch.direction;
  const Order order(batch, writes);
  for (; begin < end && sample.plain().are_on(); ++begin) {
    if (order.is_first) direction.prepare(sample, begin, begin + 1);
    if (!sample.ReadClasses(begin, !order.is_first, writes) || !direction.advance_plain(sample)) {
      sample.CopyPlainStates(sample.plain().step().from, begin - 1, 0);
      sample.plain().End();
      break;
    }
    if (writes) WritePlainStep(batch, order, sample, begin);
    sample.plain().Finish();
  }
  return begin;
}

// Steps from `begin` to `end`, of which the one before lies in the scratch. Without outputs, only the states.
void RunSteps(const Batch& batch, Sample& sample, int64_t begin, int64_t end, bool writes) {
  if (begin == 0) {
    RunGeneralSteps(batch, sample, 0, 1, writes);
    sample.BeginPlainSteps();
    begin = 1;
  }
  begin = RunPlainSteps(batch, sample, begin, end, writes);
  RunGeneralSteps(batch, sample, begin, end, writes);
  if (end == sample.steps()) batch.direction.finish(sample);
}

// A sample of which each thread has a copy of its own.
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
    if (place != loops::kNotLeft && block > 0) sample.KeepStates(Begin(block) - 1, place);
    RunSteps(batch, sample, Begin(block), Begin(block + 1), place == loops::kNotLeft);
  }
  void Complete(int64_t block, int place, int slot) {
    Sample& sample = In(slot);
    if (block > 0) sample.FetchStates(Begin(block) - 1, place);
    RunSteps(batch, sample, Begin(block), Begin(block + 1), true);
  }
};

constexpr loops::BlockStages kStages = {
    [](void* of, int64_t block, int place) { static_cast<SharedSample*>(of)->Advance(block, place); },
    [](void* of, int64_t block, int place, int slot) { static_cast<SharedSample*>(of)->Complete(block, place, slot); },
};

void RunSample(void* argument, int64_t number, int slot) {
  const Batch& batch = *static_cast<const Batch*>(argument);
  const SampleLengths& lengths = LengthsOf(batch.plan)[static_cast<size_t>(number)];
  if (batch.plan.splits) {
    SharedSample shared{batch, lengths};
    if (batch.direction.begin(shared.In(0))) loops::ForEachBlock(shared.Count(), batch.plan.slots, kStages, &shared);
    return;
  }
  Sample sample(batch.run, batch.plan, lengths, slot);
  sample.Begin();
  if (batch.direction.begin(sample)) RunSteps(batch, sample, 0, sample.steps(), true);
}

}  // namespace

void RunBatch(const exec::RunContext& run, const Direction& direction) {
  const auto& plan = run.Parameters<CtcPlan>();
  Batch batch{run, plan, direction};
  loops::ForEachSample(plan.samples, plan.splits ? 1 : plan.slots, RunSample, &batch);
}

}  // namespace portacl::ops::ctc_loss
