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

/// An index that may count from the end, as a number from 0 on.
inline int64_t Wrapped(double index, int64_t size) { return static_cast<int64_t>(index) + (index < 0 ? size : 0); }

// An index in the axes of the result that holds that of one in a tensor of indices.
inline Dims PartOf(const Dims& index, size_t first, size_t count) {
  const auto begin = index.begin() + static_cast<ptrdiff_t>(first);
  return {begin, begin + static_cast<ptrdiff_t>(count)};
}

inline void GatherElements(calls::OracleCall& call) {
  const Dims& shape = call.Tensor("self").shape;
  const size_t dim = calls::AxisOf(call.Integer("dim"), std::max<size_t>(shape.size(), 1));
  const Dims& of_index = call.Tensor("index").shape;
  calls::MoveElements(call, "self", "out", [&](Dims index) {
    if (!shape.empty()) index[dim] = Wrapped(call.Values("index")[calls::NumberOf(of_index, index)], shape[dim]);
    return index;
  });
}

inline void GatherBatches(calls::OracleCall& call) {
  const Dims& shape = call.Tensor("self").shape;
  const Dims& of_index = call.Tensor("index").shape;
  const size_t dim = calls::AxisOf(call.Integer("dim"), std::max<size_t>(shape.size(), 1));
  const size_t batches = calls::AxisOf(call.Integer("batchDims"), of_index.size());
  const size_t axes = call.Tensor("out").shape.size() + 1 - std::max<size_t>(shape.size(), 1);
  calls::MoveElements(call, "self", "out", [&](const Dims& index) {
    if (shape.empty()) return Dims();
    Dims of = PartOf(index, 0, batches), source = PartOf(index, 0, dim);
    for (size_t i = 0; i < of_index.size() - batches; ++i) of.push_back(index[dim + i]);
    source.push_back(static_cast<int64_t>(call.Values("index")[calls::NumberOf(of_index, of)]));
    source.insert(source.end(), index.begin() + static_cast<ptrdiff_t>(dim + axes), index.end());
    return source;
  });
}

inline void GatherNamed(calls::OracleCall& call) {
  const Dims& shape = call.Tensor("self").shape;
  const Dims& of_index = call.Tensor("indices").shape;
  calls::MoveElements(call, "self", "out", [&](const Dims& index) {
    Dims of = PartOf(index, 0, of_index.size() - 1), source;
    of.push_back(0);
    for (size_t axis = 0; axis < static_cast<size_t>(of_index.back()); ++axis) {
      of.back() = static_cast<int64_t>(axis);
      source.push_back(Wrapped(call.Values("indices")[calls::NumberOf(of_index, of)], shape[axis]));
    }
    source.insert(source.end(), index.begin() + (std::ssize(of_index) - 1), index.end());
    return source;
  });
}

inline void TakeElements(calls::OracleCall& call) {
  const Dims& shape = call.Tensor("self").shape;
  const Dims& of_index = call.Tensor("index").shape;
  calls::MoveElements(call, "self", "out", [&](const Dims& index) {
    const double number = call.Values("index")[calls::NumberOf(of_index, index)];
    return calls::IndexOf(shape, Wrapped(number, calls::ElementCount(shape)));
  });
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() == "aclnnGather") return GatherElements(call), true;
  if (call.api() == "aclnnGatherV3") return GatherBatches(call), true;
  if (call.api() == "aclnnGatherNd") return GatherNamed(call), true;
  if (call.api() == "aclnnTake") return TakeElements(call), true;
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

// A shape of the same rank, no larger but along `dim`.
inline void DrawShapeWithin(const Dims& self, int64_t dim, calls::Random* random, Dims* index) {
  *index = self;
  if (self.empty() || random == nullptr) return;
  for (int64_t& size : *index) {
    if (random->Chance(0.3) && size > 0) size = random->Between(1, size);
  }
  int64_t& along = (*index)[calls::AxisOf(dim, self.size())];
  along = along == 0 ? 0 : random->Between(1, 2 * along);
}

// Indices that have components, or not: the rows of self that they name are not many more than it has.
inline void DrawNaming(calls::Call& call, calls::Random* random) {
  Dims& self = call.tensor("self").shape;
  if (self.empty()) self.push_back(3);
  Dims& indices = call.tensor("indices").shape;
  const int64_t axes = std::ssize(self);
  const int64_t named = random == nullptr ? 1 : random->Between(1, axes);
  const Dims first(self.begin(), self.begin() + named);
  LimitShape(&indices, self, calls::ElementCount(first), std::min<size_t>(3, static_cast<size_t>(8 - axes + named)));
  if (indices.size() == static_cast<size_t>(8 - axes + named)) indices.pop_back();
  indices.push_back(named);
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (api == "aclnnGather") {
    const Dims& self = call.tensor("self").shape;
    const int64_t axes = std::max<int64_t>(std::ssize(self), 1);
    call.argument("dim").integer = random == nullptr ? 0 : random->Between(-axes, axes - 1);
    DrawShapeWithin(self, call.argument("dim").integer, random, &call.tensor("index").shape);
  } else if (api == "aclnnGatherV3") {
    const Dims& self = call.tensor("self").shape;
    const int64_t axes = std::max<int64_t>(std::ssize(self), 1);
    const int64_t dim = random == nullptr ? axes - 1 : random->Between(0, axes - 1);
    const int64_t batches = random == nullptr ? 0 : random->Between(0, dim);
    call.argument("dim").integer = random != nullptr && random->Chance(0.5) ? dim - axes : dim;
    Dims& index = call.tensor("index").shape;
    if (self.empty()) {
      index.clear();
    } else {
      LimitShape(&index, self, self[static_cast<size_t>(dim)], std::min<size_t>(3, 9 - self.size()));
      index.insert(index.begin(), self.begin(), self.begin() + batches);
      if (index.size() + self.size() - static_cast<size_t>(batches) > 9 || std::ssize(index) > 8) index.pop_back();
    }
    const int64_t from_end = batches - std::ssize(index);
    call.argument("batchDims").integer = random != nullptr && random->Chance(0.5) ? from_end : batches;
  } else if (api == "aclnnGatherNd") {
    DrawNaming(call, random);
  } else if (api == "aclnnTake") {
    Dims& index = call.tensor("index").shape;
    if (calls::ElementCount(call.tensor("self").shape) == 0) index.assign(1, 0);
  } else if (IsGather(api)) {
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
  if (api == "aclnnGather")
    calls::WriteWrappingIndices(call, "index", AxisSize(call.tensor("self").shape, call.argument("dim").integer));
  if (api == "aclnnGatherV3")
    calls::WriteIndices(call, "index", AxisSize(call.tensor("self").shape, call.argument("dim").integer));
  if (api == "aclnnTake") calls::WriteWrappingIndices(call, "index", calls::ElementCount(call.tensor("self").shape));
  if (api == "aclnnGatherNd") {
    const Dims& self = call.tensor("self").shape;
    const int64_t named = call.tensor("indices").shape.back();
    // Components may share an address.
    calls::WriteWrappingIndices(call, "indices", *std::min_element(self.begin(), self.begin() + named));
  }
  if (api == "aclnnEmbedding") calls::WriteIndices(call, "indices", call.tensor("weight").shape[0]);
}

}  // namespace portacl::ops::gather
