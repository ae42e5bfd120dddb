// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::einsum {

using calls::Dims;

// The elements of one of the tensors.
struct Factors {
  explicit Factors(const calls::TensorSpec& tensor)
      : dtype(tensor.dtype), shape(tensor.shape), bytes(calls::ReadElements(tensor)) {}
  const std::byte* At(const Dims& index) const {
    return &bytes[calls::NumberOf(shape, index) * calls::ElementBytes(dtype)];
  }
  long double Real(const Dims& index) const { return calls::LoadElement(dtype, At(index)); }
  uint64_t Whole(const Dims& index) const {  // the low bits of the integer
    uint64_t bits = 0;
    std::memcpy(&bits, At(index), calls::ElementBytes(dtype));
    return bits;
  }
  aclDataType dtype;
  Dims shape;
  std::vector<std::byte> bytes;
};

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnEinsum") return false;
  const Factors x(call.Tensors("tensors")[0]), y(call.Tensors("tensors")[1]);
  const bool is_outer = call.Argument("equation").text == "a,b->ab";
  const bool is_whole = calls::FindFloatFormat(x.dtype) == nullptr;
  calls::ForEachIndex(call.Tensor("output").shape, [&](const Dims& index) {
    uint64_t whole = 0;
    long double real = 0, term = 0;
    for (int64_t d = 0; d < (is_outer ? 1 : x.shape[3]); ++d) {
      const Dims of_x = is_outer ? Dims{index[0]} : Dims{index[0], index[1], index[2], d};
      const Dims of_y = is_outer ? Dims{index[1]} : Dims{index[0], index[1], index[2], index[3], d};
      whole += x.Whole(of_x) * y.Whole(of_y);
      if (is_whole) continue;
      real += x.Real(of_x) * y.Real(of_y);
      term += std::abs(x.Real(of_x) * y.Real(of_y));
    }
    if (is_whole) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&whole);  // the machine is little-endian
      call.ExactBytes("output").insert(call.ExactBytes("output").end(), bytes, bytes + calls::ElementBytes(x.dtype));
    } else {
      call.Values("output").push_back(static_cast<double>(real));
      call.Terms("output").push_back(std::isfinite(term) ? static_cast<double>(term * 0x1p-16L) : 0);
    }
  });
  return true;
}

// Sizes with about as many elements as the generated call had.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (std::string_view(call.schema().api) != "aclnnEinsum") return;
  std::vector<calls::TensorSpec>& tensors = call.argument("tensors").tensors;
  const bool is_outer = random != nullptr && random->Chance(0.5);
  call.argument("equation").text = is_outer ? "a,b->ab" : "abcd,abced->abce";
  int64_t elements = calls::ElementCount(tensors[0].shape);
  const auto draw = [&](int64_t most) {
    const int64_t size = random == nullptr ? 2 : random->Between(1, std::min(most, elements));
    elements = std::max<int64_t>(1, elements / size);
    return size;
  };
  const bool is_empty = elements == 0;
  elements = std::max<int64_t>(elements, 1);
  if (is_outer) {
    const int64_t b = draw(1000);
    tensors[1].shape = {b};
    tensors[0].shape = {is_empty ? 0 : elements};
  } else {
    const int64_t d = draw(40), e = draw(40), b = draw(8), c = draw(8);
    const int64_t a = is_empty ? 0 : random == nullptr ? std::max<int64_t>(2, elements) : elements;
    tensors[0].shape = {a, b, c, d};
    tensors[1].shape = {a, b, c, e, d};
  }
  calls::ComputeShapeOf(call, call.schema().Find("output"));
}

}  // namespace portacl::ops::einsum
