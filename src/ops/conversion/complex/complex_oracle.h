// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "calls/element.h"
#include "calls/oracle.h"
#include "ops/conversion/complex/complex_spec.h"

namespace portacl::ops::complex {

/// The bytes of the real part, then those of the imaginary part, of each element.
inline void ComplexReference(size_t part_bytes, const std::byte* real, const std::byte* imag, std::byte* out) {
  std::memcpy(out, real, part_bytes);
  std::memcpy(out + part_bytes, imag, part_bytes);
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnComplex") return false;
  const calls::Dims& shape = call.Tensor("out").shape;
  const size_t bytes = calls::ElementBytes(call.Tensor("real").dtype);
  const auto count = static_cast<size_t>(calls::ElementCount(shape));
  call.ExactBytes("out").resize(count * 2 * bytes);
  calls::Dims index(shape.size(), 0);
  const auto element = [&](const char* name) {
    const calls::Dims& own = call.Tensor(name).shape;
    const calls::Dims strides = calls::ContiguousStrides(own);
    size_t at = 0;
    for (size_t axis = 0; axis < own.size(); ++axis) {
      if (own[axis] != 1) at += static_cast<size_t>(index[axis + shape.size() - own.size()] * strides[axis]);
    }
    return call.Bytes(name).data() + at * bytes;
  };
  for (size_t i = 0; i < count; ++i) {
    ComplexReference(bytes, element("real"), element("imag"), call.ExactBytes("out").data() + i * 2 * bytes);
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random*, int64_t) {
  if (std::string_view(call.schema().api) != "aclnnComplex") return;
  call.tensor("out").dtype = MadeOf(call.tensor("real").dtype);
}

}  // namespace portacl::ops::complex
