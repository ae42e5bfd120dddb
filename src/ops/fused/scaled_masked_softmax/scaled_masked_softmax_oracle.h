// SPDX-License-Identifier: Apache-2.0
//
// The oracles of this room, see calls/oracle.h: exact results in float64, straight from the formulas, one row at a
// time. Shares no code with the kernel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "base/target.h"
#include "calls/oracle.h"

namespace portacl::ops::scaled_masked_softmax {

/// y[j] for a row of n elements; 0 if it is below the smallest normal float32, as the room promises.
inline void SoftmaxReference(size_t n, const double* x, const bool* mask, double scale, double* y) {
  const double c = double{static_cast<float>(scale)};
  double most = -std::numeric_limits<double>::infinity();
  bool has_nan = false;
  for (size_t j = 0; j < n; ++j) {
    y[j] = mask[j] ? -10000.0 : x[j] * c;
    // A value beyond the range of float32 becomes infinite.
    if (std::abs(y[j]) >= 0x1.ffffffp127) y[j] = std::copysign(std::numeric_limits<double>::infinity(), y[j]);
    has_nan = has_nan || std::isnan(y[j]);
    most = std::max(most, y[j]);
  }
  double sum = 0;
  for (size_t j = 0; j < n; ++j) sum += y[j] = std::exp(y[j] - most);
  for (size_t j = 0; j < n; ++j) {
    y[j] = has_nan ? std::numeric_limits<double>::quiet_NaN() : y[j] / sum;
    if (y[j] < 0x1p-126) y[j] = 0;
  }
}

/// The sum over a row, of the products or of their magnitudes.
inline double SumReference(size_t n, const double* grad, const double* y, bool magnitudes) {
  double sum = 0;
  for (size_t j = 0; j < n; ++j) sum += magnitudes ? std::abs(grad[j] * y[j]) : grad[j] * y[j];
  return sum;
}

/// One element of the gradient; `sum` is SumReference over its row.
inline double SoftmaxGradReference(double grad, double y, bool mask, double scale, double sum) {
  if (mask) return 0;
  return (grad * y - sum * y) * double{static_cast<float>(scale)};
}

/// The largest terms of that element, in whose ULP its error is measured.
inline double SoftmaxGradTerm(double grad, double y, double scale, double sum_of_magnitudes) {
  return std::abs(double{static_cast<float>(scale)} * y) * (std::abs(grad) + sum_of_magnitudes);
}

/// For each row of `shape`: f(first element, its mask, elements), in row-major order.
template <class F>
void ForEachRow(calls::OracleCall& call, const calls::Dims& shape, const F& f) {
  const calls::Dims& of_mask = call.Tensor("mask").shape;
  const std::vector<double>& mask = call.Values("mask");
  const auto n = static_cast<size_t>(shape[3]);
  const std::unique_ptr<bool[]> row(new bool[n + 1]);
  size_t first = 0;
  for (int64_t b = 0; b < shape[0]; ++b) {
    for (int64_t head = 0; head < shape[1]; ++head) {
      for (int64_t i = 0; i < shape[2]; ++i, first += n) {
        const int64_t mask_row = ((of_mask[0] == 1 ? 0 : b) * of_mask[1] + (of_mask[1] == 1 ? 0 : head)) * shape[2] + i;
        for (size_t j = 0; j < n; ++j) row[j] = mask[static_cast<size_t>(mask_row) * n + j] != 0;
        f(first, row.get(), n);
      }
    }
  }
}

/// Whether finite operands have an intermediate sum or product beyond the range of float32, so that any result is
/// valid.
inline bool IsBeyondFloat(double grad, double y, double scale, double sum_of_magnitudes) {
  const double sum = std::abs(grad) + sum_of_magnitudes;
  return std::isfinite(sum) && sum * std::max(1.0, std::abs(y)) * std::max(1.0, std::abs(scale)) >= 0x1p127;
}

inline bool Oracle(calls::OracleCall& call) {
  const bool is_forward = call.api() == "aclnnScaledMaskedSoftmax";
  if (!is_forward && call.api() != "aclnnScaledMaskedSoftmaxBackward") return false;
  const double scale = call.Real("scale");
  if (is_forward) {
    const std::vector<double>& x = call.Values("x");
    std::vector<double>& y = call.Values("y");
    y.resize(x.size());
    std::vector<double>& terms = call.Terms("y");
    terms.assign(x.size(), 0);
    ForEachRow(call, call.Tensor("x").shape, [&](size_t first, const bool* mask, size_t n) {
      SoftmaxReference(n, x.data() + first, mask, scale, y.data() + first);
      // Far from zero, t itself is rounded, which causes an error in y.
      double most = -std::numeric_limits<double>::infinity();
      for (size_t j = 0; j < n; ++j) most = std::max(most, mask[j] ? -10000 : x[first + j] * scale);
      const double large = HasFusedMultiplyAdd(ActiveTarget()) ? 8192 : 1024;
      for (size_t j = first; std::abs(most) >= large && j < first + n; ++j) terms[j] = y[j] * std::abs(most);
    });
    return true;
  }
  const calls::TensorSpec& spec = call.Tensor("gradOutput");
  const std::vector<double>& grad = call.Values("gradOutput");
  const std::vector<double>& y = call.Values("y");
  std::vector<double>& out = call.Values("out");
  std::vector<double>& terms = call.Terms("out");
  out.resize(grad.size());
  terms.resize(grad.size());
  ForEachRow(call, spec.shape, [&](size_t first, const bool* mask, size_t n) {
    const double sum = SumReference(n, grad.data() + first, y.data() + first, false);
    const double magnitudes = SumReference(n, grad.data() + first, y.data() + first, true);
    for (size_t j = 0; j < n; ++j) {
      const size_t i = first + j;
      out[i] = SoftmaxGradReference(grad[i], y[i], mask[j], scale, sum);
      terms[i] = mask[j] ? 0 : SoftmaxGradTerm(grad[i], y[i], scale, magnitudes);
      // Each product may be subnormal and lose bits: both the products of the sum and those that are scaled.
      if (!mask[j]) terms[i] = std::max(terms[i], static_cast<double>(n) * std::abs(y[i] * scale) * 0x1p-126);
      if (!mask[j] && std::isfinite(scale)) terms[i] = std::max(terms[i], std::abs(scale) * 0x1p-126);
      if (!mask[j] && IsBeyondFloat(grad[i], y[i], scale, magnitudes))
        terms[i] = std::numeric_limits<double>::infinity();
    }
  });
  return true;
}

}  // namespace portacl::ops::scaled_masked_softmax
