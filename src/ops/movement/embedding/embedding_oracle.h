// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "calls/scatter_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::embedding {

using calls::Combination;
using calls::Dims;

inline bool IsGradient(std::string_view api) { return api == "aclnnEmbeddingDenseBackward"; }

inline bool Oracle(calls::OracleCall& call) {
  if (!IsGradient(call.api())) return false;
  const auto columns = static_cast<size_t>(call.Tensor("out").shape[1]);
  const Combination combination = call.Integer("scaleGradByFreq") != 0 ? Combination::kMean : Combination::kAdd;
  calls::Destinations to(call, "", "out", combination, false);
  for (size_t row = 0; row < call.Values("indices").size(); ++row) {
    const auto index = static_cast<int64_t>(call.Values("indices")[row]);
    if (index == call.Integer("paddingIdx")) continue;
    for (size_t c = 0; c < columns; ++c)
      to.PutNumber(static_cast<size_t>(index) * columns + c,
                   static_cast<long double>(call.Values("grad")[row * columns + c]));
  }
  to.Finish();
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  if (!IsGradient(call.schema().api)) return;
  Dims& grad = call.tensor("grad").shape;
  Dims& indices = call.tensor("indices").shape;
  if (grad.empty()) grad = {4};
  indices.assign(grad.begin(), grad.end() - 1);
  const int64_t weights = random != nullptr ? random->Between(1, 40) : elements == 0 ? 3 : 1000;
  call.argument("numWeights").integer = weights;
  call.argument("paddingIdx").integer = random == nullptr ? -1 : random->Between(-1, weights);
  call.tensor("out").shape = {weights, grad.back()};
}

inline void CompleteContents(calls::Call& call) {
  if (!IsGradient(call.schema().api)) return;
  const calls::TensorSpec& indices = call.tensor("indices");
  const int64_t weights = std::min<int64_t>(call.argument("numWeights").integer, indices.dtype == ACL_BOOL ? 2 : 100);
  calls::ChangeIndices(call, "indices", [&](int64_t, uint64_t bits) {
    const auto number = static_cast<int64_t>(bits % static_cast<uint64_t>(weights));
    if (!calls::IsFloat(indices.dtype)) return number;
    std::byte element[8] = {};
    calls::StoreElement(indices.dtype, static_cast<long double>(number), element);
    return static_cast<int64_t>(calls::ElementBits(indices.dtype, element));
  });
}

}  // namespace portacl::ops::embedding
