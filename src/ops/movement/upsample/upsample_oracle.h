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

#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::upsample {

using calls::Dims;

inline size_t HeightAxisOf(const calls::TensorSpec& image) { return image.format == ACL_FORMAT_NHWC ? 1 : 2; }

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnUpsampleNearest2d") return false;
  const Dims &from = call.Tensor("self").shape, &to = call.Tensor("out").shape;
  const size_t height = HeightAxisOf(call.Tensor("self"));
  calls::MoveElements(call, "self", "out", [&](Dims index) {
    for (const size_t axis : {height, height + 1}) {
      const float scale = static_cast<float>(from[axis]) / static_cast<float>(to[axis]);
      const auto nearest = static_cast<int64_t>(std::floor(static_cast<float>(index[axis]) * scale));
      index[axis] = std::min(nearest, from[axis] - 1);
    }
    return index;
  });
  return true;
}

/// Sizes up to twice those of self, often equal or exactly double.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (std::string_view(call.schema().api) != "aclnnUpsampleNearest2d") return;
  const calls::TensorSpec& self = call.tensor("self");
  std::vector<int64_t>& sizes = call.argument("outputSize").integers;
  sizes.clear();
  for (const size_t axis : {HeightAxisOf(self), HeightAxisOf(self) + 1}) {
    const int64_t size = self.shape[axis];
    const bool is_free = random != nullptr && random->Chance(0.6);
    sizes.push_back(is_free                                    ? random->Between(1, 2 * size + 1)
                    : random != nullptr && random->Chance(0.3) ? size
                                                               : 2 * size);
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

}  // namespace portacl::ops::upsample
