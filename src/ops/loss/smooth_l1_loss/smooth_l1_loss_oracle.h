// SPDX-License-Identifier: Apache-2.0
//
// The oracles of this room, see calls/oracle.h: exact results in float64. Shares no code with the kernel.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/loss_oracle.h"

namespace portacl::ops::smooth_l1_loss {

/// One element of the loss; `beta` is a float.
inline double SmoothL1LossReference(double self, double target, double beta) {
  const double d = calls::FloatDifference(self, target);
  return std::abs(d) < beta ? 0.5 * d * (d / beta) : std::abs(d) - 0.5 * beta;
}

/// One element of the gradient; `n` is the number of elements for a mean, and 1 otherwise.
inline double SmoothL1LossBackwardReference(double grad_out, double self, double target, double beta, double n) {
  const double d = calls::FloatDifference(self, target);
  double u = d;  // zero, NaN
  if (std::abs(d) < beta) {
    u = d / beta;
  } else if (d < 0) {
    u = -1;
  } else if (d > 0) {
    u = 1;
  }
  return u * grad_out / n;
}

inline bool Oracle(calls::OracleCall& call) {
  const bool is_loss = call.api() == "aclnnSmoothL1Loss";
  if (!is_loss && call.api() != "aclnnSmoothL1LossBackward") return false;
  const double beta = double{static_cast<float>(call.Real("beta"))};
  const int64_t reduction = call.Integer("reduction");
  std::vector<int64_t> shape = calls::BroadcastShape(call.Tensor("self").shape, call.Tensor("target").shape);
  if (!is_loss) shape = calls::BroadcastShape(shape, call.Tensor("gradOut").shape);
  const auto operand = [&](const char* name) {
    return calls::BroadcastElements(call.Values(name), call.Tensor(name).shape, shape);
  };
  const std::vector<double> self = operand("self"), target = operand("target");
  if (!is_loss) {
    const std::vector<double> grad_out = operand("gradOut");
    std::vector<double>& grad_input = call.Values("gradInput");
    const double n = reduction == 1 ? static_cast<double>(self.size()) : 1;
    grad_input.clear();
    for (size_t i = 0; i < self.size(); ++i)
      grad_input.push_back(SmoothL1LossBackwardReference(grad_out[i], self[i], target[i], beta, n));
    return true;
  }
  std::vector<double> losses;
  for (size_t i = 0; i < self.size(); ++i) losses.push_back(SmoothL1LossReference(self[i], target[i], beta));
  if (reduction != 0) {
    double sum = 0;
    for (const double loss : losses) sum += loss;
    losses = {reduction == 1 ? sum / static_cast<double>(self.size()) : sum};
  }
  call.Values("result") = losses;
  return true;
}

}  // namespace portacl::ops::smooth_l1_loss
