// SPDX-License-Identifier: Apache-2.0
// Scalars as elements, for oracles.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "calls/element.h"
#include "calls/oracle.h"

namespace portacl::calls {

/// Writes the value of a FLOAT scalar, or of one of COMPLEX64, as an element: rounded once; for integers truncated
/// modulo 2^n, with 0 for infinities and NaN.
inline void StoreScalarElement(aclDataType dtype, double value, std::byte* element, double imaginary = 0) {
  const auto single = static_cast<float>(value);
  const aclDataType part = PartDtype(dtype);
  std::memset(element, 0, ElementBytes(dtype));
  if (part != dtype)
    StoreElement(part, static_cast<long double>(static_cast<float>(imaginary)), element + ElementBytes(part));
  if (part == ACL_BOOL || FindFloatFormat(part) != nullptr)
    return StoreElement(part, static_cast<long double>(single), element);
  // From 2^88 on, the low 64 bits of a number with 24 significant bits are 0.
  __extension__ using Wide = __int128;
  const bool has_bits = std::abs(single) < 0x1p88F;
  const auto whole = has_bits ? static_cast<Wide>(single) : Wide{0};
  std::memcpy(element, &whole, ElementBytes(dtype));
}

/// Appends a scalar to the expected elements of an output.
inline void AppendScalar(OracleCall& call, std::string_view scalar, std::string_view to) {
  const aclDataType dtype = call.Tensor(to).dtype;
  std::byte element[16];
  StoreScalarElement(dtype, call.Real(scalar), element, call.Argument(scalar).Imaginary());
  call.ExactBytes(to).insert(call.ExactBytes(to).end(), element, element + ElementBytes(dtype));
}

}  // namespace portacl::calls
