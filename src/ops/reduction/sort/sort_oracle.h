// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: a stable std::sort of the elements of each row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/reduction_oracle.h"

namespace portacl::ops::sort {

inline bool Oracle(calls::OracleCall& call) {
  const bool has_values = call.api() == "aclnnSort";
  if (!has_values && call.api() != "aclnnArgsort") return false;
  const calls::TensorSpec& self = call.Tensor("self");
  const bool is_falling = call.Integer("descending") != 0;
  const auto element = [&](size_t i) { return calls::ElementOf(call, "self", i); };
  const auto is_before = [&](size_t a, size_t b) {
    if (is_falling) std::swap(a, b);
    const long double x = element(a), y = element(b);
    return std::isnan(y) ? !std::isnan(x) : x < y;
  };
  const auto store = [&](const char* name, size_t at, long double value) {
    const aclDataType dtype = call.Tensor(name).dtype;
    std::vector<std::byte>& bytes = call.ExactBytes(name);
    bytes.resize(static_cast<size_t>(calls::ElementCount(self.shape)) * calls::ElementBytes(dtype));
    calls::StoreElement(dtype, value, &bytes[at * calls::ElementBytes(dtype)]);
  };
  for (const std::vector<size_t>& group : calls::Groups(self.shape, calls::ReducedAxes(call, call.schema()))) {
    std::vector<size_t> places(group.size());
    for (size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::sort(places.begin(), places.end(), [&](size_t a, size_t b) {
      if (is_before(group[a], group[b])) return true;
      return a < b && !is_before(group[b], group[a]);  // stable
    });
    for (size_t i = 0; i < places.size(); ++i) {
      store(has_values ? "indicesOut" : "out", group[i], static_cast<long double>(places[i]));
      if (!has_values) continue;
      const long double value = element(group[places[i]]);
      store("valuesOut", group[i], calls::Converted(value, self.dtype, call.Tensor("valuesOut").dtype));
    }
  }
  return true;
}

/// No step of the schema mentions the flags.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (random == nullptr) return;
  for (const char* const flag : {"stable", "descending"}) {
    const std::string_view api = call.schema().api;
    if ((api == "aclnnSort" || api == "aclnnArgsort") && call.schema().Find(flag) >= 0)
      call.argument(flag).integer = random->Chance(0.5) ? 1 : 0;
  }
}

}  // namespace portacl::ops::sort
