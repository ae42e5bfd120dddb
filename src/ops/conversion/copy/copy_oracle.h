// SPDX-License-Identifier: Apache-2.0
//
// The exact result of one element, computed in long double, which holds every value of every dtype; and the oracle of
// this room for the fuzzer and the tool. They share a file, as only tests compute with elements as numbers.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "calls/element.h"
#include "calls/oracle.h"

namespace portacl::ops::copy {

/// True for integers, for which conversions between each other keep the low bits.
inline bool IsInteger(aclDataType dtype) {
  return dtype != ACL_BOOL && calls::FindFloatFormat(calls::PartDtype(dtype)) == nullptr;
}

/// Converts one real number.
inline void ConvertPart(aclDataType from, const std::byte* in, aclDataType to, std::byte* out) {
  const long double value = calls::LoadElement(from, in);
  if (IsInteger(from) && IsInteger(to)) {
    const auto bits = value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
    std::memcpy(out, &bits, calls::ElementBytes(to));
  } else {
    calls::StoreElement(to, value, out);
  }
}

inline void CopyReference(aclDataType from, const std::byte* in, aclDataType to, std::byte* out) {
  const aclDataType from_part = calls::PartDtype(from);
  const aclDataType to_part = calls::PartDtype(to);
  const size_t from_bytes = calls::ElementBytes(from_part);
  if (from == to) {
    std::memcpy(out, in, calls::ElementBytes(from));
  } else if (from_part != from && to_part != to) {
    ConvertPart(from_part, in, to_part, out);
    ConvertPart(from_part, in + from_bytes, to_part, out + calls::ElementBytes(to_part));
  } else if (from_part != from && to == ACL_BOOL) {
    const bool is_zero = calls::LoadElement(from_part, in) == 0 && calls::LoadElement(from_part, in + from_bytes) == 0;
    *out = static_cast<std::byte>(!is_zero);
  } else {
    std::memset(out, 0, calls::ElementBytes(to));
    ConvertPart(from_part, in, to_part, out);
  }
}

inline bool Oracle(calls::OracleCall& call) {
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
    CopyReference(src.dtype, &call.Bytes(from)[static_cast<size_t>(at) * src_bytes], self.dtype,
                  &call.ExactBytes(to)[i * self_bytes]);
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < self.shape[axis]) break;
      index[axis] = 0;
    }
  }
  return true;
}

}  // namespace portacl::ops::copy
