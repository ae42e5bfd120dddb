// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "calls/element.h"
#include "calls/product_oracle.h"

namespace portacl::ops::matmul {

// The name of the second factor; null: not an operator of this room.
inline const char* SecondOf(std::string_view api) {
  if (api == "aclnnMm" || api == "aclnnBatchMatMul" || api == "aclnnMatmul") return "mat2";
  return api == "aclnnMv" ? "vec" : api == "aclnnDot" ? "tensor" : nullptr;
}

// aclnnDot for integers: the low bits of the sum.
inline void AppendWholeDot(calls::OracleCall& call) {
  const size_t bytes = calls::ElementBytes(call.Tensor("out").dtype);
  const auto whole = [&](const char* name, size_t at) {
    uint64_t bits = 0;
    std::memcpy(&bits, call.Bytes(name).data() + at, bytes);
    return bits;
  };
  uint64_t sum = 0;
  for (size_t at = 0; at < call.Bytes("self").size(); at += bytes) sum += whole("self", at) * whole("tensor", at);
  const auto* const low = reinterpret_cast<const std::byte*>(&sum);  // the machine is little-endian
  call.ExactBytes("out").assign(low, low + bytes);
}

inline bool Oracle(calls::OracleCall& call) {
  const char* const second = SecondOf(call.api());
  if (second == nullptr) return false;
  if (calls::FindFloatFormat(call.Tensor("out").dtype) == nullptr) return AppendWholeDot(call), true;
  calls::ForEachProduct(call, "self", second,
                        [&](const calls::ProductSum& sum) { calls::AppendProduct(call, "out", sum); });
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  const char* const second = SecondOf(call.schema().api);
  if (second == nullptr) return;
  // Ranks are generated together, as for tensors of equal rank.
  if (call.schema().Find("vec") >= 0) {
    call.tensor("self").shape.resize(2, 1);
    call.tensor("vec").shape.resize(1, 1);
  }
  if (std::string_view(call.schema().api) == "aclnnMatmul" && random != nullptr) {
    call.tensor(second).shape.resize(static_cast<size_t>(random->Between(1, 6)), 1);
  }
  calls::FitFactors(call, "self", second, random, elements);
}

}  // namespace portacl::ops::matmul
