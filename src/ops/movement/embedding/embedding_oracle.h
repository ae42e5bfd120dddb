// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "calls/scatter_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::embedding {

using calls::Combination;
using calls::Dims;

inline bool IsGradient(std::string_view api) { return api == "aclnnEmbeddingDenseBackward"; }

inline bool IsRenorm(std::string_view api) { return api == "aclnnEmbeddingRenorm"; }

inline long double NormOf(const double* row, size_t columns, double order) {
  long double norm = std::isinf(order) && order < 0 ? INFINITY : 0;
  for (size_t c = 0; c < columns; ++c) {
    const long double size = std::abs(static_cast<long double>(row[c]));
    if (order == 0) {
      norm += size != 0 ? 1 : 0;
    } else if (std::isinf(order)) {
      if (std::isnan(size) || (order > 0 ? size > norm : size < norm)) norm = size;
    } else {
      norm += std::pow(size, static_cast<long double>(order));
    }
  }
  return order == 0 || std::isinf(order) ? norm : std::pow(norm, 1 / static_cast<long double>(order));
}

inline void Renorm(calls::OracleCall& call) {
  const auto columns = static_cast<size_t>(call.Tensor("selfRef").shape[1]);
  const std::vector<double> self = call.Values("selfRef");
  std::vector<double>& terms = call.Terms("selfRef");
  terms.assign(self.size(), 0);
  const auto most = static_cast<long double>(call.Real("maxNorm"));
  for (size_t row = 0; row * columns < self.size(); ++row) {
    const auto& indices = call.Values("indices");
    if (std::find(indices.begin(), indices.end(), static_cast<double>(row)) == indices.end()) continue;
    const long double norm = NormOf(&self[row * columns], columns, call.Real("normType"));
    const bool is_close = std::abs(norm - most) <= 1e-13L * std::abs(norm);
    for (size_t i = row * columns; i < (row + 1) * columns; ++i) {
      if (norm > most)
        call.Values("selfRef")[i] =
            static_cast<double>(static_cast<long double>(self[i]) * (most / (norm + static_cast<long double>(1e-7))));
      if (is_close) terms[i] = std::numeric_limits<double>::infinity();
    }
  }
}

inline bool Oracle(calls::OracleCall& call) {
  if (IsRenorm(call.api())) return Renorm(call), true;
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
  if (IsRenorm(call.schema().api)) {
    constexpr double kOrders[] = {2, 1, 0, 3, 0.5, -1, INFINITY, -INFINITY};
    call.argument("normType").real = random == nullptr ? 2 : kOrders[random->Below(std::ssize(kOrders))];
    if (call.tensor("selfRef").shape[0] == 0) call.tensor("indices").shape = {0};
  }
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
  if (IsRenorm(call.schema().api)) calls::WriteIndices(call, "indices", call.tensor("selfRef").shape[0]);
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
