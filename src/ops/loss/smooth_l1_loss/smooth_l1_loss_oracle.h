// SPDX-License-Identifier: Apache-2.0
//
// The oracles of this room, see calls/oracle.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/oracle.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_reference.h"

namespace portacl::ops::smooth_l1_loss {

inline std::vector<int64_t> BroadcastShape(std::vector<int64_t> a, std::vector<int64_t> b) {
  if (a.size() < b.size()) a.swap(b);
  for (size_t axis = 1; axis <= b.size(); ++axis) {
    int64_t& size = a[a.size() - axis];
    if (size == 1) size = b[b.size() - axis];
  }
  return a;
}

inline bool Oracle(calls::OracleCall& call) {
  const bool is_loss = call.api() == "aclnnSmoothL1Loss";
  if (!is_loss && call.api() != "aclnnSmoothL1LossBackward") return false;
  const double beta = double{static_cast<float>(call.Real("beta"))};
  const int64_t reduction = call.Integer("reduction");
  std::vector<int64_t> shape = BroadcastShape(call.Tensor("self").shape, call.Tensor("target").shape);
  if (!is_loss) shape = BroadcastShape(shape, call.Tensor("gradOut").shape);
  const auto operand = [&](const char* name) {
    return BroadcastReference(call.Values(name), call.Tensor(name).shape, shape);
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
