// SPDX-License-Identifier: Apache-2.0
//
// The oracles of this room, see calls/oracle.h: exact results in float64, straight from the formulas. Shares no code
// with the kernel.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/oracle.h"

namespace portacl::ops::swi_glu {

/// 0 where e^-a leaves the range of float64, that is for a < -709.78.
inline double SigmoidReference(double a) { return 1 / (1 + std::exp(-a)); }

/// One element; the arguments hold exact values. The caller rounds the result to the dtype of the output.
inline double SwiGluReference(double a, double b) { return a * SigmoidReference(a) * b; }

inline double SwiGluGradAReference(double a, double b, double grad) {
  const double q = SigmoidReference(a);
  return grad * b * q * (1 + a * (1 - q));
}

inline double SwiGluGradBReference(double a, double grad) { return grad * a * SigmoidReference(a); }

/// For each element of the half: f(its index in a tensor of half the size, index of A in x, index of B), row-major.
template <class F>
void ForEachOfHalf(const std::vector<int64_t>& shape, int64_t dim, const F& f) {
  const auto axis = static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim);
  size_t before = 1;  // consecutive blocks, each a run of A and one of B
  for (size_t i = 0; i < axis; ++i) before *= static_cast<size_t>(shape[i]);
  size_t run = 1;
  for (size_t i = axis; i < shape.size(); ++i) run *= static_cast<size_t>(shape[i]);
  run /= 2;
  for (size_t block = 0; block < before; ++block) {
    for (size_t i = 0; i < run; ++i) f(block * run + i, 2 * block * run + i, (2 * block + 1) * run + i);
  }
}

inline bool Oracle(calls::OracleCall& call) {
  const bool is_grad = call.api() == "aclnnSwiGluGrad";
  if (!is_grad && call.api() != "aclnnSwiGlu") return false;
  const calls::TensorSpec& spec = call.Tensor("x");
  const std::vector<double>& x = call.Values("x");
  std::vector<double>& out = call.Values("out");
  out.resize(is_grad ? x.size() : x.size() / 2);
  if (!is_grad) {
    ForEachOfHalf(spec.shape, call.Integer("dim"),
                  [&](size_t i, size_t a, size_t b) { out[i] = SwiGluReference(x[a], x[b]); });
    return true;
  }
  const std::vector<double>& grad = call.Values("yGrad");
  std::vector<double>& terms = call.Terms("out");
  std::vector<uint8_t>& parts = call.Parts("out");
  terms.assign(out.size(), 0);
  parts.assign(out.size(), 0);
  ForEachOfHalf(spec.shape, call.Integer("dim"), [&](size_t i, size_t a, size_t b) {
    out[a] = SwiGluGradAReference(x[a], x[b], grad[i]);
    out[b] = SwiGluGradBReference(x[a], grad[i]);
    // outA crosses zero at A = -1.28.
    const double term = grad[i] * x[b] * SigmoidReference(x[a]);
    if (std::isfinite(term)) terms[a] = term;
    parts[b] = 1;
  });
  return true;
}

}  // namespace portacl::ops::swi_glu
