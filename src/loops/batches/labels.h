// SPDX-License-Identifier: Apache-2.0
//
// Losses of samples of which each has a score for every class and one label: minus the score of its class, weighted by
// class. The run tests the labels: one that is neither a class nor ignored reads nothing and ends the task with 507015.
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::batches {
inline namespace v1 {

enum class LossOf { kEachSample, kSum, kMean };  // the mean is divided by the weights of the labels

struct LabelLoss {
  LossOf result;
  int scores;  // operand: self, whose axis `class_axis` are the classes
  int grad;    // gradients: that of the loss
  int weight;  // operands of every call, as the following
  int target;
  int out;
  int total;       // the sum of the weights of the labels: an output of the loss, an input of its gradient
  int class_axis;  // of scores and of their gradient
  int64_t ignored;
};

/// Plans a loss; operand `grad` is not used.
PORTACL_EXPORT void LossesOfLabels(exec::PlanBuilder& plan, const LabelLoss& loss);
/// Plans the gradient by the scores, which is written as a whole; operand `scores` is not used.
PORTACL_EXPORT void GradientsOfLabels(exec::PlanBuilder& plan, const LabelLoss& loss);

}  // namespace v1
}  // namespace portacl::loops::batches
