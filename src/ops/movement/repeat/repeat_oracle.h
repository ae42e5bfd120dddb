// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and what valid calls have that no word says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::repeat {

using calls::Dims;

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() == "aclnnRepeat") {
    const Dims& shape = call.Tensor("self").shape;
    calls::MoveElements(call, "self", "out", [&](Dims index) {
      index.erase(index.begin(), index.end() - std::ssize(shape));
      for (size_t axis = 0; axis < shape.size(); ++axis) index[axis] %= shape[axis];
      return index;
    });
  } else if (call.api() == "aclnnRepeatInterleaveIntWithDim") {
    const size_t axis = calls::AxisOf(call.Integer("dim"), call.Tensor("self").shape.size());
    calls::MoveElements(call, "self", "out", [&](Dims index) { return index[axis] /= call.Integer("repeats"), index; });
  } else if (call.api() == "aclnnRepeatInterleaveInt") {
    calls::MoveElements(call, "self", "out", [&](const Dims& index) {
      return calls::IndexOf(call.Tensor("self").shape, index[0] / call.Integer("repeats"));
    });
  } else {
    return false;
  }
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  const auto drawn = [&](int64_t low, int64_t high) { return random == nullptr ? 2 : random->Between(low, high); };
  if (api == "aclnnRepeat") {
    const int64_t rank = std::ssize(call.tensor("self").shape);
    std::vector<int64_t>& repeats = call.argument("repeats").integers;
    repeats.resize(
        static_cast<size_t>(random == nullptr ? rank : random->Between(rank, std::min<int64_t>(rank + 2, 8))));
    for (int64_t& repeat : repeats) repeat = drawn(rank > 5 ? 1 : 0, rank > 2 ? 2 : 3);
  } else if (api == "aclnnRepeatInterleaveIntWithDim" || api == "aclnnRepeatInterleaveInt") {
    const Dims& shape = call.tensor("self").shape;
    const int64_t repeats = call.argument("repeats").integer = drawn(0, 5);
    const bool has_dim = api == "aclnnRepeatInterleaveIntWithDim";
    if (has_dim && shape.empty()) return;
    const int64_t count =
        has_dim ? shape[calls::AxisOf(call.argument("dim").integer, shape.size())] : calls::ElementCount(shape);
    call.argument("outputSize").integer = repeats * count;
  } else {
    return;
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

}  // namespace portacl::ops::repeat
