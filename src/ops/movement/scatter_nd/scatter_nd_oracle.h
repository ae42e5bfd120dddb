// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/scatter_oracle.h"
#include "calls/views.h"
#include "calls/word_calls.h"

namespace portacl::ops::scatter_nd {

using calls::Combination;
using calls::Dims;

inline bool NamesParts(std::string_view api) {
  return api == "aclnnScatterNd" || api == "aclnnScatterNdUpdate" || api == "aclnnTfScatterAdd";
}
inline bool IsPut(std::string_view api) { return api == "aclnnInplacePut"; }
inline bool IsUpdate(std::string_view api) { return api == "aclnnInplaceScatterUpdate"; }

inline bool IsList(std::string_view api) { return api == "aclnnScatterList"; }

// Whether each index names a row: its shape and that of a row are the shape of updates.
inline bool NamesRows(const Dims& self, const Dims& indices, const Dims& updates) {
  Dims rows = indices;
  rows.insert(rows.end(), self.begin() + 1, self.end());
  return rows == updates;
}

class Parts {
 public:
  Parts(calls::OracleCall& call, Combination combination)
      : call_(call),
        self_(call.schema().args[0].name),
        index_(call.schema().args[1].name),
        source_(call.schema().args[2].name),
        shape_(call.Tensor(self_).shape),
        of_index_(call.Tensor(index_).shape),
        of_source_(call.Tensor(source_).shape),
        to_(call, self_, call.schema().Find("out") < 0 ? self_ : "out", combination) {}

  void PutParts() {
    const bool rows = call_.api() == "aclnnTfScatterAdd" && NamesRows(shape_, of_index_, of_source_);
    const size_t positions = of_index_.size() - (rows ? 0 : 1);
    const size_t named = rows ? 1 : static_cast<size_t>(of_index_.back());
    calls::ForEachIndex(of_source_, [&](const Dims& index) {
      Dims to, of(index.begin(), index.begin() + static_cast<ptrdiff_t>(positions));
      if (!rows) of.push_back(0);
      for (size_t axis = 0; axis < named; ++axis) {
        if (!rows) of.back() = static_cast<int64_t>(axis);
        to.push_back(Index(calls::NumberOf(of_index_, of)));
      }
      to.insert(to.end(), index.begin() + static_cast<ptrdiff_t>(positions), index.end());
      Put(to, calls::NumberOf(of_source_, index));
    });
    to_.Finish();
  }

  void PutElements() {
    const int64_t size = calls::ElementCount(shape_);
    for (size_t i = 0; i < call_.Values(index_).size(); ++i)
      Put(calls::IndexOf(shape_, calls::Wrapped(call_.Values(index_)[i], size)), i);
    to_.Finish();
  }

  void PutSlices() {
    const size_t axis = calls::AxisOf(call_.Integer("axis"), shape_.size());
    calls::ForEachIndex(of_source_, [&](const Dims& index) {
      Dims to = index;
      const auto part = static_cast<size_t>(index[0]);
      const bool pairs = of_index_.size() == 2;
      if (pairs) to[0] = Index(2 * part);
      to[axis] += Index(pairs ? 2 * part + 1 : part);
      Put(to, calls::NumberOf(of_source_, index));
    });
    to_.Finish();
  }

 private:
  int64_t Index(size_t number) { return static_cast<int64_t>(call_.Values(index_)[number]); }
  void Put(const Dims& to, size_t source) {
    to_.Put(calls::NumberOf(shape_, to),
            &call_.Bytes(source_)[source * calls::ElementBytes(call_.Tensor(self_).dtype)]);
  }

  calls::OracleCall& call_;
  std::string_view self_;
  std::string_view index_;
  std::string_view source_;
  const Dims& shape_;
  const Dims& of_index_;
  const Dims& of_source_;
  calls::Destinations to_;
};

inline void PutSlicesOfList(calls::OracleCall& call) {
  const std::vector<calls::TensorSpec>& list = call.Tensors("varRef");
  const Dims& updates = call.Tensor("updates").shape;
  const size_t axis = calls::AxisOf(call.Integer("axis"), list[0].shape.size());
  const size_t bytes = calls::ElementBytes(list[0].dtype);
  std::vector<std::byte>& elements = call.ExactBytes("varRef");
  std::vector<size_t> first;  // byte of each tensor
  for (const calls::TensorSpec& tensor : list) {
    first.push_back(elements.size());
    const std::vector<std::byte> before = calls::ReadElements(tensor);
    elements.insert(elements.end(), before.begin(), before.end());
  }
  calls::ForEachIndex(updates, [&](const Dims& index) {
    const auto b = static_cast<size_t>(index[0]);
    if (!call.Argument("maskOptional").null && call.Values("maskOptional")[b] == 0) return;
    Dims to(index.begin() + 1, index.end());
    to[axis] += static_cast<int64_t>(call.Values("indice")[b]);
    const auto from = call.Bytes("updates").begin() + static_cast<ptrdiff_t>(calls::NumberOf(updates, index) * bytes);
    std::copy_n(from, bytes,
                elements.begin() + static_cast<ptrdiff_t>(first[b] + calls::NumberOf(list[b].shape, to) * bytes));
  });
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  const bool adds = api == "aclnnTfScatterAdd" || (IsPut(api) && call.Integer("accumulate") != 0);
  const Combination combination = adds ? Combination::kAdd : Combination::kReplace;
  if (NamesParts(api)) return Parts(call, combination).PutParts(), true;
  if (IsPut(api)) return Parts(call, combination).PutElements(), true;
  if (IsUpdate(api)) return Parts(call, combination).PutSlices(), true;
  if (IsList(api)) return PutSlicesOfList(call), true;
  return false;
}

inline void DrawParts(calls::Call& call, calls::Random* random) {
  const Dims& self = call.tensor(0).shape;
  const int64_t axes = std::ssize(self);
  const bool rows =
      std::string_view(call.schema().api) == "aclnnTfScatterAdd" && (random == nullptr || random->Chance(0.5));
  const int64_t named = rows || random == nullptr ? 1 : random->Between(1, axes);
  int64_t size = 1;
  for (int64_t axis = 0; axis < named; ++axis) size *= self[static_cast<size_t>(axis)];
  Dims updates = {size == 0 ? 0 : random == nullptr ? size : random->Between(0, 2 * size)};
  if (random != nullptr && random->Chance(0.3) && axes - named < 7) updates.insert(updates.begin(), 1);
  Dims& indices = call.tensor(1).shape = updates;
  if (!rows) indices.push_back(named);
  updates.insert(updates.end(), self.begin() + named, self.end());
  call.tensor(2).shape = updates;
  if (call.schema().Find("out") >= 0) call.tensor("out").shape = self;
}

inline void DrawSlices(calls::Call& call, calls::Random* random) {
  Dims& data = call.tensor(0).shape;
  for (int64_t& size : data) size = std::max<int64_t>(size, 1);
  const int64_t axes = std::ssize(data);
  const int64_t axis = random == nullptr ? 1 : random->Between(1, axes - 1);
  call.argument("axis").integer = random != nullptr && random->Chance(0.5) ? axis - axes : axis;
  Dims& updates = call.tensor(2).shape = data;
  if (random != nullptr) updates[static_cast<size_t>(axis)] = random->Between(1, data[static_cast<size_t>(axis)]);
  const bool pairs = random != nullptr && random->Chance(0.5);
  if (random != nullptr) updates[0] = random->Between(1, pairs ? 2 * data[0] : data[0]);
  call.tensor(1).shape = {updates[0]};
  if (pairs) call.tensor(1).shape.push_back(2);
}

inline void DrawList(calls::Call& call, calls::Random* random) {
  std::vector<calls::TensorSpec>& list = call.argument("varRef").tensors;
  Dims& first = list[0].shape;
  for (int64_t& size : first) size = std::max<int64_t>(size, 1);
  if (random != nullptr && random->Chance(0.3)) first.insert(first.begin(), random->Between(1, 3));
  if (random != nullptr && first.size() > 1 && random->Chance(0.2)) first.pop_back();
  const calls::TensorSpec tensor_of_all = list[0];
  list.assign(random == nullptr ? 2 : static_cast<size_t>(random->Between(1, 4)), tensor_of_all);
  const int64_t axes = std::ssize(list[0].shape);
  const int64_t axis = random == nullptr ? 0 : random->Between(0, axes - 1);
  call.argument("axis").integer = random != nullptr && random->Chance(0.5) ? axis - axes : axis;
  const int64_t count = std::ssize(list);
  Dims& updates = call.tensor("updates").shape = list[0].shape;
  int64_t& size = updates[static_cast<size_t>(axis)];
  if (random != nullptr) size = random->Between(1, size);
  for (calls::TensorSpec& tensor : list) {
    if (random != nullptr) tensor.shape[static_cast<size_t>(axis)] += random->Between(0, 2);
  }
  updates.insert(updates.begin(), count);
  for (const char* const name : {"indice", "maskOptional"}) {
    if (!call.argument(name).null) call.tensor(name).shape = {count};
  }
  call.argument("reduceOptional").text = "update";
}

// Complex elements are not added.
inline void LimitSums(calls::Call& call) {
  const aclDataType dtype = call.tensor(0).dtype;
  if (calls::PartDtype(dtype) != dtype) call.argument("accumulate").integer = 0;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (NamesParts(api)) DrawParts(call, random);
  if (IsUpdate(api)) DrawSlices(call, random);
  if (IsList(api)) DrawList(call, random);
  if (!IsPut(api)) return;
  const calls::TensorSpec& self = call.tensor(0);
  if (calls::ElementCount(self.shape) == 0) call.tensor(1).shape = {0};
  call.tensor(2).shape = {calls::ElementCount(call.tensor(1).shape)};
  LimitSums(call);
}

inline void CompleteContents(calls::Call& call) {
  const std::string_view api = call.schema().api;
  if (IsList(api)) {
    const std::vector<calls::TensorSpec>& list = call.argument("varRef").tensors;
    const size_t axis = calls::AxisOf(call.argument("axis").integer, list[0].shape.size());
    int64_t least = list[0].shape[axis];
    for (const calls::TensorSpec& tensor : list) least = std::min(least, tensor.shape[axis]);
    calls::WriteIndices(call, "indice", least - call.tensor("updates").shape[axis + 1] + 1);
    if (!call.argument("maskOptional").null) calls::WriteIndices(call, "maskOptional", 2);
    return;
  }
  if (!NamesParts(api) && !IsUpdate(api) && !IsPut(api)) return;
  const Dims& self = call.tensor(0).shape;
  const Dims& indices = call.tensor(1).shape;
  const Dims& updates = call.tensor(2).shape;
  const char* const name = call.schema().args[1].name;
  if (IsPut(api)) {
    LimitSums(call);  // dtypes may have changed
    return calls::WriteWrappingIndices(call, name, calls::ElementCount(self));
  }
  const bool rows = api == "aclnnTfScatterAdd" && NamesRows(self, indices, updates);
  if (IsUpdate(api)) {
    const size_t axis = calls::AxisOf(call.argument("axis").integer, self.size());
    const int64_t positions = self[axis] - updates[axis] + 1;
    return calls::WriteIndices(call, name, indices.size() == 2 ? std::min(self[0], positions) : positions);
  }
  // Components may share an address.
  const int64_t components = rows || indices.empty() ? 1 : indices.back();
  calls::WriteIndices(call, name, *std::min_element(self.begin(), self.begin() + std::max<int64_t>(components, 1)));
}

}  // namespace portacl::ops::scatter_nd
