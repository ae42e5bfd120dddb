// SPDX-License-Identifier: Apache-2.0
//
// The right answers in float64, as the formulas stand, one row at a time. Shares no code with the kernel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace portacl::ops::scaled_masked_softmax {

/// y[j] for a row of n elements. Where it is below the smallest normal float32, 0, as the room promises.
inline void SoftmaxReference(size_t n, const double* x, const bool* mask, double scale, double* y) {
  const double c = double{static_cast<float>(scale)};
  double most = -std::numeric_limits<double>::infinity();
  bool has_nan = false;
  for (size_t j = 0; j < n; ++j) {
    y[j] = mask[j] ? -10000.0 : x[j] * c;
    // What float32 cannot hold is infinite there.
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

/// The larger terms of that element, at which its error counts.
inline double SoftmaxGradTerm(double grad, double y, double scale, double sum_of_magnitudes) {
  return std::abs(double{static_cast<float>(scale)} * y) * (std::abs(grad) + sum_of_magnitudes);
}

}  // namespace portacl::ops::scaled_masked_softmax
