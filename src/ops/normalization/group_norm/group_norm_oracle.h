// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/norm_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::group_norm {

using calls::LongDouble;

inline bool IsGroupNorm(std::string_view api) { return api == "aclnnGroupNorm" || api == "aclnnGroupNormBackward"; }

inline bool Oracle(calls::OracleCall& call) {
  if (!IsGroupNorm(call.api())) return false;
  const auto groups = static_cast<size_t>(call.Integer("group"));
  const auto rows = static_cast<size_t>(call.Integer("N")) * groups;
  const auto channels = static_cast<size_t>(call.Integer("C")) / groups;
  const auto size = static_cast<size_t>(call.Integer("HxW"));
  if (call.schema().Find("gradOut") >= 0) {
    calls::AppendGradients(
        call, {"gradOut", "input", "mean", "rstd", "gamma", "gradInput", "gradGammaOut", "gradBetaOut"}, rows,
        channels * size, channels * groups, [=](size_t row, size_t i) { return row % groups * channels + i / size; });
    return true;
  }
  const auto eps = static_cast<LongDouble>(static_cast<float>(call.Real("eps")));
  const bool has_gamma = !call.Argument("gamma").null;
  const bool has_beta = !call.Argument("beta").null;
  for (size_t row = 0; row < rows; ++row) {
    std::vector<LongDouble> x(channels * size);
    for (size_t i = 0; i < x.size(); ++i) x[i] = calls::ElementOf(call, "self", row * x.size() + i);
    const calls::RowStatistics of_row = calls::StatisticsOf(x, eps, true);
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t channel = row % groups * channels + i / size;
      calls::AppendNormal(call, of_row, x[i], has_gamma ? calls::ElementOf(call, "gamma", channel) : 1,
                          has_beta ? calls::ElementOf(call, "beta", channel) : 0);
    }
    calls::AppendResult(call, "meanOut", of_row.mean, of_row.mean_term);
    calls::AppendResult(call, "rstdOut", of_row.rstd, of_row.rstd_term);
  }
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (!IsGroupNorm(call.schema().api)) return;
  const bool is_gradient = call.schema().Find("gradOut") >= 0;
  const calls::Dims& shape = call.tensor(is_gradient ? "gradOut" : "self").shape;
  call.argument("N").integer = shape[0];
  call.argument("C").integer = shape[1];
  call.argument("HxW").integer = calls::ElementCount(calls::Dims(shape.begin() + 2, shape.end()));
  int64_t groups = random == nullptr ? 2 : random->Between(1, 4);
  while (shape[1] % groups != 0) --groups;
  call.argument("group").integer = groups;
  if (is_gradient) calls::CompleteOutputMask(call, random);
  for (const char* const name :
       {"gamma", "beta", "meanOut", "rstdOut", "mean", "rstd", "gradGammaOut", "gradBetaOut"}) {
    if (call.schema().Find(name) >= 0) calls::ComputeShapeOf(call, call.schema().Find(name));
  }
}

}  // namespace portacl::ops::group_norm
