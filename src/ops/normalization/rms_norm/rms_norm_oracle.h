// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/norm_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::rms_norm {

using calls::LongDouble;

/// Whether the operator belongs to this room; `x` receives the name of its first tensor.
inline bool FindFirst(std::string_view api, const char** x) {
  if (api == "aclnnRmsNorm") return *x = "x", true;
  if (api == "aclnnAddRmsNorm") return *x = "x1", true;
  if (api == "aclnnRmsNormGrad") return *x = "dy", true;
  return false;
}

inline bool Oracle(calls::OracleCall& call) {
  const char* first = nullptr;
  if (!FindFirst(call.api(), &first)) return false;
  const bool is_gradient = call.schema().Find("dy") >= 0;
  const bool adds = call.schema().Find("x2") >= 0;
  const auto count = static_cast<size_t>(calls::ElementCount(call.Tensor(first).shape));
  const auto columns = static_cast<size_t>(calls::ElementCount(call.Tensor("gamma").shape));
  if (is_gradient) {
    const auto rows = static_cast<size_t>(calls::ElementCount(call.Tensor("rstd").shape));
    calls::AppendGradients(call, {"dy", "x", nullptr, "rstd", "gamma", "dxOut", "dgammaOut", nullptr}, rows, columns,
                           columns, [](size_t, size_t i) { return i; });
    return true;
  }
  const bool has_rstd = !call.Argument("rstdOut").null;
  const auto rows = columns != 0 ? count / columns
                    : has_rstd   ? static_cast<size_t>(calls::ElementCount(call.Tensor("rstdOut").shape))
                                 : 0;
  const auto epsilon = static_cast<LongDouble>(static_cast<float>(call.Real("epsilon")));
  for (size_t row = 0; row < rows; ++row) {
    std::vector<LongDouble> x(columns);
    for (size_t i = 0; i < columns; ++i) {
      x[i] = calls::ElementOf(call, first, row * columns + i);
      if (!adds) continue;
      const LongDouble other = calls::ElementOf(call, "x2", row * columns + i);
      if (!call.Argument("xOut").null) call.Values("xOut").push_back(static_cast<double>(x[i] + other));
      x[i] = static_cast<LongDouble>(static_cast<float>(x[i]) + static_cast<float>(other));
    }
    const calls::RowStatistics of_row = calls::StatisticsOf(x, epsilon, false);
    for (size_t i = 0; i < columns; ++i) {
      const LongDouble normal = x[i] * of_row.rstd;
      const LongDouble gamma = calls::ElementOf(call, "gamma", i);
      const LongDouble term = calls::FactorTerm(gamma, 0, 0x1p-126L);
      calls::AppendResult(call, "yOut", normal * gamma, of_row.is_ordinary ? term : calls::kAnyValue);
    }
    if (has_rstd) calls::AppendResult(call, "rstdOut", of_row.rstd, of_row.rstd_term);
  }
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const char* first = nullptr;
  if (!FindFirst(call.schema().api, &first)) return;
  const calls::Dims& shape = call.tensor(first).shape;
  calls::TensorSpec& gamma = call.tensor("gamma");
  const int64_t axes = random == nullptr || random->Chance(0.5) ? 1 : random->Between(1, std::ssize(shape));
  gamma.shape.assign(shape.end() - axes, shape.end());
  if (call.schema().Find("x2") < 0) {
    if (gamma.dtype != call.tensor(first).dtype) gamma.dtype = ACL_FLOAT;
  } else {
    // They may not be absent with every dtype that a test may give the call later.
    call.argument("rstdOut").null = call.argument("xOut").null = false;
    if (random != nullptr && axes == 1 && random->Chance(0.3)) gamma.shape.insert(gamma.shape.begin(), 1);
  }
  const char* const rstd_name = call.schema().Find("rstd") >= 0 ? "rstd" : "rstdOut";
  calls::ComputeShapeOf(call, call.schema().Find(rstd_name));
  if (call.schema().Find("dgammaOut") >= 0) call.tensor("dgammaOut").shape = gamma.shape;
  // Any shape with this element count is valid.
  calls::Dims& rstd = call.tensor(rstd_name).shape;
  if (random != nullptr && random->Chance(0.3)) rstd = {calls::ElementCount(rstd)};
}

}  // namespace portacl::ops::rms_norm
