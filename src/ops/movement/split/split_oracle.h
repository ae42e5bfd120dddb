// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the sizes of the pieces of a valid call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/indices.h"

namespace portacl::ops::split {

inline bool IsOfRoom(std::string_view api) { return api == "aclnnSplitWithSize" || api == "aclnnSplitTensor"; }

inline bool Oracle(calls::OracleCall& call) {
  if (!IsOfRoom(call.api())) return false;
  const calls::TensorSpec& self = call.Tensor("self");
  const size_t axis = calls::AxisOf(call.Integer("dim"), self.shape.size());
  const auto bytes = static_cast<ptrdiff_t>(calls::ElementBytes(self.dtype));
  int64_t first = 0;
  for (const calls::TensorSpec& piece : call.Tensors("out")) {
    calls::ForEachIndex(piece.shape, [&](calls::Dims index) {
      index[axis] += first;
      const auto element =
          call.Bytes("self").begin() + static_cast<ptrdiff_t>(calls::NumberOf(self.shape, index)) * bytes;
      call.ExactBytes("out").insert(call.ExactBytes("out").end(), element, element + bytes);
    });
    first += piece.shape[axis];
  }
  return true;
}

/// Several pieces, some of them empty.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (!IsOfRoom(api)) return;
  const calls::Dims& shape = call.tensor("self").shape;
  if (shape.empty()) return;
  const size_t axis = calls::AxisOf(call.argument("dim").integer, shape.size());
  const int64_t length = shape[axis];
  std::vector<int64_t> sizes;
  if (api == "aclnnSplitWithSize") {
    int64_t left = length;
    for (int64_t i = random == nullptr ? 1 : random->Between(0, 3); i > 0; --i) {
      sizes.push_back(random == nullptr ? left / 2 : random->Between(0, left));
      left -= sizes.back();
    }
    sizes.push_back(left);
    call.argument("splitSize").integers = sizes;
  } else {
    const int64_t most = std::max<int64_t>(1, length);
    const int64_t section = random == nullptr ? (most + 1) / 2 : random->Between(most / 5 + 1, most + 1);
    call.argument("splitSections").integer = section;
    for (int64_t at = 0; at == 0 || at < length; at += section) sizes.push_back(std::min(section, length - at));
  }
  std::vector<calls::TensorSpec>& pieces = call.argument("out").tensors;
  pieces.resize(sizes.size(), pieces.front());
  for (size_t i = 0; i < sizes.size(); ++i) {
    pieces[i].shape = shape;
    pieces[i].shape[axis] = sizes[i];
  }
}

}  // namespace portacl::ops::split
