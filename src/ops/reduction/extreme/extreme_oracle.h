// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the definitions, element by element.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/reduction_oracle.h"

namespace portacl::ops::extreme {

/// The index of the first of the largest, or smallest, elements; or of the first NaN.
template <class F>
size_t PlaceOfFirst(const std::vector<size_t>& group, bool largest, const F& element) {
  size_t place = 0;
  for (size_t i = 0; i < group.size(); ++i) {
    const long double x = element(group[i]);
    const long double best = element(group[place]);
    if (std::isnan(best)) break;
    if (std::isnan(x) || (largest ? x > best : x < best)) place = i;
  }
  return place;
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  const bool is_any = api == "aclnnAny";
  const bool is_logical = is_any || api == "aclnnAll";
  const bool largest = api == "aclnnAmax" || api == "aclnnMax" || api == "aclnnArgMax" || api == "aclnnMaxDim";
  const bool smallest = api == "aclnnAmin" || api == "aclnnMin" || api == "aclnnArgMin" || api == "aclnnMinDim";
  if (!is_logical && !largest && !smallest) return false;
  const calls::Dims& shape = call.Tensor("self").shape;
  const auto groups = calls::Groups(shape, calls::ReducedAxes(call, call.schema()));
  const auto element = [&](size_t i) { return calls::ElementOf(call, "self", i); };
  const auto store = [&](const char* name, size_t result, long double value) {
    const aclDataType dtype = call.Tensor(name).dtype;
    std::vector<std::byte>& bytes = call.ExactBytes(name);
    bytes.resize(groups.size() * calls::ElementBytes(dtype));
    calls::StoreElement(dtype, value == 0 ? 0 : value, &bytes[result * calls::ElementBytes(dtype)]);
  };
  const bool gives_places = api == "aclnnArgMax" || api == "aclnnArgMin";
  for (size_t result = 0; result < groups.size(); ++result) {
    const std::vector<size_t>& group = groups[result];
    if (is_logical) {
      bool holds = !is_any;
      for (const size_t i : group) {
        const bool is_true = element(i) != 0;
        holds = is_any ? holds || is_true : holds && is_true;
      }
      store("out", result, holds ? 1 : 0);
      continue;
    }
    const size_t place = PlaceOfFirst(group, largest, element);
    store("out", result, gives_places ? static_cast<long double>(place) : element(group[place]));
    if (call.schema().Find("indices") >= 0) store("indices", result, static_cast<long double>(place));
  }
  return true;
}

}  // namespace portacl::ops::extreme
