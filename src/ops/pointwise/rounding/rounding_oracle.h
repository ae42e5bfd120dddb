// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "calls/element.h"
#include "calls/oracle.h"
#include "calls/views.h"

namespace portacl::ops::rounding {

inline double Rounded(int64_t mode, double x) {
  const double even = std::nearbyint(x);
  switch (mode) {
    case 1:
      return even;
    case 2:
      return std::floor(x);
    case 3:
      return std::ceil(x);
    case 4:
      return std::round(x);
    case 5:
      return std::trunc(x);
    case 6:
      return std::abs(x - even) == 0.5 ? 2 * x - even : even;
    default:
      return x - std::trunc(x);
  }
}

inline bool Oracle(calls::OracleCall& call) {
  const bool in_memory = call.api() == "aclnnForeachRoundOffNumber";
  if (!in_memory && call.api() != "aclnnForeachRoundOffNumberV2") return false;
  const auto mode = static_cast<int64_t>(in_memory ? call.Values("roundMode")[0] : call.Real("roundMode"));
  for (const calls::TensorSpec& x : call.Tensors("x")) {
    const std::vector<std::byte> elements = calls::ReadElements(x);
    if (calls::FindFloatFormat(x.dtype) == nullptr) {
      call.ExactBytes("out").insert(call.ExactBytes("out").end(), elements.begin(), elements.end());
      continue;
    }
    for (const double value : calls::Decode(x.dtype, elements))
      call.Values("out").push_back(std::copysign(Rounded(mode, value), value));
  }
  return true;
}

// A mode that exists: the sum of what was drawn decides which.
inline void CompleteContents(calls::Call& call) {
  const std::string_view api = call.schema().api;
  if (api == "aclnnForeachRoundOffNumberV2") {
    double& mode = call.argument("roundMode").real;
    mode = std::isfinite(mode) ? std::floor(std::fmod(std::abs(mode) * 10, 7)) + 1 : 1;
  }
  if (api != "aclnnForeachRoundOffNumber" || call.tensor("roundMode").data == nullptr) return;
  const calls::TensorSpec& mode = call.tensor("roundMode");
  const auto drawn = std::to_integer<int>(calls::ReadElements(mode)[0]);
  const std::byte valid{static_cast<uint8_t>(drawn % 7 + 1)};
  aclrtMemcpy(static_cast<std::byte*>(mode.data) + mode.offset, 1, &valid, 1, ACL_MEMCPY_HOST_TO_DEVICE);
}

}  // namespace portacl::ops::rounding
