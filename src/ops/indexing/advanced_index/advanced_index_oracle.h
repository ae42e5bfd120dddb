// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
// Generated calls index with integers; the room's tests draw masks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "calls/element.h"
#include "calls/indices.h"
#include "calls/scatter_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::advanced_index {

using calls::Dims;

inline bool IsPut(std::string_view api) { return api == "aclnnIndexPutImpl"; }
inline bool IsIndexing(std::string_view api) { return api == "aclnnIndex" || IsPut(api); }

/// Integers that name places along one axis.
struct AxisIndices {
  size_t axis;
  Dims shape;
  std::vector<int64_t> places;
};

/// The indices of a call, those of a mask by axis.
class IndexLists {
 public:
  IndexLists(const Dims& indexed, const std::vector<calls::TensorSpec>& indices) : indexed_(indexed) {
    size_t axis = 0;
    for (const calls::TensorSpec& tensor : indices) {
      if (calls::ElementCount(tensor.shape) == 0) {
        ++axis;
      } else if (tensor.dtype == ACL_BOOL) {
        AddMask(tensor, axis);
        axis += tensor.shape.size();
      } else {
        AddIntegers(tensor, axis++);
      }
    }
  }

  bool empty() const { return lists_.empty(); }
  Dims Broadcast() const {
    Dims shape;
    for (const AxisIndices& list : lists_) {
      while (shape.size() < list.shape.size()) shape.insert(shape.begin(), 1);
      for (size_t axis = 0; axis < list.shape.size(); ++axis) {
        int64_t& size = shape[shape.size() - list.shape.size() + axis];
        if (size == 1) size = list.shape[axis];
      }
    }
    return shape;
  }
  Dims ResultShape() const {
    Dims result = Others();
    const Dims broadcast = Broadcast();
    result.insert(result.begin() + Place(), broadcast.begin(), broadcast.end());
    return result;
  }
  /// The index in the indexed tensor of an element of the result.
  Dims SourceOf(const Dims& index) const {
    const Dims broadcast = Broadcast();
    const auto begin = index.begin() + Place(), end = begin + std::ssize(broadcast);
    const Dims of_lists(begin, end);
    Dims others(index.begin(), begin);
    others.insert(others.end(), end, index.end());
    Dims source(indexed_.size(), -1);
    for (const AxisIndices& list : lists_) {
      Dims own(of_lists.end() - std::ssize(list.shape), of_lists.end());
      for (size_t axis = 0; axis < own.size(); ++axis) own[axis] = list.shape[axis] == 1 ? 0 : own[axis];
      source[list.axis] = list.places[calls::NumberOf(list.shape, own)];
    }
    for (size_t axis = 0, next = 0; axis < source.size(); ++axis) {
      if (!IsIndexed(axis)) source[axis] = others[next++];
    }
    return source;
  }

 private:
  bool IsIndexed(size_t axis) const {
    return std::ranges::any_of(lists_, [=](const AxisIndices& list) { return list.axis == axis; });
  }
  Dims Others() const {
    Dims others;
    for (size_t axis = 0; axis < indexed_.size(); ++axis) {
      if (!IsIndexed(axis)) others.push_back(indexed_[axis]);
    }
    return others;
  }
  // The axis of the result where the broadcast shape is.
  ptrdiff_t Place() const {
    if (lists_.empty()) return 0;
    const size_t first = lists_.front().axis;
    for (size_t i = 0; i < lists_.size(); ++i) {
      if (lists_[i].axis != first + i) return 0;
    }
    return static_cast<ptrdiff_t>(first);
  }
  void AddIntegers(const calls::TensorSpec& tensor, size_t axis) {
    lists_.push_back({axis, tensor.shape, {}});
    if (tensor.data == nullptr) return;  // only shapes are asked for
    for (const double value : calls::Decode(tensor.dtype, calls::ReadElements(tensor)))
      lists_.back().places.push_back(static_cast<int64_t>(value) + (value < 0 ? indexed_[axis] : 0));
  }
  void AddMask(const calls::TensorSpec& mask, size_t axis) {
    const std::vector<std::byte> elements = calls::ReadElements(mask);
    std::vector<Dims> found;
    calls::ForEachIndex(mask.shape, [&](const Dims& index) {
      if (elements[calls::NumberOf(mask.shape, index)] != std::byte{0}) found.push_back(index);
    });
    for (size_t i = 0; i < mask.shape.size(); ++i) {
      lists_.push_back({axis + i, {std::ssize(found)}, {}});
      for (const Dims& index : found) lists_.back().places.push_back(index[i]);
    }
  }

  Dims indexed_;
  std::vector<AxisIndices> lists_;
};

/// The number of the element of `from` that is broadcast to this index.
inline size_t BroadcastNumber(const Dims& from, Dims index) {
  while (index.size() < from.size()) index.insert(index.begin(), 0);
  index.erase(index.begin(), index.end() - std::ssize(from));
  for (size_t axis = 0; axis < from.size(); ++axis) index[axis] = from[axis] == 1 ? 0 : index[axis];
  return calls::NumberOf(from, index);
}

inline bool PutOracle(calls::OracleCall& call) {
  const calls::TensorSpec &self = call.Tensor("selfRef"), &values = call.Tensor("values");
  const IndexLists lists(self.shape, call.Tensors("indices"));
  calls::Destinations places(call, "selfRef", "selfRef",
                             call.Integer("accumulate") != 0 ? calls::Combination::kAdd : calls::Combination::kReplace);
  if (!lists.empty() && calls::ElementCount(values.shape) != 0 && calls::ElementCount(self.shape) != 0) {
    const size_t bytes = calls::ElementBytes(values.dtype);
    calls::ForEachIndex(lists.ResultShape(), [&](const Dims& index) {
      places.Put(calls::NumberOf(self.shape, lists.SourceOf(index)),
                 &call.Bytes("values")[BroadcastNumber(values.shape, index) * bytes]);
    });
  }
  places.Finish();
  return true;
}

inline bool Oracle(calls::OracleCall& call) {
  if (!IsIndexing(call.api())) return false;
  if (IsPut(call.api())) return PutOracle(call);
  const calls::TensorSpec& self = call.Tensor("self");
  const IndexLists lists(self.shape, call.Tensors("indices"));
  const calls::TensorSpec& out = call.Tensor("out");
  calls::ElementsToMove elements(call, "self", "out");
  if (calls::ElementCount(out.shape) == 0) return true;
  if (lists.empty()) {
    calls::ForEachIndex(self.shape, [&](const Dims& index) { elements.Append(index); });
  } else {
    calls::ForEachIndex(lists.ResultShape(), [&](const Dims& index) { elements.Append(lists.SourceOf(index)); });
  }
  return true;
}

/// A shape that is broadcast to `shape`.
inline Dims DrawBroadcast(Dims shape, calls::Random* random) {
  if (random == nullptr) return shape;
  while (!shape.empty() && random->Chance(0.2)) shape.erase(shape.begin());
  for (int64_t& size : shape) size = random->Chance(0.2) ? 1 : size;
  return shape;
}

inline bool HasComplexElements(calls::Call& call) { return call.tensor(0).dtype == ACL_COMPLEX64; }

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  if (!IsIndexing(call.schema().api)) return;
  const Dims& self = call.tensor(0).shape;
  const auto rank = std::ssize(self);
  std::vector<calls::TensorSpec>& indices = call.argument("indices").tensors;
  calls::TensorSpec like;
  like.dtype = random != nullptr && random->Chance(0.5) ? ACL_INT32 : ACL_INT64;
  like.shape = {0};
  const ptrdiff_t count = random == nullptr || rank == 0 ? std::min<ptrdiff_t>(rank, 1) : random->Between(1, rank);
  indices.assign(static_cast<size_t>(count), like);
  call.argument("indices").integer = like.dtype;  // that of a list without tensors
  Dims shape = {elements > 0 && rank > 0 ? std::max<int64_t>(self[0], 1) : 3};
  if (random != nullptr) {
    const int64_t row =
        calls::ElementCount(self) / (rank == 0 ? 1 : std::max<int64_t>(1, *std::ranges::min_element(self)));
    const int64_t most =
        std::max<int64_t>(1, std::max<int64_t>(4096, calls::ElementCount(self)) / std::max<int64_t>(row, 1));
    shape.clear();
    for (int64_t axes = random->Between(0, std::min<int64_t>(3, 9 - rank)), left = most; axes-- > 0;
         left /= shape.back())
      shape.push_back(random->Between(1, std::max<int64_t>(1, std::min<int64_t>(left, 300))));
  }
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    if (self[axis] != 0 && (random == nullptr || random->Chance(0.7)))
      indices[axis].shape = DrawBroadcast(shape, random);
  }
  if (!IsPut(call.schema().api)) return calls::ComputeShapeOf(call, call.schema().Find("out"));
  const IndexLists lists(self, indices);
  Dims& values = call.tensor("values").shape;
  values = lists.empty() ? self : DrawBroadcast(lists.ResultShape(), random);
  if (random != nullptr) call.argument("accumulate").integer = random->Chance(0.5) && !HasComplexElements(call) ? 1 : 0;
}

/// Makes integers name places along their axes, half of them from the end.
inline void CompleteContents(calls::Call& call) {
  if (!IsIndexing(call.schema().api)) return;
  const Dims& self = call.tensor(0).shape;
  if (HasComplexElements(call) && IsPut(call.schema().api)) call.argument("accumulate").integer = 0;
  size_t axis = 0;
  for (const calls::TensorSpec& index : call.argument("indices").tensors) {
    const bool is_mask = index.dtype == ACL_BOOL;
    if (index.data != nullptr && !is_mask) {
      std::vector<std::byte> block = calls::ReadBlock(index);
      for (const size_t at : calls::ElementOffsets(index)) {
        const size_t bytes = calls::ElementBytes(index.dtype);
        uint64_t bits = 0;
        std::memcpy(&bits, &block[at], bytes);
        const int64_t place = static_cast<int64_t>(bits % static_cast<uint64_t>(self[axis]));
        const int64_t value = bits % 2 == 0 ? place : place - self[axis];
        std::memcpy(&block[at], &value, bytes);
      }
      aclrtMemcpy(index.data, block.size(), block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE);
    }
    axis += is_mask && index.data != nullptr ? index.shape.size() : 1;
  }
}

}  // namespace portacl::ops::advanced_index
