// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: number by number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <string_view>
#include <vector>

#include "calls/indices.h"
#include "calls/stream_oracle.h"

namespace portacl::ops::random {

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
inline long double UniformReference(calls::OracleCall& call, const calls::OracleStream& stream, aclDataType dtype,
                                    uint64_t i) {
  const double from = call.Real("from"), to = call.Real("to");
  const double value = from + stream.Uniform(dtype, i) * (to - from);
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

/// An element of the normal distribution, and the term by which its error is measured.
inline void SetNormal(calls::OracleCall& call, const calls::OracleStream& stream, std::string_view out, uint64_t i,
                      long double mean, long double deviation) {
  const aclDataType dtype = call.Tensor(out).dtype;
  const auto first = static_cast<long double>(stream.Uniform(dtype, i - i % 2));
  const auto second = static_cast<long double>(stream.Uniform(dtype, i - i % 2 + 1));
  const long double radius = std::sqrt(-2 * std::log(1 - first));
  const long double angle = 2 * std::numbers::pi_v<long double> * second;
  const long double value = mean + deviation * radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
  const auto head = static_cast<double>(value);
  const long double term =
      std::max(std::abs(mean), std::abs(deviation) * radius) * (dtype == ACL_DOUBLE ? 1 : 0x1p-16L);
  call.Values(out).push_back(head);
  call.Tails(out).push_back(std::isfinite(head) ? static_cast<double>(value - static_cast<long double>(head)) : 0);
  // With an infinite deviation, the result depends on whether a cosine is 0 or next to 0.
  call.Terms(out).push_back(std::isinf(deviation) ? std::numeric_limits<double>::infinity()
                            : std::isfinite(term) ? static_cast<double>(term)
                                                  : 0);
}

/// The element of an operand that is broadcast to `shape`, at an index of that shape.
inline long double BroadcastElement(calls::OracleCall& call, std::string_view name, calls::Dims index) {
  const calls::Dims& shape = call.Tensor(name).shape;
  index.erase(index.begin(), index.end() - std::ssize(shape));
  for (size_t axis = 0; axis < index.size(); ++axis) index[axis] %= shape[axis];
  return calls::ElementOf(call, name, calls::NumberOf(shape, index));
}

/// A parameter of a distribution: a number of float32, or the element of a tensor.
inline long double Parameter(calls::OracleCall& call, const char* name, const calls::Dims& index) {
  if (!call.Argument(name).tensors.empty()) return BroadcastElement(call, name, index);
  return static_cast<long double>(static_cast<float>(call.Real(name)));
}

/// An element of aclnnInplaceRandom before it is converted, of `count` integers.
inline long double WholeReference(const calls::OracleStream& stream, int64_t from, uint64_t count, uint64_t i) {
  __extension__ using Wide = unsigned __int128;
  const uint64_t above = count <= uint64_t{1} << 32 ? static_cast<uint64_t>(Wide{stream.Word(i)} * count >> 32)
                                                    : static_cast<uint64_t>(Wide{stream.Pair(i)} * count >> 64);
  return static_cast<long double>(static_cast<int64_t>(static_cast<uint64_t>(from) + above));
}

/// The number of integers from 0 on that a dtype represents without a gap.
inline uint64_t WholeNumbersOf(aclDataType dtype) {
  if (dtype == ACL_BOOL) return 2;
  const aclDataType part = calls::PartDtype(dtype);
  const size_t bits = 8 * calls::ElementBytes(part);
  if (!calls::IsFloat(dtype)) return uint64_t{1} << (dtype == ACL_UINT8 ? bits : bits - 1);
  return (uint64_t{1} << (part == ACL_DOUBLE ? 53 : part == ACL_FLOAT ? 24 : part == ACL_FLOAT16 ? 11 : 8)) + 1;
}

inline bool IsOfRoom(std::string_view api) {
  return api.starts_with("aclnnInplaceUniform") || api.starts_with("aclnnInplaceNormal") ||
         api.starts_with("aclnnInplaceRandom") || api.starts_with("aclnnInplaceBernoulli") ||
         api.starts_with("aclnnBernoulli") || api.starts_with("aclnnNormal");
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  if (!IsOfRoom(api)) return false;
  const std::string_view out = call.schema().Find("out") < 0 ? "selfRef" : "out";
  const aclDataType dtype = call.Tensor(out).dtype;
  const calls::OracleStream stream = calls::StreamOf(call);
  const bool has_range = call.schema().Find("to") >= 0;
  call.Values(out).clear();  // ignores the overwritten content
  uint64_t i = 0;
  calls::ForEachIndex(call.Tensor(out).shape, [&](const calls::Dims& index) {
    if (api.find("Normal") != std::string_view::npos) {
      SetNormal(call, stream, out, i, Parameter(call, "mean", index), Parameter(call, "std", index));
    } else if (api.find("Uniform") != std::string_view::npos) {
      calls::AppendElement(call, out, UniformReference(call, stream, dtype, i));
    } else if (api.find("Bernoulli") != std::string_view::npos) {
      const auto probability = static_cast<double>(Parameter(call, "prob", index));
      calls::AppendElement(call, out, stream.Uniform(dtype, i) < probability ? 1 : 0);
    } else {
      const int64_t from = has_range ? call.Integer("from") : 0;
      const uint64_t count =
          has_range ? static_cast<uint64_t>(call.Integer("to")) - static_cast<uint64_t>(from) : WholeNumbersOf(dtype);
      calls::AppendElement(call, out, calls::Converted(WholeReference(stream, from, count, i), ACL_INT64, dtype));
    }
    ++i;
  });
  return true;
}

/// Bounds that all dtypes can represent, any integers, and any seed.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (!IsOfRoom(api)) return;
  calls::DrawSeeds(call, random);
  const int prob = call.schema().Find("prob");
  if (prob >= 0 && call.argument("prob").tensors.empty())
    call.argument("prob").real = random == nullptr ? 0.5 : random->Real(0, 1);
  if (call.schema().Find("to") < 0) return;
  if (api.starts_with("aclnnInplaceRandom")) {
    const auto drawn = [&] { return random->Bits() >> random->Below(64); };
    const int64_t from = random == nullptr ? 0 : static_cast<int64_t>(random->Chance(0.5) ? drawn() : ~drawn());
    const uint64_t most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) - static_cast<uint64_t>(from);
    const uint64_t count = random == nullptr ? 10 : std::clamp<uint64_t>(drawn(), 1, std::max<uint64_t>(most, 1));
    call.argument("from").integer = most == 0 ? from - 1 : from;
    call.argument("to").integer = static_cast<int64_t>(static_cast<uint64_t>(call.argument("from").integer) + count);
    return;
  }
  const double from = random == nullptr ? 0 : random->Real(0, 50);
  call.argument("from").real = from;
  call.argument("to").real = random == nullptr ? 1 : from + (random->Chance(0.1) ? 0 : random->Real(0, 70));
}

/// The fractions of what the memory holds are probabilities.
inline void CompleteContents(calls::Call& call) {
  if (!IsOfRoom(call.schema().api) || call.schema().Find("prob") < 0) return;
  if (call.argument("prob").tensors.empty()) return;
  calls::ChangeElements(call, "prob", [](long double value) {
    const long double rest = std::abs(value - std::trunc(value));
    return std::isfinite(value) ? (rest == 0 && value != 0 ? 1 : rest) : 0.5L;
  });
}

}  // namespace portacl::ops::random
