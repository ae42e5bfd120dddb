// SPDX-License-Identifier: Apache-2.0
// The exact result of converting one element, computed in long double, which holds every value of every dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"
#include "calls/element.h"

namespace portacl::calls {

/// True for integers, for which conversions between each other keep the low bits.
inline bool IsInteger(aclDataType dtype) { return dtype != ACL_BOOL && FindFloatFormat(PartDtype(dtype)) == nullptr; }

/// Converts one real number.
inline void ConvertPart(aclDataType from, const std::byte* in, aclDataType to, std::byte* out) {
  const long double value = LoadElement(from, in);
  if (IsInteger(from) && IsInteger(to)) {
    const auto bits = value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
    std::memcpy(out, &bits, ElementBytes(to));
  } else {
    StoreElement(to, value, out);
  }
}

/// Converts one element to another dtype, as the copying operators do.
inline void ConvertElement(aclDataType from, const std::byte* in, aclDataType to, std::byte* out) {
  const aclDataType from_part = PartDtype(from);
  const aclDataType to_part = PartDtype(to);
  const size_t from_bytes = ElementBytes(from_part);
  if (from == to) {
    std::memcpy(out, in, ElementBytes(from));
  } else if (from_part != from && to_part != to) {
    ConvertPart(from_part, in, to_part, out);
    ConvertPart(from_part, in + from_bytes, to_part, out + ElementBytes(to_part));
  } else if (from_part != from && to == ACL_BOOL) {
    const bool is_zero = LoadElement(from_part, in) == 0 && LoadElement(from_part, in + from_bytes) == 0;
    *out = static_cast<std::byte>(!is_zero);
  } else {
    std::memset(out, 0, ElementBytes(to));
    ConvertPart(from_part, in, to_part, out);
  }
}

}  // namespace portacl::calls
