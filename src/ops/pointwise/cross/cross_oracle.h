// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "calls/indices.h"
#include "calls/pointwise_oracle.h"

namespace portacl::ops::cross {

using calls::Complex;
using calls::Dims;
using calls::Int128;
using calls::LongDouble;

// The element that is `ahead` places (cyclically) after that at `index` of the broadcast.
inline Complex ElementOf(calls::OracleCall& call, std::string_view name, Dims index, int64_t ahead) {
  const calls::TensorSpec& tensor = call.Tensor(name);
  const size_t axis = calls::AxisOf(call.Integer("dim"), index.size());
  index[axis] = (index[axis] + ahead) % 3;
  index.erase(index.begin(), index.end() - std::ssize(tensor.shape));
  for (size_t i = 0; i < index.size(); ++i) index[i] = tensor.shape[i] == 1 ? 0 : index[i];
  return calls::LoadComplex(
      tensor.dtype, call.Bytes(name).data() + calls::NumberOf(tensor.shape, index) * calls::ElementBytes(tensor.dtype));
}

// If a product exceeds the range of its dtype, it may become infinite before the other is subtracted, and then any
// result is valid.
inline double LargerSize(LongDouble a, LongDouble b) {
  for (const LongDouble product : {a, b}) {
    if (std::isfinite(product) && std::abs(product) > std::numeric_limits<double>::max())
      return std::numeric_limits<double>::infinity();
  }
  const LongDouble larger = std::max(std::abs(a), std::abs(b));
  return std::isfinite(larger) ? static_cast<double>(larger) : 0;
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnLinalgCross") return false;
  const aclDataType dtype = call.Tensor("out").dtype;
  const bool is_whole = calls::FindFloatFormat(dtype) == nullptr;
  calls::ForEachIndex(call.Tensor("out").shape, [&](const Dims& index) {
    const Complex z[] = {ElementOf(call, "self", index, 1), ElementOf(call, "self", index, 2)};
    const Complex w[] = {ElementOf(call, "other", index, 1), ElementOf(call, "other", index, 2)};
    if (calls::PartDtype(dtype) != dtype) {
      const Complex products[] = {z[0] * w[1], z[1] * w[0]};
      const Complex exact = products[0] - products[1];
      const double term = LargerSize(calls::Modulus(products[0]), calls::Modulus(products[1]));
      for (const LongDouble part : {exact.real(), exact.imag()}) {
        call.Values("out").push_back(static_cast<double>(part));
        call.Terms("out").push_back(term);
      }
      return;
    }
    const LongDouble x[] = {z[0].real(), z[1].real()}, y[] = {w[0].real(), w[1].real()};
    if (is_whole) {
      const Int128 exact =
          static_cast<Int128>(x[0]) * static_cast<Int128>(y[1]) - static_cast<Int128>(x[1]) * static_cast<Int128>(y[0]);
      const auto* const bytes = reinterpret_cast<const std::byte*>(&exact);  // modulo 2^n: the machine is little-endian
      call.ExactBytes("out").insert(call.ExactBytes("out").end(), bytes, bytes + calls::ElementBytes(dtype));
      return;
    }
    call.Values("out").push_back(static_cast<double>(x[0] * y[1] - x[1] * y[0]));
    call.Terms("out").push_back(LargerSize(x[0] * y[1], x[1] * y[0]));
  });
  return true;
}

// Vectors of 3 elements along some axis.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  if (std::string_view(call.schema().api) != "aclnnLinalgCross") return;
  const int64_t rank = std::max<int64_t>(1, std::ssize(call.tensor("out").shape));
  const int64_t dim = random != nullptr ? random->Between(-rank, rank - 1) : -1;
  call.argument("dim").integer = dim;
  for (const char* name : {"self", "other"}) {
    Dims& shape = call.tensor(name).shape;
    while (std::ssize(shape) < rank) shape.insert(shape.begin(), 1);
    shape[calls::AxisOf(dim, shape.size())] = 3;
    if (elements > 0) shape = {elements / 3, 3}, call.argument("dim").integer = -1;
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

}  // namespace portacl::ops::cross
