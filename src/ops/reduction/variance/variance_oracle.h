// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the formulas in long double, with two passes over the elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/reduction_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::variance {

inline bool IsOfRoom(std::string_view api) {
  return api == "aclnnVar" || api == "aclnnVarCorrection" || api == "aclnnStd" || api == "aclnnStdMeanCorrection" ||
         api == "aclnnVarMean";
}

inline void Append(calls::OracleCall& call, const char* name, long double value, long double term) {
  const auto first = static_cast<double>(value);
  call.Values(name).push_back(first);
  call.Tails(name).push_back(std::isfinite(first) ? static_cast<double>(value - first) : 0);
  call.Terms(name).push_back(static_cast<double>(term));
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  if (!IsOfRoom(api)) return false;
  const int64_t correction = call.Integer(api == "aclnnVar" ? "unbiased" : "correction");
  const bool is_root = api == "aclnnStd" || api == "aclnnStdMeanCorrection";
  const char* const out = api == "aclnnStdMeanCorrection" ? "stdOut" : api == "aclnnVarMean" ? "varOut" : "out";
  const bool has_mean = std::string_view(out) != "out";
  for (const std::vector<size_t>& group :
       calls::Groups(call.Tensor("self").shape, calls::ReducedAxes(call, call.schema()))) {
    const auto count = static_cast<long double>(group.size());
    calls::ExactSum sum, squares;
    long double magnitudes = 0;
    for (const size_t i : group) {
      const long double x = calls::ElementOf(call, "self", i);
      sum.Add(x);
      magnitudes += std::abs(x);
    }
    const long double mean = sum.Total() / count;
    for (const size_t i : group) {
      const long double deviation = calls::ElementOf(call, "self", i) - mean;
      squares.Add(deviation * deviation);
    }
    const long double divisor = std::max(0.0L, count - static_cast<long double>(correction));
    long double variance = squares.Total() / divisor;
    if (group.empty() || !std::isfinite(mean)) variance = std::numeric_limits<long double>::quiet_NaN();
    Append(call, out, is_root ? std::sqrt(variance) : variance, 0);
    if (has_mean) Append(call, "meanOut", mean, std::isfinite(magnitudes) ? magnitudes / count * 0x1p-16L : 0);
  }
  return true;
}

/// Corrections around the number of elements, and dim absent.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (!IsOfRoom(call.schema().api)) return;
  calls::ArgumentSpec& dim = call.argument("dim");
  dim.null = dim.integers.empty() && random != nullptr && random->Chance(0.5);
  if (random != nullptr && call.schema().Find("correction") >= 0)
    call.argument("correction").integer = random->Between(-2, 3);
  for (const char* const out : {"out", "stdOut", "varOut", "meanOut"}) {
    if (call.schema().Find(out) >= 0) calls::ComputeShapeOf(call, call.schema().Find(out));
  }
}

}  // namespace portacl::ops::variance
