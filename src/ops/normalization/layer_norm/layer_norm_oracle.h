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

namespace portacl::ops::layer_norm {

using calls::LongDouble;

inline bool IsLayerNorm(std::string_view api) {
  return api == "aclnnLayerNorm" || api == "aclnnLayerNormWithImplMode" || api == "aclnnLayerNormBackward";
}

inline bool Oracle(calls::OracleCall& call) {
  if (!IsLayerNorm(call.api())) return false;
  const calls::Dims& shape = call.Tensor("input").shape;
  const auto first_axis = shape.end() - std::ssize(call.Integers("normalizedShape"));
  const calls::Dims outer(shape.begin(), first_axis);
  const auto rows = static_cast<size_t>(calls::ElementCount(outer));
  const auto columns = static_cast<size_t>(calls::ElementCount(calls::Dims(first_axis, shape.end())));
  if (call.schema().Find("gradOut") >= 0) {
    calls::AppendGradients(
        call, {"gradOut", "input", "mean", "rstd", "weightOptional", "gradInputOut", "gradWeightOut", "gradBiasOut"},
        rows, columns, columns, [](size_t, size_t i) { return i; });
    return true;
  }
  const auto eps = static_cast<LongDouble>(static_cast<float>(call.Real("eps")));
  const bool has_weight = !call.Argument("weightOptional").null;
  const bool has_bias = !call.Argument("biasOptional").null;
  for (size_t row = 0; row < rows; ++row) {
    std::vector<LongDouble> x(columns);
    for (size_t i = 0; i < columns; ++i) x[i] = calls::ElementOf(call, "input", row * columns + i);
    const calls::RowStatistics of_row = calls::StatisticsOf(x, eps, true);
    for (size_t i = 0; i < columns; ++i) {
      const LongDouble weight = has_weight ? calls::ElementOf(call, "weightOptional", i) : 1;
      const LongDouble bias = has_bias ? calls::ElementOf(call, "biasOptional", i) : 0;
      calls::AppendNormal(call, of_row, x[i], weight, bias);
    }
    if (!call.Argument("meanOutOptional").null)
      calls::AppendResult(call, "meanOutOptional", of_row.mean, of_row.mean_term);
    if (!call.Argument("rstdOutOptional").null)
      calls::AppendResult(call, "rstdOutOptional", of_row.rstd, of_row.rstd_term);
  }
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (!IsLayerNorm(call.schema().api)) return;
  const calls::Dims& shape = call.tensor("input").shape;
  const auto rank = std::ssize(shape);
  const int64_t axes = random == nullptr || random->Chance(0.5) ? 1 : random->Between(1, rank);
  call.argument("normalizedShape").integers.assign(shape.end() - axes, shape.end());
  if (call.schema().Find("outputMask") >= 0) calls::CompleteOutputMask(call, random);
  for (const char* const name : {"weightOptional", "biasOptional", "meanOutOptional", "rstdOutOptional", "mean", "rstd",
                                 "gradWeightOut", "gradBiasOut"}) {
    if (call.schema().Find(name) >= 0) calls::ComputeShapeOf(call, call.schema().Find(name));
  }
  const aclDataType input = call.tensor("input").dtype;
  aclDataType& weight = call.tensor("weightOptional").dtype;
  if (weight != input) weight = ACL_FLOAT;
  call.tensor("biasOptional").dtype = weight;
  // Mode 2 is not valid with every dtype that a test may give the call later.
  if (call.schema().Find("implMode") >= 0 && call.argument("implMode").integer == 2)
    call.argument("implMode").integer = 1;
}

}  // namespace portacl::ops::layer_norm
