// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/oracle.h"

namespace portacl::ops::weight_quant_batch_matmul {

using calls::Dims;

// The factor of an element of weight, depending on the shape of the factors: one for all, one per column, or one per
// group and column.
inline double FactorOf(const std::vector<double>& values, int64_t n, int64_t group, int64_t k, int64_t column) {
  if (group != 0) return values[static_cast<size_t>(k / group * n + column)];
  return values[values.size() == 1 ? 0 : static_cast<size_t>(column)];
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnWeightQuantBatchMatmulV2") return false;
  const Dims x_shape = call.Tensor("x").shape;
  const int64_t rows = x_shape[0], depth = x_shape[1], n = call.Tensor("weight").shape[1];
  const int64_t group = call.Integer("antiquantGroupSize");
  const bool has_offset = !call.Argument("antiquantOffsetOptional").null;
  const bool has_bias = !call.Argument("biasOptional").null;
  const std::vector<double>&x = call.Values("x"), &weight = call.Values("weight");
  constexpr double kLargest = std::numeric_limits<float>::max();
  constexpr double kSmallest = std::numeric_limits<float>::denorm_min();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      long double sum = 0, terms = 0, small = 0;
      bool is_within = true;  // within the range of float32
      for (int64_t k = 0; k < depth; ++k) {
        const double scale = FactorOf(call.Values("antiquantScale"), n, group, k, j);
        const double offset = has_offset ? FactorOf(call.Values("antiquantOffsetOptional"), n, group, k, j) : 0;
        const double element = x[static_cast<size_t>(i * depth + k)];
        const auto whole = static_cast<float>(weight[static_cast<size_t>(k * n + j)] + offset);
        const double factor = static_cast<double>(whole) * scale;
        const long double term = static_cast<long double>(element) * factor;
        if (std::isfinite(factor)) is_within &= std::abs(factor) <= kLargest;
        if (!std::isfinite(element)) is_within &= factor == 0 || std::abs(factor) >= kSmallest;
        sum += term;
        terms += std::abs(term);
        small += std::abs(static_cast<long double>(element)) + std::abs(static_cast<long double>(scale));
      }
      if (has_bias) sum += call.Values("biasOptional")[static_cast<size_t>(j)];
      if (has_bias) terms += std::abs(call.Values("biasOptional")[static_cast<size_t>(j)]);
      call.Values("y").push_back(static_cast<double>(sum));
      // float32 loses bits of subnormal products and subnormal weights.
      const long double term = terms * 0x1p-6L + small * 0x1p-130L;
      const bool is_lost = !is_within || (std::isfinite(terms) && terms > kLargest);
      call.Terms("y").push_back(is_lost               ? std::numeric_limits<double>::infinity()
                                : std::isfinite(term) ? static_cast<double>(term)
                                                      : 0);
    }
  }
  return true;
}

// Few rows and many, columns and groups that end within blocks, and every valid shape of scales. Elements of INT4 have
// no address of their own, which the generator needs; the room's test converts them from INT8.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  if (std::string_view(call.schema().api) != "aclnnWeightQuantBatchMatmulV2") return;
  call.argument("quantScaleOptional").null = call.argument("quantOffsetOptional").null = true;
  if (call.tensor("weight").dtype == ACL_INT4) call.tensor("weight").dtype = ACL_INT8;
  const aclDataType dtype = call.tensor("x").dtype;
  call.tensor("y").dtype = call.tensor("biasOptional").dtype = dtype;
  Dims& x = call.tensor("x").shape;
  int64_t n = 2;
  if (random == nullptr) {
    if (elements > 0) x = {3, 512}, n = std::max<int64_t>(1, elements / 512);
  } else {
    constexpr int64_t kRows[] = {1, 2, 3, 4, 5, 9};
    constexpr int64_t kDepths[] = {1, 2, 31, 32, 33, 64, 100, 1056};
    constexpr int64_t kColumns[] = {1, 2, 3, 5, 16, 50};
    const bool is_empty = std::ranges::find(x, 0) != x.end();
    if (!is_empty) x[0] = kRows[random->Below(std::ssize(kRows))];
    if (!is_empty || x[1] != 0) x[1] = kDepths[random->Below(std::ssize(kDepths))];
    n = kColumns[random->Below(std::ssize(kColumns))];
  }
  const int64_t group = random == nullptr || random->Chance(0.4) ? 0 : 32 * random->Between(1, 3);
  call.argument("antiquantGroupSize").integer = group;
  call.tensor("weight").shape = {x[1], n};
  Dims& scale = call.tensor("antiquantScale").shape;
  scale = group != 0 ? Dims{(x[1] + group - 1) / group, n} : Dims{1, n};
  if (group == 0 && random != nullptr) {
    if (random->Chance(0.3)) scale[1] = 1;
    if (random->Chance(0.3)) scale.erase(scale.begin());
  }
  call.tensor("antiquantOffsetOptional").shape = scale;
  call.tensor("biasOptional").shape = random != nullptr && random->Chance(0.3) ? Dims{1, n} : Dims{n};
  call.tensor("y").shape = {x[0], n};
}

}  // namespace portacl::ops::weight_quant_batch_matmul
