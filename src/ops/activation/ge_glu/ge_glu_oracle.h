// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the formulas in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/norm_oracle.h"

namespace portacl::ops::ge_glu {

using calls::LongDouble;

inline LongDouble NormalDistribution(LongDouble x) {
  return std::erfc(-x * 0.707106781186547524400844362104849039L) / 2;
}

inline LongDouble TwoU(LongDouble x) {
  return 2 * 0.797884560802865355879892119868763737L * (x + 0.044715L * x * x * x);
}

inline LongDouble GeluReference(LongDouble x, bool is_tanh) {
  if (std::isinf(x)) return x < 0 ? -0.0L : x;
  return x * (is_tanh ? 1 / (1 + std::exp(-TwoU(x))) : NormalDistribution(x));
}

inline LongDouble GeluSlopeReference(LongDouble x, bool is_tanh) {
  if (std::isinf(x)) return x < 0 ? 0 : 1;
  if (!is_tanh) return NormalDistribution(x) + x * 0.398942280401432677939946059934381868L * std::exp(-x * x / 2);
  const LongDouble sigma = 1 / (1 + std::exp(-TwoU(x))), rest = 1 / (1 + std::exp(TwoU(x)));
  const LongDouble slope = 2 * 0.797884560802865355879892119868763737L * (1 + 3 * 0.044715L * x * x);
  return sigma + (sigma == 0 || rest == 0 ? 0 : x * sigma * rest * slope);
}

/// For each element of a half: f(its index, the index of the activated element in self, the index of the other one).
template <class F>
void ForEachPair(calls::OracleCall& call, const F& f) {
  const calls::Dims& shape = call.Tensor("self").shape;
  const int64_t dim = call.Integer("dim");
  const auto axis = static_cast<size_t>(dim < 0 ? dim + std::ssize(shape) : dim);
  const bool is_left = call.schema().Find("activateLeft") >= 0 && call.Integer("activateLeft") != 0;
  size_t before = 1, run = 1;
  for (size_t i = 0; i < shape.size(); ++i) (i < axis ? before : run) *= static_cast<size_t>(shape[i]);
  run /= 2;
  for (size_t block = 0; block < before; ++block) {
    for (size_t i = 0; i < run; ++i) {
      const size_t left = 2 * block * run + i, right = left + run;
      f(block * run + i, is_left ? left : right, is_left ? right : left);
    }
  }
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  if (!api.starts_with("aclnnGeGlu")) return false;
  const bool is_tanh = call.Integer("approximate") == 1;
  const std::vector<double>& self = call.Values("self");
  if (!api.ends_with("Backward")) {
    ForEachPair(call, [&](size_t, size_t activated, size_t other) {
      const LongDouble gelu = GeluReference(self[activated], is_tanh);
      const double factor = std::abs(self[other]);
      calls::AppendResult(call, "outGelu", gelu, 0);
      // A gelu of this size is 0 or a subnormal in float32.
      const bool is_lost = std::isinf(factor) && std::abs(gelu) < 0x1p-126L;
      calls::AppendResult(call, "out", gelu * self[other],
                          is_lost                 ? calls::kAnyValue
                          : std::isfinite(factor) ? factor * 0x1p-126L
                                                  : 0);
    });
    return true;
  }
  const std::vector<double>& grad = call.Values("gradOutput");
  const std::vector<double>& gelu = call.Values("gelu");
  call.Values("gradInput").resize(self.size());
  call.Terms("gradInput").assign(self.size(), 0);
  call.Parts("gradInput").assign(self.size(), 0);
  ForEachPair(call, [&](size_t i, size_t activated, size_t other) {
    const LongDouble slope = GeluSlopeReference(self[activated], is_tanh);
    const LongDouble product = static_cast<LongDouble>(grad[i]) * self[other];
    call.Values("gradInput")[activated] = static_cast<double>(product * slope);
    const LongDouble size = std::abs(product);
    LongDouble term = std::isfinite(size)
                          ? std::max(size, 0x1p-126L * std::max<LongDouble>(std::abs(grad[i]), std::abs(self[other])))
                          : 0;
    // float32 cannot represent the product, or the slope that an infinite value is multiplied with.
    if (std::isfinite(size) ? size > 0x1p126L : std::abs(slope) < 0x1p-120L) term = calls::kAnyValue;
    call.Terms("gradInput")[activated] = static_cast<double>(term);
    call.Values("gradInput")[other] = grad[i] * gelu[i];
    call.Parts("gradInput")[other] = 1;
  });
  return true;
}

}  // namespace portacl::ops::ge_glu
