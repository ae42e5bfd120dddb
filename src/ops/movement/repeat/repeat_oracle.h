// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
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
  } else if (call.api() == "aclnnRepeatInterleaveWithDim" || call.api() == "aclnnRepeatInterleave") {
    const bool has_dim = call.api() == "aclnnRepeatInterleaveWithDim";
    const Dims& shape = call.Tensor("self").shape;
    const size_t axis = has_dim ? calls::AxisOf(call.Integer("dim"), shape.size()) : 0;
    const int64_t rows = has_dim ? shape[axis] : calls::ElementCount(shape);
    const std::vector<double>& repeats = call.Values("repeats");
    std::vector<int64_t> row_of;
    for (int64_t row = 0; row < rows; ++row) {
      const double number = repeats[repeats.size() == 1 ? 0 : static_cast<size_t>(row)];
      row_of.insert(row_of.end(), static_cast<size_t>(number), row);
    }
    calls::MoveElements(call, "self", "out", [&](Dims index) {
      index[axis] = row_of[static_cast<size_t>(index[axis])];
      return has_dim ? index : calls::IndexOf(shape, index[0]);
    });
  } else if (call.api() == "aclnnRepeatInterleaveTensor") {
    for (size_t i = 0; i < call.Values("repeats").size(); ++i) {
      const auto number = static_cast<size_t>(call.Values("repeats")[i]);
      call.Values("out").insert(call.Values("out").end(), number, static_cast<double>(i));
    }
  } else {
    return false;
  }
  return true;
}

inline bool IsOfTensor(std::string_view api) {
  return api == "aclnnRepeatInterleaveWithDim" || api == "aclnnRepeatInterleave";
}

inline int64_t RowsOf(calls::Call& call) {
  const Dims& shape = call.tensor("self").shape;
  if (call.schema().Find("dim") < 0) return calls::ElementCount(shape);
  return shape[calls::AxisOf(call.argument("dim").integer, shape.size())];
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
  } else if (api == "aclnnRepeatInterleaveTensor") {
    call.argument("outputSize").integer = call.tensor("repeats").shape[0] * drawn(0, 3);
  } else if (IsOfTensor(api)) {
    const int64_t rows = RowsOf(call);
    call.tensor("repeats").shape.assign(1, random != nullptr && random->Chance(0.5) ? 1 : rows);
    call.argument("outputSize").integer = rows * drawn(0, 3);
  } else {
    return;
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

// All repeats are equal, as a view may read one element several times.
inline void CompleteContents(calls::Call& call) {
  const bool is_alone = std::string_view(call.schema().api) == "aclnnRepeatInterleaveTensor";
  if (!is_alone && !IsOfTensor(call.schema().api)) return;
  const int64_t rows = std::max<int64_t>(is_alone ? call.tensor("repeats").shape[0] : RowsOf(call), 1);
  calls::WriteIndices(call, "repeats", 1 << 20, call.argument("outputSize").integer / rows);
}

}  // namespace portacl::ops::repeat
