// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and what valid calls have that no word says.
#pragma once

#include <cstdint>
#include <string_view>

#include "calls/product_oracle.h"

namespace portacl::ops::matmul {

// The name of the second factor; null: not an operator of this room.
inline const char* SecondOf(std::string_view api) {
  if (api == "aclnnMm" || api == "aclnnBatchMatMul" || api == "aclnnMatmul") return "mat2";
  return api == "aclnnMv" ? "vec" : api == "aclnnDot" ? "tensor" : nullptr;
}

inline bool Oracle(calls::OracleCall& call) {
  const char* const second = SecondOf(call.api());
  if (second == nullptr) return false;
  calls::ForEachProduct(call, "self", second,
                        [&](const calls::ProductSum& sum) { calls::AppendProduct(call, "out", sum); });
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  const char* const second = SecondOf(call.schema().api);
  if (second == nullptr) return;
  // Ranks are drawn together, as of tensors that are alike.
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
