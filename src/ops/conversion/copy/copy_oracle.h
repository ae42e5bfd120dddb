// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <cstddef>
#include <vector>

#include "calls/convert_element.h"
#include "calls/element.h"
#include "calls/oracle.h"
#include "calls/views.h"

namespace portacl::ops::copy {

inline void CopyLists(calls::OracleCall& call) {
  for (size_t i = 0; i < call.Tensors("x").size(); ++i) {
    const calls::TensorSpec& x = call.Tensors("x")[i];
    const std::vector<std::byte> elements = calls::ReadElements(x);
    const aclDataType to = call.Tensors("out")[i].dtype;
    std::vector<std::byte>& out = call.ExactBytes("out");
    for (size_t at = 0; at < elements.size(); at += calls::ElementBytes(x.dtype)) {
      out.resize(out.size() + calls::ElementBytes(to));
      calls::ConvertElement(x.dtype, &elements[at], to, &out[out.size() - calls::ElementBytes(to)]);
    }
  }
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() == "aclnnForeachCopy") return CopyLists(call), true;
  const bool is_cast = call.api() == "aclnnCast";
  if (!is_cast && call.api() != "aclnnInplaceCopy") return false;
  const char* const to = is_cast ? "out" : "selfRef";
  const char* const from = is_cast ? "self" : "src";
  const calls::TensorSpec& self = call.Tensor(to);
  const calls::TensorSpec& src = call.Tensor(from);
  const calls::Dims strides = calls::ContiguousStrides(src.shape);
  const size_t self_bytes = calls::ElementBytes(self.dtype);
  const size_t src_bytes = calls::ElementBytes(src.dtype);
  const size_t missing = self.shape.size() - src.shape.size();
  const auto count = static_cast<size_t>(calls::ElementCount(self.shape));
  call.ExactBytes(to).resize(count * self_bytes);
  calls::Dims index(self.shape.size(), 0);
  for (size_t i = 0; i < count; ++i) {
    int64_t at = 0;
    for (size_t axis = 0; axis < src.shape.size(); ++axis) {
      if (src.shape[axis] != 1) at += index[axis + missing] * strides[axis];
    }
    calls::ConvertElement(src.dtype, &call.Bytes(from)[static_cast<size_t>(at) * src_bytes], self.dtype,
                          &call.ExactBytes(to)[i * self_bytes]);
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < self.shape[axis]) break;
      index[axis] = 0;
    }
  }
  return true;
}

}  // namespace portacl::ops::copy
