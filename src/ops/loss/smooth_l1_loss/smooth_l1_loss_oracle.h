// SPDX-License-Identifier: Apache-2.0
//
// The oracles of this room, see calls/oracle.h: exact results in float64. Shares no code with the kernel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "calls/oracle.h"

namespace portacl::ops::smooth_l1_loss {

/// self - target. The operators compute it in float: beyond the range of float it is infinite.
inline double DifferenceReference(double self, double target) {
  const double d = self - target;
  const bool beyond = std::abs(d) >= 0x1p128 - 0x1p103;
  return beyond && std::isfinite(d) ? std::copysign(std::numeric_limits<double>::infinity(), d) : d;
}

/// One element of the loss; `beta` is a float.
inline double SmoothL1LossReference(double self, double target, double beta) {
  const double d = DifferenceReference(self, target);
  return std::abs(d) < beta ? 0.5 * d * (d / beta) : std::abs(d) - 0.5 * beta;
}

/// One element of the gradient; `n` is the number of elements for a mean, and 1 otherwise.
inline double SmoothL1LossBackwardReference(double grad_out, double self, double target, double beta, double n) {
  const double d = DifferenceReference(self, target);
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

/// The elements of an operand of shape `from`, row-major, broadcast to `to`.
inline std::vector<double> BroadcastReference(const std::vector<double>& values, const std::vector<int64_t>& from,
                                              const std::vector<int64_t>& to) {
  size_t count = 1;
  for (const int64_t size : to) count *= static_cast<size_t>(size);
  std::vector<double> result;
  for (size_t i = 0; i < count; ++i) {
    size_t rest = i, place = 0, step = 1;
    for (size_t axis = 1; axis <= from.size(); ++axis) {  // from the last axis to the first
      const auto size = static_cast<size_t>(from[from.size() - axis]);
      const auto whole = static_cast<size_t>(to[to.size() - axis]);
      if (size != 1) place += rest % whole * step;
      step *= size;
      rest /= whole;
    }
    result.push_back(values[place]);
  }
  return result;
}

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
