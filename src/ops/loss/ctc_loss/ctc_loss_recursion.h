// SPDX-License-Identifier: Apache-2.0
//
// The order of work on a batch: over samples, or over the steps of one sample when there are too few samples for all
// threads.
#pragma once

#include "ops/loss/ctc_loss/ctc_loss_sample.h"

namespace portacl::ops::ctc_loss {

/// What alpha and beta do differently.
struct Direction {
  /// Before the first step; false when the sample needs no recursion and its outputs are written.
  bool (*begin)(const Sample& sample);
  /// What the outputs of steps hold that depends on no state; null for nothing.
  void (*prepare)(const Sample& sample, int64_t begin, int64_t end);
  /// The states of one step; step 0 has no predecessor.
  void (*advance)(const Sample& sample, int64_t step);
  /// Writes the outputs of steps whose states are ready.
  void (*write)(const Sample& sample, int64_t begin, int64_t end);
  /// The states of a plain step whose classes were read. False when they cannot be plain.
  bool (*advance_plain)(Sample& sample);
  /// What the outputs of such a step need. False when that takes more than plain arithmetic.
  bool (*compute_plain)(Sample& sample, int64_t step);
  /// Writes them.
  void (*write_plain)(Sample& sample, int64_t step);
  /// After the last step.
  void (*finish)(Sample& sample);
};

void RunBatch(const exec::RunContext& run, const Direction& direction);

}  // namespace portacl::ops::ctc_loss
