// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: keys are sorted, and sums searched from the first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/indices.h"
#include "calls/stream_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::sample {

/// The indices drawn from one row of weights.
inline std::vector<int64_t> Drawn(calls::OracleCall& call, uint64_t row, const std::vector<double>& weights) {
  const calls::OracleStream stream = calls::StreamOf(call);
  const auto samples = static_cast<size_t>(call.Integer("numsamples"));
  std::vector<int64_t> drawn;
  if (call.Integer("replacement") != 0) {
    double sum = 0;
    for (const double weight : weights) sum += weight;
    for (size_t sample = 0; sample < samples; ++sample) {
      const double limit = stream.OfTwoWords(row * samples + sample) * sum;
      int64_t index = 0;
      double running = weights[0];
      while (running <= limit && running < sum) running += weights[static_cast<size_t>(++index)];
      drawn.push_back(index);
    }
    return drawn;
  }
  std::vector<std::pair<long double, int64_t>> keys;
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto u = static_cast<long double>(stream.OfTwoWords(row * weights.size() + i));
    if (weights[i] > 0) keys.emplace_back(-std::log1p(-u) / static_cast<long double>(weights[i]), i);
  }
  std::ranges::sort(keys);
  for (size_t sample = 0; sample < samples; ++sample) drawn.push_back(keys[sample].second);
  return drawn;
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api().starts_with("aclnnRandperm")) {
    const calls::OracleStream stream = calls::StreamOf(call);
    std::vector<std::pair<uint64_t, int64_t>> keys;
    for (int64_t i = 0; i < call.Integer("n"); ++i) keys.emplace_back(stream.Pair(static_cast<uint64_t>(i)), i);
    std::ranges::sort(keys);
    for (const auto& [key, i] : keys) calls::AppendElement(call, "out", static_cast<long double>(i));
    return true;
  }
  if (!call.api().starts_with("aclnnMultinomial")) return false;
  const std::vector<double>& weights = call.Values("self");
  const int64_t columns = call.Tensor("self").shape.back();
  for (int64_t row = 0; row * columns < std::ssize(weights); ++row) {
    const auto first = weights.begin() + row * columns;
    for (const int64_t index : Drawn(call, static_cast<uint64_t>(row), {first, first + columns}))
      calls::AppendElement(call, "out", static_cast<long double>(index));
  }
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  const std::string_view api = call.schema().api;
  const bool permutes = api.starts_with("aclnnRandperm");
  if (!permutes && !api.starts_with("aclnnMultinomial")) return;
  calls::DrawSeeds(call, random);
  if (permutes) {
    // As many as every dtype holds: tests change it.
    const bool is_wide = calls::ElementBytes(call.tensor("out").dtype) > 2;
    const int64_t most = is_wide ? 1 << 24 : 128;
    call.argument("n").integer = random == nullptr ? std::clamp<int64_t>(elements, 5, most) : random->Below(129);
  } else {
    calls::Dims& self = call.tensor("self").shape;
    self.back() = std::max<int64_t>(self.back(), 1);
    const bool replaces = call.argument("replacement").integer != 0;
    call.argument("numsamples").integer =
        random == nullptr ? 1 : random->Between(1, replaces ? 2 * self.back() : self.back());
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

/// The fractions of what the memory holds are weights, none of them 0.
inline void CompleteContents(calls::Call& call) {
  if (!std::string_view(call.schema().api).starts_with("aclnnMultinomial")) return;
  calls::ChangeElements(call, "self", [](long double value) {
    const long double rest = std::isfinite(value) ? std::abs(value - std::trunc(value)) : 0;
    return rest == 0 ? 0.5L : rest;
  });
}

}  // namespace portacl::ops::sample
