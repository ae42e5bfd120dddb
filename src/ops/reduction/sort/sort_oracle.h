// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: a stable sort of the elements of each row.
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
#include "calls/reduction_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::sort {

inline bool IsOfRoom(std::string_view api) {
  return api == "aclnnSort" || api == "aclnnArgsort" || api == "aclnnTopk" || api == "aclnnKthvalue" ||
         api == "aclnnMedian" || api == "aclnnMedianDim" || api == "aclnnNanMedian" || api == "aclnnNanMedianDim";
}

/// The place of the result in a sorted row, of which `numbers` elements are no NaN.
inline size_t PlaceOf(calls::OracleCall& call, size_t n, size_t numbers) {
  if (call.api() == "aclnnKthvalue") return static_cast<size_t>(call.Integer("k")) - 1;
  if (call.api() == "aclnnMedian" || call.api() == "aclnnMedianDim") return numbers < n ? numbers : (n - 1) / 2;
  return numbers == 0 ? 0 : (numbers - 1) / 2;
}

inline bool Oracle(calls::OracleCall& call) {
  const bool has_values = call.api() != "aclnnArgsort";
  const bool is_top = call.api() == "aclnnTopk";
  if (!IsOfRoom(call.api())) return false;
  const bool is_one = !is_top && call.schema().Find("descending") < 0;
  const bool has_indices = call.schema().Find("dim") >= 0;
  const calls::TensorSpec& self = call.Tensor("self");
  const bool is_falling = !is_one && call.Integer(is_top ? "largest" : "descending") != 0;
  std::vector<long double> elements(static_cast<size_t>(calls::ElementCount(self.shape)));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = calls::ElementOf(call, "self", i);
  const auto is_before = [&](long double x, long double y) {
    if (is_falling) std::swap(x, y);
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
  // As many along the axis as are wanted.
  const auto results = is_one ? std::vector<std::vector<size_t>>() : calls::Groups(call.Tensor(indices).shape, axes);
  for (size_t row = 0; row < groups.size(); ++row) {
    const std::vector<size_t>& group = groups[row];
    std::vector<size_t> places(group.size());
    for (size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::ranges::stable_sort(places,
                             [&](size_t a, size_t b) { return is_before(elements[group[a]], elements[group[b]]); });
    if (is_one) {
      const auto is_nan = [&](size_t i) { return std::isnan(elements[i]); };
      const auto numbers = group.size() - static_cast<size_t>(std::ranges::count_if(group, is_nan));
      const size_t place = group.empty() ? 0 : places[PlaceOf(call, group.size(), numbers)];
      if (has_indices) store("indicesOut", row, static_cast<long double>(place));
      store("valuesOut", row, group.empty() ? std::numeric_limits<long double>::quiet_NaN() : elements[group[place]]);
      continue;
    }
    for (size_t i = 0; i < results[row].size(); ++i) {
      store(indices, results[row][i], static_cast<long double>(places[i]));
      if (!has_values) continue;
      const long double value = elements[group[places[i]]];
      store("valuesOut", results[row][i], calls::Converted(value, self.dtype, call.Tensor("valuesOut").dtype));
    }
  }
  return true;
}

/// No step of the schema mentions the flags, and k is at most the length of the axis.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  const std::string_view api = call.schema().api;
  if (!IsOfRoom(api)) return;
  for (const char* const flag : {"stable", "descending", "largest", "sorted"}) {
    if (random != nullptr && call.schema().Find(flag) >= 0) call.argument(flag).integer = random->Chance(0.5) ? 1 : 0;
  }
  if (call.schema().Find("dim") < 0 && !calls::IsFloat(call.tensor("self").dtype))
    std::ranges::replace(call.tensor("self").shape, 0, 1);  // no integers have no median
  if (call.schema().Find("k") < 0) return;
  const calls::Dims& shape = call.tensor("self").shape;
  const int64_t length = shape.empty() ? 1 : shape[calls::AxisOf(call.argument("dim").integer, shape.size())];
  int64_t& k = call.argument("k").integer;
  k = random == nullptr || elements > 0 ? (length + 1) / 2 : random->Between(std::min<int64_t>(1, length), length);
  calls::ComputeShapeOf(call, call.schema().Find("valuesOut"));
  calls::ComputeShapeOf(call, call.schema().Find("indicesOut"));
}

}  // namespace portacl::ops::sort
