// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/ctc_loss/ctc_loss_recursion.h"

#include <algorithm>

#include "loops/samples.h"

namespace portacl::ops::ctc_loss {
namespace {

struct Batch {
  const exec::RunContext& run;
  const CtcPlan& plan;
  const Direction& direction;
};

struct Blocks {
  const Sample& sample;
  const Direction& direction;

  int64_t Begin(int64_t block) const { return std::min(block * sample.plan().block, sample.steps()); }
  int64_t Count() const { return (sample.steps() + sample.plan().block - 1) / sample.plan().block; }

  void Prepare(int64_t block) const {
    if (direction.prepare != nullptr) direction.prepare(sample, Begin(block), Begin(block + 1));
  }
  void Run(int64_t block) const {
    for (int64_t step = Begin(block); step < Begin(block + 1); ++step) direction.advance(sample, step);
    direction.write(sample, Begin(block), Begin(block + 1));
  }
};

void RunSample(void* argument, int64_t number, int slot) {
  const Batch& batch = *static_cast<const Batch*>(argument);
  Sample sample(batch.run, batch.plan, LengthsOf(batch.plan)[static_cast<size_t>(number)], slot);
  sample.Begin();
  if (!batch.direction.begin(sample)) return;
  Blocks blocks{sample, batch.direction};
  // In place the emissions must have been read before the outputs are prepared.
  const bool in_place = batch.plan.backward &&
                        batch.run.Address(batch.plan.out.operand) == batch.run.Address(batch.plan.log_probs.operand);
  if (batch.plan.splits && !in_place) {
    loops::ForEachBlock(
        blocks.Count(), [](void* of, int64_t block) { static_cast<const Blocks*>(of)->Prepare(block); },
        [](void* of, int64_t block) {
          const Blocks& all = *static_cast<const Blocks*>(of);
          all.sample.ReadEmissions(all.Begin(block), all.Begin(block + 1));
          all.Run(block);
        },
        &blocks);
  } else {
    for (int64_t block = 0; block < blocks.Count(); ++block) {
      sample.ReadEmissions(blocks.Begin(block), blocks.Begin(block + 1));
      blocks.Prepare(block);
      blocks.Run(block);
    }
  }
  batch.direction.finish(sample);
}

}  // namespace

void RunBatch(const exec::RunContext& run, const Direction& direction) {
  const auto& plan = run.Parameters<CtcPlan>();
  Batch batch{run, plan, direction};
  loops::ForEachSample(plan.samples, plan.slots, RunSample, &batch);
}

}  // namespace portacl::ops::ctc_loss
