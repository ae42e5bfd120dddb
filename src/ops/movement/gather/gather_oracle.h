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

namespace portacl::ops::gather {

using calls::Dims;

inline bool IsGather(std::string_view api) { return api == "aclnnGatherV2" || api == "aclnnIndexSelect"; }

inline int64_t AxisSize(const Dims& shape, int64_t dim) {
  return shape.empty() ? 1 : shape[calls::AxisOf(dim, shape.size())];
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() == "aclnnEmbedding") {
    calls::MoveElements(call, "weight", "out", [&](const Dims& index) {
      const Dims of_row(index.begin(), index.end() - 1);
      const size_t row = calls::NumberOf(call.Tensor("indices").shape, of_row);
      return Dims{static_cast<int64_t>(call.Values("indices")[row]), index.back()};
    });
    return true;
  }
  if (!IsGather(call.api())) return false;
  const size_t rank = call.Tensor("self").shape.size();
  const Dims& shape = call.Tensor("index").shape;
  const size_t dim = calls::AxisOf(call.Integer("dim"), std::max<size_t>(rank, 1));
  calls::MoveElements(call, "self", "out", [&](const Dims& index) {
    if (rank == 0) return Dims();
    const auto first = index.begin() + static_cast<ptrdiff_t>(dim);
    const auto last = first + std::max<ptrdiff_t>(std::ssize(shape), 1);
    const size_t number = shape.empty() ? 0 : calls::NumberOf(shape, Dims(first, last));
    Dims source(index.begin(), first);
    source.push_back(static_cast<int64_t>(call.Values("index")[number]));
    source.insert(source.end(), last, index.end());
    return source;
  });
  return true;
}

/// Limits the shape of `index` so that the result is not much larger than `self`.
inline void LimitShape(Dims* index, const Dims& self, int64_t axis_size, size_t most_axes) {
  while (index->size() > most_axes) index->erase(index->begin());
  const int64_t most = std::max<int64_t>(4096, 2 * calls::ElementCount(self));
  const int64_t row = calls::ElementCount(self) / std::max<int64_t>(axis_size, 1);
  while (calls::ElementCount(*index) * row > most) {
    int64_t& longest = *std::ranges::max_element(*index);
    if (index->size() > 1) {
      index->erase(index->begin());
    } else {
      longest /= 2;
    }
  }
  if (axis_size == 0) index->assign(1, 0);
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (IsGather(api)) {
    const Dims& self = call.tensor("self").shape;
    const int64_t axes = std::max<int64_t>(std::ssize(self), 1);
    call.argument("dim").integer = random == nullptr ? 0 : random->Between(-axes, axes - 1);
    Dims& index = call.tensor("index").shape;
    if (self.empty()) {
      index.clear();
    } else {
      const size_t most = api == "aclnnIndexSelect" ? 1 : std::min<size_t>(3, 9 - self.size());
      LimitShape(&index, self, AxisSize(self, call.argument("dim").integer), most);
    }
  } else if (api == "aclnnEmbedding") {
    Dims& weight = call.tensor("weight").shape;
    weight.resize(2, 3);
    LimitShape(&call.tensor("indices").shape, weight, weight[0], 3);
  } else {
    return;
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

inline void CompleteContents(calls::Call& call) {
  const std::string_view api = call.schema().api;
  if (IsGather(api))
    calls::WriteIndices(call, "index", AxisSize(call.tensor("self").shape, call.argument("dim").integer));
  if (api == "aclnnEmbedding") calls::WriteIndices(call, "indices", call.tensor("weight").shape[0]);
}

}  // namespace portacl::ops::gather
