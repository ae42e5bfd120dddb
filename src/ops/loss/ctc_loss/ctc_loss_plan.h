// SPDX-License-Identifier: Apache-2.0
//
// What phase 1 leaves for the run of either operator.
#pragma once

#include <cstdint>
#include <span>

#include "exec/plan.h"
#include "ops/loss/ctc_loss/ctc_loss_lanes.h"
#include "ops/loss/ctc_loss/ctc_loss_scratch.h"

namespace portacl::ops::ctc_loss {

/// Of a shared sample only the recursion, about half of all, stays with one thread.
inline constexpr int kMostSlotsOfSample = 4;

/// An operand and its strides in bytes; 0 where it has no such axis.
struct Place {
  int operand;
  int64_t time;
  int64_t sample;
  int64_t element;  // class, state, label
};

/// Samples come in the order in which they are begun: the costly ones first.
struct SampleLengths {
  int64_t number;
  int64_t steps;        // its inputLength
  int64_t labels;       // its targetLength
  int64_t first_label;  // place of its first label in 1-D targets, else 0
};

struct CtcPlan {
  aclDataType dtype;
  aclDataType targets_dtype;
  bool zero_infinity;
  bool backward;
  int64_t steps;    // T
  int64_t samples;  // N
  int64_t classes;  // C
  int64_t states;   // X
  int64_t blank;
  Place log_probs;
  Place targets;
  Place loss;   // negLogLikelihood(Out)
  Place alpha;  // logAlpha(Out)
  Place grad;   // gradOut; backward only, as is out
  Place out;
  const Kernels* kernels;
  ExponentialRow exponential_row;
  bool is_near;  // all that is read fits in a cache from which it comes soon enough
  // Scratch: a SampleScratch for each of `slots` samples that run at a time, or threads that share one; then snapshots.
  exec::Region scratch;
  ScratchSizes sizes;
  int64_t slot_bytes;
  int64_t snapshot_bytes;
  int slots;
  bool splits;           // one sample; threads share its steps
  int64_t block;         // steps that a sample takes at a time
  int64_t shared_steps;  // that a thread takes of a shared sample
};

/// The lengths follow the plan in the executor.
inline std::span<const SampleLengths> LengthsOf(const CtcPlan& plan) {
  return {reinterpret_cast<const SampleLengths*>(&plan + 1), static_cast<size_t>(plan.samples)};
}

/// The two plan functions.
void PlanForward(exec::PlanBuilder& builder);
void PlanBackward(exec::PlanBuilder& builder);

/// What the plans run.
int32_t RunForward(const exec::RunContext& run);
int32_t RunBackward(const exec::RunContext& run);

}  // namespace portacl::ops::ctc_loss
