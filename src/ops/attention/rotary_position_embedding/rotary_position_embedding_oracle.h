// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::rotary_position_embedding {

using calls::Dims;

/// The columns of x from which column i of y is computed: with cos, and with sin.
inline std::pair<int64_t, int64_t> SourceColumns(int64_t mode, int64_t columns, int64_t i) {
  const int64_t half = columns / 2, quarter = columns / 4;
  if (mode == 0) return {i, (i + half) % columns};
  if (mode == 1) return {i, i ^ 1};
  if (mode == 2) return {i, i / half * half + (i % half + quarter) % half};
  const int64_t pair = i % half;
  return i < half ? std::pair(2 * pair, 2 * pair + 1) : std::pair(2 * pair + 1, 2 * pair);
}

inline bool IsSubtracted(int64_t mode, int64_t columns, int64_t i) {
  if (mode == 1) return i % 2 == 0;
  if (mode == 2) return i % (columns / 2) < columns / 4;
  return i < columns / 2;
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnRotaryPositionEmbedding") return false;
  const calls::TensorSpec& x = call.Tensor("x");
  const Dims& angles = call.Tensor("cos").shape;
  const int64_t columns = x.shape[3];
  const int64_t mode = call.Integer("mode");
  calls::ForEachIndex(x.shape, [&](const Dims& index) {
    Dims of_x = index, of_angle = index;
    for (size_t axis = 0; axis < 3; ++axis) of_angle[axis] = std::min(index[axis], angles[axis] - 1);
    const auto [with_cos, with_sin] = SourceColumns(mode, columns, index[3]);
    const size_t angle = calls::NumberOf(angles, of_angle);
    of_x[3] = with_cos;
    const double first = call.Values("x")[calls::NumberOf(x.shape, of_x)] * call.Values("cos")[angle];
    of_x[3] = with_sin;
    const double second = call.Values("x")[calls::NumberOf(x.shape, of_x)] * call.Values("sin")[angle];
    call.Values("yOut").push_back(IsSubtracted(mode, columns, index[3]) ? first - second : first + second);
    // A finite product beyond the range of float32 may become infinite.
    double term = std::max(std::abs(first), std::abs(second));
    const bool is_finite = std::isfinite(first) && std::isfinite(second);
    if (is_finite && term > 0x1p127) term = std::numeric_limits<double>::infinity();
    if (!is_finite) term = 0;
    const bool mixes = !is_finite && std::max(std::isfinite(first) ? std::abs(first) : 0,
                                              std::isfinite(second) ? std::abs(second) : 0) > 0x1p127;
    if (mixes) term = std::numeric_limits<double>::infinity();
    call.Terms("yOut").push_back(x.dtype == ACL_FLOAT ? term : term * 0x1p-16);
  });
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (std::string_view(call.schema().api) != "aclnnRotaryPositionEmbedding") return;
  Dims& x = call.tensor("x").shape;
  x[3] = (x[3] + 3) / 4 * 4;
  Dims& cos = call.tensor("cos").shape;
  cos = x;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (random != nullptr && random->Chance(0.4)) cos[axis] = std::min<int64_t>(1, cos[axis]);
  }
  call.tensor("sin").shape = cos;
  call.tensor("yOut").shape = x;
}

}  // namespace portacl::ops::rotary_position_embedding
