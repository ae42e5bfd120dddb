// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "calls/indices.h"
#include "calls/views.h"
#include "calls/word_calls.h"

namespace portacl::ops::concat {

using calls::Dims;

/// Converts one element to another dtype; for a complex number, its real part.
inline void ConvertElement(aclDataType from, const std::byte* in, aclDataType to, std::byte* out) {
  const auto is_integer = [](aclDataType dtype) {
    return dtype != ACL_BOOL && calls::FindFloatFormat(dtype) == nullptr;
  };
  if (from == to) return static_cast<void>(std::memcpy(out, in, calls::ElementBytes(to)));
  const aclDataType from_part = calls::PartDtype(from), to_part = calls::PartDtype(to);
  const long double value = calls::LoadElement(from_part, in);
  std::memset(out, 0, calls::ElementBytes(to));
  if (!is_integer(from_part) || !is_integer(to_part)) return calls::StoreElement(to_part, value, out);
  const uint64_t bits = value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
  std::memcpy(out, &bits, calls::ElementBytes(to));
}

inline bool Oracle(calls::OracleCall& call) {
  const bool is_stack = call.api() == "aclnnStack";
  if (!is_stack && call.api() != "aclnnCat") return false;
  const calls::TensorSpec& out = call.Tensor("out");
  const size_t axis = calls::AxisOf(call.Integer("dim"), out.shape.size());
  std::vector<std::vector<std::byte>> elements;
  for (const calls::TensorSpec& tensor : call.Tensors("tensors")) elements.push_back(calls::ReadElements(tensor));
  calls::ForEachIndex(out.shape, [&](Dims index) {
    size_t i = 0;
    if (is_stack) {
      i = static_cast<size_t>(index[axis]);
      index.erase(index.begin() + static_cast<ptrdiff_t>(axis));
    } else {
      for (; i + 1 < elements.size(); ++i) {
        const Dims& shape = call.Tensors("tensors")[i].shape;
        if (shape.size() != index.size()) continue;  // [0]
        if (index[axis] < shape[axis]) break;
        index[axis] -= shape[axis];
      }
    }
    const calls::TensorSpec& tensor = call.Tensors("tensors")[i];
    std::byte element[16];
    ConvertElement(tensor.dtype, &elements[i][calls::NumberOf(tensor.shape, index) * calls::ElementBytes(tensor.dtype)],
                   out.dtype, element);
    call.ExactBytes("out").insert(call.ExactBytes("out").end(), element, element + calls::ElementBytes(out.dtype));
  });
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (api != "aclnnStack" && api != "aclnnCat") return;
  std::vector<calls::TensorSpec>& tensors = call.argument("tensors").tensors;
  const int64_t rank = std::ssize(tensors.front().shape) + (api == "aclnnStack" ? 1 : 0);
  if (random != nullptr) tensors.resize(static_cast<size_t>(random->Between(1, 4)), tensors.front());
  call.argument("dim").integer = random == nullptr ? -1 : random->Between(-rank, rank - 1);
  for (calls::TensorSpec& tensor : tensors) {
    if (random == nullptr || api == "aclnnStack") break;
    int64_t& size = tensor.shape[calls::AxisOf(call.argument("dim").integer, tensor.shape.size())];
    if (size > 1 && size < 500) size = random->Between(1, 2 * size);
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

}  // namespace portacl::ops::concat
