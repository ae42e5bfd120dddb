// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: bit by bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/stream_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::dropout {

/// Writes the bits of `count` elements over the first bytes of what the mask has held.
inline void SetMask(calls::OracleCall& call, std::string_view name, double prob, int64_t count) {
  const calls::OracleStream stream = calls::StreamOf(call);
  std::vector<std::byte>& bytes = call.ExactBytes(name);
  bytes = call.Bytes(name);
  const size_t padded = static_cast<size_t>(count + 127) / 128 * 16;
  std::fill_n(bytes.begin(), std::min(bytes.size(), padded), std::byte{0});
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    if (stream.OfOneWord(i) >= prob) bytes[i / 8] |= std::byte{1} << i % 8;
  }
}

inline bool IsSet(const std::vector<std::byte>& mask, size_t i) {
  return (mask[i / 8] >> i % 8 & std::byte{1}) != std::byte{0};
}

/// out = self times the factor, where the mask has a bit or there is none.
inline void SetProducts(calls::OracleCall& call, std::string_view self, const std::vector<std::byte>* mask,
                        double factor) {
  const auto count = static_cast<size_t>(calls::ElementCount(call.Tensor(self).shape));
  const bool is_double = call.Tensor("out").dtype == ACL_DOUBLE;
  for (size_t i = 0; i < count; ++i) {
    const long double x = calls::ElementOf(call, self, i);
    const long double product = is_double ? static_cast<long double>(static_cast<double>(x) * factor)
                                          : x * static_cast<long double>(static_cast<float>(factor));
    const bool keeps = factor != 0 && (mask == nullptr || IsSet(*mask, i));
    calls::AppendElement(call, "out", keeps ? product : 0);
  }
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  if (api.starts_with("aclnnDropoutGenMask")) {
    SetMask(call, "out", call.Real("prob"), calls::ElementCount(call.Integers("shape")));
  } else if (api == "aclnnDropoutDoMask") {
    const double prob = call.Real("prob");
    SetProducts(call, "self", prob == 0 ? nullptr : &call.Bytes("mask"), prob == 1 ? 0 : 1 / (1 - prob));
  } else if (api == "aclnnDropoutBackward") {
    const double scale = call.Real("scale");
    SetProducts(call, "gradOutput", scale == 1 ? nullptr : &call.Bytes("mask"), scale);
  } else if (api == "aclnnDropout") {
    const double p = call.Integer("train") == 0 ? 0 : call.Real("p");
    call.ExactBytes("maskOut") = call.Bytes("maskOut");
    const bool draws = p != 0 && p != 1;
    if (draws) SetMask(call, "maskOut", p, calls::ElementCount(call.Tensor("input").shape));
    SetProducts(call, "input", draws ? &call.ExactBytes("maskOut") : nullptr, p == 1 ? 0 : 1 / (1 - p));
  } else {
    return false;
  }
  return true;
}

/// Probabilities, scales, and masks with room for more bits than there are.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  const std::string_view api = call.schema().api;
  if (!api.starts_with("aclnnDropout")) return;
  const auto probability = [&] {
    return random == nullptr ? 0.25 : random->Chance(0.1) ? static_cast<double>(random->Below(2)) : random->Real(0, 1);
  };
  for (const char* const name : {"p", "prob"}) {
    if (call.schema().Find(name) >= 0) call.argument(name).real = probability();
  }
  if (call.schema().Find("offset") >= 0) calls::DrawSeeds(call, random);
  if (api == "aclnnDropoutBackward") {
    const double prob = probability();
    call.argument("scale").real = prob == 1 ? 0 : 1 / (1 - prob);
  }
  const char* const mask = api == "aclnnDropout" ? "maskOut" : call.schema().Find("mask") >= 0 ? "mask" : "out";
  if (api.starts_with("aclnnDropoutGenMask")) {
    std::vector<int64_t>& shape = call.argument("shape").integers;
    if (elements != 0) shape = {elements * 8};
    if (elements == 0) shape.assign(random == nullptr ? 1 : static_cast<size_t>(random->Below(4)), 3);
    for (int64_t& size : shape) size = random == nullptr || elements != 0 ? size : random->Between(1, 20);
  }
  calls::ComputeShapeOf(call, call.schema().Find(mask));
  if (random != nullptr && elements == 0) call.tensor(mask).shape[0] += random->Below(40);
}

}  // namespace portacl::ops::dropout
