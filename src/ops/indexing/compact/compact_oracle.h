// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "calls/convert_element.h"
#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::compact {

using calls::Dims;

inline bool IsNonzero(std::string_view api) { return api == "aclnnNonzero" || api == "aclnnNonzeroV2"; }

/// The number of the element of `from` that is broadcast to this index.
inline size_t BroadcastNumber(const Dims& from, const Dims& index) {
  Dims own(index.end() - std::ssize(from), index.end());
  for (size_t axis = 0; axis < from.size(); ++axis) own[axis] = from[axis] == 1 ? 0 : own[axis];
  return calls::NumberOf(from, own);
}

inline Dims BroadcastShape(const Dims& a, const Dims& b) {
  Dims shape(std::max(a.size(), b.size()), 1);
  for (const Dims& from : {a, b}) {
    for (size_t axis = 0; axis < from.size(); ++axis) {
      int64_t& size = shape[shape.size() - from.size() + axis];
      if (size == 1) size = from[axis];
    }
  }
  return shape;
}

inline void StoreCoordinates(calls::OracleCall& call, bool is_transposed) {
  const Dims& self = call.Tensor("self").shape;
  std::vector<Dims> found;
  calls::ForEachIndex(self, [&](const Dims& index) {
    if (call.Values("self")[calls::NumberOf(self, index)] != 0) found.push_back(index);
  });
  Dims& shape = call.ResultShape("out") = {std::ssize(found), std::ssize(self)};
  if (is_transposed) std::swap(shape[0], shape[1]);
  for (size_t j = 0; j < found.size(); ++j) {
    for (size_t axis = 0; axis < self.size(); ++axis) {
      const size_t at = is_transposed ? axis * found.size() + j : j * self.size() + axis;
      std::memcpy(&call.ExactBytes("out")[at * sizeof(int64_t)], &found[j][axis], sizeof(int64_t));
    }
  }
}

inline void StoreSelected(calls::OracleCall& call) {
  const calls::TensorSpec &self = call.Tensor("self"), &out = call.Tensor("out");
  const Dims& mask = call.Tensor("mask").shape;
  const size_t self_bytes = calls::ElementBytes(self.dtype), out_bytes = calls::ElementBytes(out.dtype);
  size_t found = 0;
  calls::ForEachIndex(BroadcastShape(self.shape, mask), [&](const Dims& index) {
    if (call.Values("mask")[BroadcastNumber(mask, index)] == 0) return;
    calls::ConvertElement(self.dtype, &call.Bytes("self")[BroadcastNumber(self.shape, index) * self_bytes], out.dtype,
                          &call.ExactBytes("out")[found++ * out_bytes]);
  });
  call.ResultShape("out") = {static_cast<int64_t>(found)};
}

inline void StoreScattered(calls::OracleCall& call) {
  const Dims& mask = call.Tensor("mask").shape;
  const Dims& self = call.Tensor("selfRef").shape;
  const size_t bytes = calls::ElementBytes(call.Tensor("selfRef").dtype);
  size_t taken = 0;
  calls::ForEachIndex(self, [&](const Dims& index) {
    if (call.Values("mask")[BroadcastNumber(mask, index)] == 0) return;
    std::memcpy(&call.ExactBytes("selfRef")[calls::NumberOf(self, index) * bytes],
                &call.Bytes("source")[taken++ * bytes], bytes);
  });
}

// What the operators do not write keeps its content.
inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  const bool is_scatter = api == "aclnnInplaceMaskedScatter";
  if (!IsNonzero(api) && api != "aclnnMaskedSelect" && !is_scatter) return false;
  const char* const written = is_scatter ? "selfRef" : "out";
  call.ExactBytes(written) = call.Bytes(written);
  const calls::TensorSpec& tensor = call.Tensor(written);
  call.ExactBytes(written).resize(static_cast<size_t>(calls::ElementCount(tensor.shape)) *
                                  calls::ElementBytes(tensor.dtype));
  if (is_scatter) {
    StoreScattered(call);
  } else if (api == "aclnnMaskedSelect") {
    StoreSelected(call);
  } else {
    StoreCoordinates(call, api == "aclnnNonzeroV2");
  }
  return true;
}

/// Makes some axes 1, and drops some of the first ones.
inline void DrawBroadcast(Dims* shape, calls::Random* random) {
  while (!shape->empty() && random->Chance(0.15)) shape->erase(shape->begin());
  for (int64_t& size : *shape) size = random->Chance(0.15) ? 1 : size;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (api == "aclnnMaskedSelect") {
    Dims &self = call.tensor("self").shape, &mask = call.tensor("mask").shape;
    mask = self;
    if (random != nullptr) {
      DrawBroadcast(&mask, random);
      DrawBroadcast(&self, random);
    }
  } else if (!IsNonzero(api)) {
    return;
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

/// Zeros are rare among random floats.
inline void CompleteContents(calls::Call& call) {
  if (!IsNonzero(call.schema().api)) return;
  const calls::TensorSpec& self = call.tensor("self");
  if (self.data == nullptr) return;
  std::vector<std::byte> block = calls::ReadBlock(self);
  const std::vector<size_t> offsets = calls::ElementOffsets(self);
  const size_t bytes = calls::ElementBytes(self.dtype);
  const std::vector<std::byte> zero(bytes);
  const auto is_zero = [&](size_t at) { return std::memcmp(&block[at], zero.data(), bytes) == 0; };
  if (std::ranges::any_of(offsets, is_zero)) return;
  for (size_t i = 0; i < offsets.size(); i += 1 + i % 3) std::memset(&block[offsets[i]], 0, bytes);
  aclrtMemcpy(self.data, block.size(), block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE);
}

}  // namespace portacl::ops::compact
