// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: an independent implementation of the stream, number by number.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <string_view>
#include <vector>

#include "calls/fill.h"
#include "calls/indices.h"
#include "calls/reduction_oracle.h"

namespace portacl::ops::random {

/// The word at index `number` of the stream.
inline uint32_t WordOf(uint64_t seed, uint64_t offset, uint64_t number) {
  const uint64_t counter = number / 4;
  std::array<uint64_t, 4> c = {counter % (uint64_t{1} << 32), counter / (uint64_t{1} << 32),
                               offset % (uint64_t{1} << 32), offset / (uint64_t{1} << 32)};
  std::array<uint64_t, 2> key = {seed % (uint64_t{1} << 32), seed / (uint64_t{1} << 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = 3528531795 * c[0], second = 3449720151 * c[2];
    c = {second / (uint64_t{1} << 32) ^ c[1] ^ key[0], second % (uint64_t{1} << 32),
         first / (uint64_t{1} << 32) ^ c[3] ^ key[1], first % (uint64_t{1} << 32)};
    key[0] = (key[0] + 2654435769) % (uint64_t{1} << 32);
    key[1] = (key[1] + 3144134277) % (uint64_t{1} << 32);
  }
  return static_cast<uint32_t>(c[number % 4]);
}

/// The uniform number in [0, 1) of an element.
inline double UniformOf(calls::OracleCall& call, aclDataType dtype, uint64_t i) {
  const auto seed = static_cast<uint64_t>(call.Integer("seed")), offset = static_cast<uint64_t>(call.Integer("offset"));
  const bool is_float = calls::IsFloat(dtype);
  const bool is_wide = calls::ElementBytes(dtype) > (is_float ? 4U : 2U);
  if (!is_wide) return std::ldexp(std::floor(std::ldexp(WordOf(seed, offset, i), -8)), -24);
  const double high = std::floor(std::ldexp(WordOf(seed, offset, 2 * i), -5));
  const double low = std::floor(std::ldexp(WordOf(seed, offset, 2 * i + 1), -6));
  return std::ldexp(high, -27) + std::ldexp(low, -53);
}

/// The largest value of a floating dtype below `number`, which the dtype can represent.
inline long double NumberBelow(aclDataType dtype, long double number) {
  std::byte element[8] = {};
  calls::StoreElement(dtype, number, element);
  const size_t bits = 8 * calls::ElementBytes(dtype);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  uint64_t pattern = calls::ElementBits(dtype, element);
  if (number == 0)
    pattern = sign + 1;
  else
    pattern = number < 0 ? pattern + 1 : pattern - 1;
  std::memcpy(element, &pattern, bits / 8);
  return calls::LoadElement(dtype, element);
}

/// An element of aclnnInplaceUniform.
inline long double UniformReference(calls::OracleCall& call, aclDataType dtype, uint64_t i) {
  const double from = call.Real("from"), to = call.Real("to");
  const double value = from + UniformOf(call, dtype, i) * (to - from);
  const auto exact = static_cast<long double>(value);
  if (!calls::IsFloat(dtype)) {
    if (value >= to && from < to) return std::ceil(static_cast<long double>(to)) - 1;
    return std::floor(exact);
  }
  const long double first = calls::Converted(static_cast<long double>(from), ACL_DOUBLE, dtype);
  const long double last = calls::Converted(static_cast<long double>(to), ACL_DOUBLE, dtype);
  const long double rounded = calls::Converted(exact, ACL_DOUBLE, dtype);
  return rounded >= static_cast<long double>(to) && first < last ? NumberBelow(dtype, last) : rounded;
}

/// An element of aclnnInplaceNormal, and the term by which its error is measured.
inline void SetNormal(calls::OracleCall& call, std::string_view out, aclDataType dtype, uint64_t i) {
  const auto mean = static_cast<long double>(static_cast<float>(call.Real("mean")));
  const auto deviation = static_cast<long double>(static_cast<float>(call.Real("std")));
  const auto first = static_cast<long double>(UniformOf(call, dtype, i - i % 2));
  const auto second = static_cast<long double>(UniformOf(call, dtype, i - i % 2 + 1));
  const long double radius = std::sqrt(-2 * std::log(1 - first));
  const long double angle = 2 * std::numbers::pi_v<long double> * second;
  const long double value = mean + deviation * radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
  const auto head = static_cast<double>(value);
  const long double term = std::max(std::abs(mean), deviation * radius) * (dtype == ACL_DOUBLE ? 1 : 0x1p-16L);
  call.Values(out).push_back(head);
  call.Tails(out).push_back(std::isfinite(head) ? static_cast<double>(value - static_cast<long double>(head)) : 0);
  // With an infinite deviation, the result depends on whether a cosine is 0 or next to 0.
  call.Terms(out).push_back(std::isinf(deviation) ? std::numeric_limits<double>::infinity()
                            : std::isfinite(term) ? static_cast<double>(term)
                                                  : 0);
}

/// aclnnBernoulliTensor: the probability of each element is the one at its index in the broadcast operand.
inline void SetEach(calls::OracleCall& call) {
  const calls::TensorSpec &out = call.Tensor("out"), &prob = call.Tensor("prob");
  uint64_t i = 0;
  calls::ForEachIndex(out.shape, [&](calls::Dims index) {
    index.erase(index.begin(), index.end() - std::ssize(prob.shape));
    for (size_t axis = 0; axis < index.size(); ++axis) index[axis] %= prob.shape[axis];
    const long double p = calls::ElementOf(call, "prob", calls::NumberOf(prob.shape, index));
    std::byte element[8] = {};
    calls::StoreElement(out.dtype, UniformOf(call, out.dtype, i++) < static_cast<double>(p) ? 1 : 0, element);
    std::vector<std::byte>& bytes = call.ExactBytes("out");
    bytes.insert(bytes.end(), element, element + calls::ElementBytes(out.dtype));
  });
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  if (api == "aclnnBernoulliTensor") return SetEach(call), true;
  const bool is_bernoulli = api == "aclnnInplaceBernoulli";
  const bool is_normal = api == "aclnnInplaceNormal" || api == "aclnnNormalFloatFloat";
  if (!is_bernoulli && !is_normal && api != "aclnnInplaceUniform") return false;
  const std::string_view out = api == "aclnnNormalFloatFloat" ? "out" : "selfRef";
  const aclDataType dtype = call.Tensor(out).dtype;
  const auto count = static_cast<uint64_t>(calls::ElementCount(call.Tensor(out).shape));
  if (is_normal) call.Values(out).clear();  // ignores the overwritten content
  for (uint64_t i = 0; i < count; ++i) {
    if (is_normal) {
      SetNormal(call, out, dtype, i);
      continue;
    }
    long double value = 0;
    if (is_bernoulli) {
      value = UniformOf(call, dtype, i) < static_cast<double>(static_cast<float>(call.Real("prob"))) ? 1 : 0;
    } else {
      value = UniformReference(call, dtype, i);
    }
    std::byte element[8] = {};
    calls::StoreElement(dtype, value, element);
    std::vector<std::byte>& bytes = call.ExactBytes(out);
    bytes.insert(bytes.end(), element, element + calls::ElementBytes(dtype));
  }
  return true;
}

/// Bounds that all dtypes can represent, and any seed.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  const bool is_uniform = api == "aclnnInplaceUniform";
  const bool is_bernoulli = api == "aclnnInplaceBernoulli";
  const bool is_random = is_uniform || is_bernoulli || api == "aclnnInplaceNormal" || api == "aclnnNormalFloatFloat" ||
                         api == "aclnnBernoulliTensor";
  if (!is_random) return;
  if (random != nullptr) {
    for (const char* const word : {"seed", "offset"}) {
      const uint64_t bits = random->Bits() >> random->Below(64);
      call.argument(word).integer = static_cast<int64_t>(random->Chance(0.5) ? bits : ~bits);
    }
  }
  if (is_bernoulli) call.argument("prob").real = random == nullptr ? 0.5 : random->Real(0, 1);
  if (!is_uniform) return;
  const double from = random == nullptr ? 0 : random->Real(0, 50);
  call.argument("from").real = from;
  call.argument("to").real = random == nullptr ? 1 : from + (random->Chance(0.1) ? 0 : random->Real(0, 70));
}

}  // namespace portacl::ops::random
