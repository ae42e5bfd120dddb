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

void RunSample(void* argument, int64_t number, int slot) {
  const Batch& batch = *static_cast<const Batch*>(argument);
  Sample sample(batch.run, batch.plan, LengthsOf(batch.plan)[static_cast<size_t>(number)], slot);
  sample.Begin();
  if (!batch.direction.begin(sample)) return;
  for (int64_t begin = 0; begin < sample.steps(); begin += batch.plan.block) {
    const int64_t end = std::min(begin + batch.plan.block, sample.steps());
    sample.ReadEmissions(begin, end);
    for (int64_t step = begin; step < end; ++step) batch.direction.advance(sample, step);
    batch.direction.write(sample, begin, end);
  }
  batch.direction.finish(sample);
}

// While one thread takes the recursion through a block, others write the outputs of the block before and read the
// emissions of the block behind it: only the recursion has an order. All three touch steps of their own.
struct Stage {
  const Sample& sample;
  const Direction& direction;
  int64_t block;

  // Pieces of a block that is written or read.
  static constexpr int64_t kPieces = 4;

  void Advance() const {
    for (int64_t step = Begin(block); step < Begin(block + 1); ++step) direction.advance(sample, step);
  }
  int64_t Begin(int64_t number) const { return std::clamp<int64_t>(number * sample.plan().block, 0, sample.steps()); }
};

void RunPiece(void* argument, int64_t piece) {
  const Stage& stage = *static_cast<const Stage*>(argument);
  if (piece == 0) return stage.Advance();
  --piece;
  const bool writes = piece < Stage::kPieces;
  const int64_t begin = stage.Begin(stage.block + (writes ? -1 : 1));
  const int64_t count = stage.Begin(stage.block + (writes ? 0 : 2)) - begin;
  const int64_t from = begin + count * (piece % Stage::kPieces) / Stage::kPieces;
  const int64_t to = begin + count * (piece % Stage::kPieces + 1) / Stage::kPieces;
  if (from == to) return;
  if (writes) {
    stage.direction.write(stage.sample, from, to);
  } else {
    stage.sample.ReadEmissions(from, to);
  }
}

void RunSplitSample(const Batch& batch, const SampleLengths& lengths) {
  Sample sample(batch.run, batch.plan, lengths, 0);
  sample.Begin();
  if (!batch.direction.begin(sample)) return;
  const int64_t blocks = (sample.steps() + batch.plan.block - 1) / batch.plan.block;
  // Block -1 has nothing to advance, and brings the emissions of block 0; the last writes what is left.
  for (int64_t block = -1; block <= blocks; ++block) {
    Stage stage{sample, batch.direction, block};
    loops::ForEachPiece(1 + 2 * Stage::kPieces, RunPiece, &stage);
  }
  batch.direction.finish(sample);
}

}  // namespace

void RunBatch(const exec::RunContext& run, const Direction& direction) {
  const auto& plan = run.Parameters<CtcPlan>();
  Batch batch{run, plan, direction};
  if (plan.splits) {
    for (const SampleLengths& lengths : LengthsOf(plan)) RunSplitSample(batch, lengths);
  } else {
    loops::ForEachSample(plan.samples, plan.slots, RunSample, &batch);
  }
}

}  // namespace portacl::ops::ctc_loss
