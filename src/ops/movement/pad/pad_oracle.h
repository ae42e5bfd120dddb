// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/fill.h"
#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::pad {

using calls::Dims;

inline void ConstantPad(calls::OracleCall& call) {
  const Dims& shape = call.Tensor("self").shape;
  const std::vector<int64_t>& pad = call.Integers("pad");
  calls::ForEachIndex(call.Tensor("out").shape, [&](Dims index) {
    bool inside = true;
    for (size_t i = 0; i < pad.size() / 2; ++i) index[shape.size() - 1 - i] -= pad[2 * i];
    for (size_t axis = 0; axis < shape.size(); ++axis) inside &= index[axis] >= 0 && index[axis] < shape[axis];
    inside ? calls::Append(call, "self", index) : calls::AppendScalar(call, "value", "out");
  });
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() == "aclnnConstantPadNd") return ConstantPad(call), true;
  if (call.api() != "aclnnReflectionPad1d") return false;
  const int64_t size = call.Tensor("self").shape.back();
  calls::MoveElements(call, "self", "out", [&](Dims index) {
    int64_t at = index.back() - call.Integers("padding")[0];
    if (at < 0) at = -at;
    if (at >= size) at = 2 * (size - 1) - at;
    index.back() = at;
    return index;
  });
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  const auto drawn = [&](int64_t low, int64_t high) { return random == nullptr ? 1 : random->Between(low, high); };
  if (api == "aclnnConstantPadNd") {
    const Dims& shape = call.tensor("self").shape;
    std::vector<int64_t>& pad = call.argument("pad").integers;
    const int64_t axes = random == nullptr ? std::ssize(shape) : random->Between(0, std::ssize(shape));
    pad.assign(static_cast<size_t>(2 * axes), 0);
    for (size_t i = 0; i < pad.size(); ++i) {
      const int64_t size = shape[shape.size() - 1 - i / 2];
      pad[i] = drawn(std::max<int64_t>(-2, -(size - 1) / 2), size == 0 ? 0 : 3);
    }
    if (calls::ElementCount(shape) == 0) pad.assign(pad.size(), 0);
  } else if (api == "aclnnReflectionPad1d") {
    Dims& shape = call.tensor("self").shape;
    for (size_t axis = shape.size() - 2; axis < shape.size(); ++axis) shape[axis] = std::max<int64_t>(shape[axis], 1);
    std::vector<int64_t>& padding = call.argument("padding").integers;
    padding.resize(2);
    for (int64_t& number : padding) number = std::min(drawn(0, 9), shape.back() - 1);
  } else {
    return;
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

}  // namespace portacl::ops::pad
