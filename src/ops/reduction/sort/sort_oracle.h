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

#include "calls/indices.h"
#include "calls/reduction_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::sort {

inline bool Oracle(calls::OracleCall& call) {
  const bool is_selection = call.api() == "aclnnTopk";
  const bool has_values = call.api() != "aclnnArgsort";
  if (!is_selection && call.api() != "aclnnSort" && has_values) return false;
  const calls::TensorSpec& self = call.Tensor("self");
  const bool is_falling = call.Integer(is_selection ? "largest" : "descending") != 0;
  const auto element = [&](size_t i) { return calls::ElementOf(call, "self", i); };
  const auto is_before = [&](size_t a, size_t b) {
    if (is_falling) std::swap(a, b);
    const long double x = element(a), y = element(b);
    return std::isnan(y) ? !std::isnan(x) : x < y;
  };
  const auto store = [&](const char* name, size_t at, long double value) {
    const aclDataType dtype = call.Tensor(name).dtype;
    std::vector<std::byte>& bytes = call.ExactBytes(name);
    bytes.resize(static_cast<size_t>(calls::ElementCount(call.Tensor(name).shape)) * calls::ElementBytes(dtype));
    calls::StoreElement(dtype, value, &bytes[at * calls::ElementBytes(dtype)]);
  };
  const std::vector<bool> axes = calls::ReducedAxes(call, call.schema());
  const auto groups = calls::Groups(self.shape, axes);
  const char* const indices = has_values ? "indicesOut" : "out";
  const auto results = calls::Groups(call.Tensor(indices).shape, axes);  // as many along the axis as are wanted
  for (size_t row = 0; row < groups.size(); ++row) {
    const std::vector<size_t>& group = groups[row];
    std::vector<size_t> places(group.size());
    for (size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::sort(places.begin(), places.end(), [&](size_t a, size_t b) {
      if (is_before(group[a], group[b])) return true;
      return a < b && !is_before(group[b], group[a]);  // stable
    });
    for (size_t i = 0; i < results[row].size(); ++i) {
      store(indices, results[row][i], static_cast<long double>(places[i]));
      if (!has_values) continue;
      const long double value = element(group[places[i]]);
      store("valuesOut", results[row][i], calls::Converted(value, self.dtype, call.Tensor("valuesOut").dtype));
    }
  }
  return true;
}

/// No step of the schema mentions the flags, and k is at most the length of the axis.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  const std::string_view api = call.schema().api;
  if (api != "aclnnSort" && api != "aclnnArgsort" && api != "aclnnTopk") return;
  for (const char* const flag : {"stable", "descending", "largest", "sorted"}) {
    if (random != nullptr && call.schema().Find(flag) >= 0) call.argument(flag).integer = random->Chance(0.5) ? 1 : 0;
  }
  if (api != "aclnnTopk") return;
  const calls::Dims& shape = call.tensor("self").shape;
  const int64_t length = shape.empty() ? 1 : shape[calls::AxisOf(call.argument("dim").integer, shape.size())];
  int64_t& k = call.argument("k").integer;
  k = random == nullptr || elements > 0 ? (length + 1) / 2 : random->Between(std::min<int64_t>(1, length), length);
  calls::ComputeShapeOf(call, call.schema().Find("valuesOut"));
  calls::ComputeShapeOf(call, call.schema().Find("indicesOut"));
}

}  // namespace portacl::ops::sort
