// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "calls/element.h"
#include "calls/pointwise_oracle.h"
#include "calls/views.h"
#include "tensor/promote.h"

namespace portacl::ops::comparison {

using calls::Complex;
using calls::Int128;
using calls::LongDouble;

/// x: self, other, rtol, atol, equal_nan. Every step rounds to T; the distance of integers is exact before it does.
template <class T>
LongDouble IsCloseReference(const LongDouble* x) {
  const auto self = static_cast<T>(x[0]), other = static_cast<T>(x[1]);
  const bool is_exact = LongDouble{self} == x[0] && LongDouble{other} == x[1];
  const T distance = std::abs(is_exact ? self - other : static_cast<T>(x[0] - x[1]));
  const T limit = static_cast<T>(x[3]) + std::abs(static_cast<T>(x[2]) * other);
  if (std::isnan(x[0]) && std::isnan(x[1])) return x[4];
  return x[0] == x[1] || (std::isfinite(distance) && distance <= limit);
}

inline constexpr calls::PointwiseFormula kFormulas[] = {
    {.api = "aclnnIsClose",
     .real = IsCloseReference<double>,
     .single = IsCloseReference<float>,
     .gives_bool = true,
     .in_double = true,
     .as_they_are = true},
    {.api = "aclnnEqTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] == x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] == x[1]}; },
     .complex = [](const Complex* x) { return Complex(x[0] == x[1]); },
     .gives_bool = true},
    {.api = "aclnnEqScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] == x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] == x[1]}; },
     .complex = [](const Complex* x) { return Complex(x[0] == x[1]); },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnNeTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] != x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] != x[1]}; },
     .complex = [](const Complex* x) { return Complex(x[0] != x[1]); },
     .gives_bool = true},
    {.api = "aclnnNeScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] != x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] != x[1]}; },
     .complex = [](const Complex* x) { return Complex(x[0] != x[1]); },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnGtTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] > x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] > x[1]}; },
     .gives_bool = true},
    {.api = "aclnnGtScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] > x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] > x[1]}; },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnGeTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] >= x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] >= x[1]}; },
     .gives_bool = true},
    {.api = "aclnnGeScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] >= x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] >= x[1]}; },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnLtTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] < x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] < x[1]}; },
     .gives_bool = true},
    {.api = "aclnnLtScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] < x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] < x[1]}; },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnLeTensor",
     .real = [](const LongDouble* x) { return LongDouble(x[0] <= x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] <= x[1]}; },
     .gives_bool = true},
    {.api = "aclnnLeScalar",
     .real = [](const LongDouble* x) { return LongDouble(x[0] <= x[1]); },
     .whole = [](const Int128* x) { return Int128{x[0] <= x[1]}; },
     .promoting_scalars = 1,
     .gives_bool = true},
    {.api = "aclnnLogicalAnd",
     .real = [](const LongDouble* x) { return LongDouble(x[0] != 0 && x[1] != 0); },
     .whole = [](const Int128* x) { return Int128{x[0] != 0 && x[1] != 0}; },
     .gives_bool = true},
    {.api = "aclnnLogicalOr",
     .real = [](const LongDouble* x) { return LongDouble(x[0] != 0 || x[1] != 0); },
     .whole = [](const Int128* x) { return Int128{x[0] != 0 || x[1] != 0}; },
     .gives_bool = true},
    {.api = "aclnnLogicalXor",
     .real = [](const LongDouble* x) { return LongDouble((x[0] != 0) != (x[1] != 0)); },
     .whole = [](const Int128* x) { return Int128{(x[0] != 0) != (x[1] != 0)}; },
     .gives_bool = true},
    {.api = "aclnnLogicalNot",
     .real = [](const LongDouble* x) { return LongDouble(x[0] == 0); },
     .whole = [](const Int128* x) { return Int128{x[0] == 0}; },
     .gives_bool = true},
};

/// An element in the common dtype, which rounds at most once.
inline LongDouble InCommonDtype(aclDataType common, LongDouble value) {
  if (common == ACL_DOUBLE) return static_cast<double>(value);
  return calls::FindFloatFormat(common) != nullptr ? static_cast<float>(value) : value;
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnEqual") return calls::ComputePointwise(call, kFormulas);
  const aclDataType of_self = call.Tensor("self").dtype, of_other = call.Tensor("other").dtype;
  const aclDataType common = PromoteDtypes(of_self, of_other);
  const std::vector<std::byte>&self = call.Bytes("self"), &other = call.Bytes("other");
  bool is_equal = call.Tensor("self").shape == call.Tensor("other").shape;
  for (size_t i = 0, count = self.size() / calls::ElementBytes(of_self); is_equal && i < count; ++i) {
    const LongDouble x = calls::LoadElement(of_self, self.data() + i * calls::ElementBytes(of_self));
    const LongDouble y = calls::LoadElement(of_other, other.data() + i * calls::ElementBytes(of_other));
    is_equal = InCommonDtype(common, x) == InCommonDtype(common, y);
  }
  call.Values("out") = {is_equal ? 1.0 : 0.0};
  return true;
}

/// Half of the drawn tensors of one dtype and shape are made equal, except for their NaN.
inline void CompleteContents(calls::Call& call) {
  if (call.schema().api != std::string_view("aclnnEqual")) return;
  const calls::TensorSpec &self = call.tensor("self"), &other = call.tensor("other");
  if (self.dtype != other.dtype || self.shape != other.shape || self.data == nullptr || other.data == nullptr) return;
  const std::vector<std::byte> from = calls::ReadBlock(self);
  std::vector<std::byte> to = calls::ReadBlock(other);
  const std::vector<size_t> from_at = calls::ElementOffsets(self), to_at = calls::ElementOffsets(other);
  if (from_at.empty() || (std::to_integer<int>(from[from_at[0]]) & 1) != 0) return;
  for (size_t i = 0; i < from_at.size(); ++i)
    std::memcpy(&to[to_at[i]], &from[from_at[i]], calls::ElementBytes(self.dtype));
  aclrtMemcpy(other.data, to.size(), to.data(), to.size(), ACL_MEMCPY_HOST_TO_DEVICE);
}

}  // namespace portacl::ops::comparison
