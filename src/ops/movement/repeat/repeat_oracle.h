// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/scatter_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::repeat {

using calls::Dims;

inline bool IsGradient(std::string_view api) { return api == "aclnnRepeatInterleaveGrad"; }

inline void SumRuns(calls::OracleCall& call) {
  const Dims& shape = call.Tensor("yGrad").shape;
  const size_t axis = calls::AxisOf(call.Integer("axis"), shape.size());
  const std::vector<double>& repeats = call.Values("repeats");
  Dims sums = shape;
  sums[axis] =
      calls::ElementCount(call.Tensor("out").shape) * shape[axis] / std::max<int64_t>(calls::ElementCount(shape), 1);
  std::vector<int64_t> run_of;
  for (int64_t run = 0; run < sums[axis]; ++run)
    run_of.insert(run_of.end(), static_cast<size_t>(repeats[repeats.size() == 1 ? 0 : static_cast<size_t>(run)]), run);
  calls::Destinations to(call, "", "out", calls::Combination::kAdd, false);
  calls::ForEachIndex(shape, [&](Dims index) {
    const size_t element = calls::NumberOf(shape, index);
    index[axis] = run_of[static_cast<size_t>(index[axis])];
    to.PutNumber(calls::NumberOf(sums, index), static_cast<long double>(call.Values("yGrad")[element]));
  });
  to.Finish();
}

inline bool Oracle(calls::OracleCall& call) {
  if (IsGradient(call.api())) return SumRuns(call), true;
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

// Runs of equal lengths, each with its number or all with one; sometimes in an output of one axis.
inline void DrawRuns(calls::Call& call, calls::Random* random) {
  Dims& shape = call.tensor("yGrad").shape;
  if (shape.empty()) shape = {4};
  const int64_t axes = std::ssize(shape);
  call.argument("axis").integer = random == nullptr ? 0 : random->Between(-axes, axes - 1);
  int64_t& along = shape[calls::AxisOf(call.argument("axis").integer, shape.size())];
  const int64_t rows = along == 0 ? 1 : along;
  Dims out = shape;
  out[calls::AxisOf(call.argument("axis").integer, shape.size())] = rows;
  along *= random == nullptr ? 2 : random->Between(1, 3);
  call.tensor("repeats").shape.assign(1, random != nullptr && random->Chance(0.5) ? 1 : rows);
  if (random != nullptr && random->Chance(0.3)) out = {calls::ElementCount(out)};
  call.tensor("out").shape = out;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (IsGradient(api)) return DrawRuns(call, random);
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
  if (IsGradient(call.schema().api)) {
    const int64_t elements = calls::ElementCount(call.tensor("out").shape);
    const int64_t length = elements == 0 ? 0 : calls::ElementCount(call.tensor("yGrad").shape) / elements;
    return calls::WriteIndices(call, "repeats", 1 << 20, length);
  }
  const bool is_alone = std::string_view(call.schema().api) == "aclnnRepeatInterleaveTensor";
  if (!is_alone && !IsOfTensor(call.schema().api)) return;
  const int64_t rows = std::max<int64_t>(is_alone ? call.tensor("repeats").shape[0] : RowsOf(call), 1);
  calls::WriteIndices(call, "repeats", 1 << 20, call.argument("outputSize").integer / rows);
}

}  // namespace portacl::ops::repeat
