// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the definitions, row by row, in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/reduction_oracle.h"

namespace portacl::ops::softmax {

using Row = std::vector<long double>;

/// The logarithms of the shares of a row.
inline Row LogSharesOf(const Row& x) {
  long double most = -std::numeric_limits<long double>::infinity();
  for (const long double v : x) most = std::isnan(v) ? v : std::isnan(most) ? most : std::max(most, v);
  // Those below the largest apart, so that nothing of them is lost.
  long double smaller = 0;
  long double largest = 0;
  for (const long double v : x) (v - most == 0 ? largest : smaller) += std::exp(v - most);
  const long double log_sum = std::log1p(smaller + (largest - 1));
  Row shares;
  for (const long double v : x) shares.push_back(v - most - log_sum);
  return shares;
}

/// Elements of a tensor in the order of a group.
inline Row RowOf(calls::OracleCall& call, std::string_view name, const std::vector<size_t>& group) {
  Row row;
  for (const size_t i : group) row.push_back(calls::ElementOf(call, name, i));
  return row;
}

/// Element i of an output that has `count` elements.
inline void Store(calls::OracleCall& call, std::string_view name, size_t count, size_t i, long double value,
                  long double term) {
  for (std::vector<double>* const list : {&call.Values(name), &call.Tails(name), &call.Terms(name)})
    list->resize(count);
  const auto first = static_cast<double>(value);
  call.Values(name)[i] = first;
  call.Tails(name)[i] = std::isfinite(first) ? static_cast<double>(value - first) : 0;
  call.Terms(name)[i] = static_cast<double>(term);
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  const bool is_log = api == "aclnnLogSoftmax";
  if (!is_log && api != "aclnnSoftmax") return false;
  const calls::Dims& shape = call.Tensor("self").shape;
  const auto count = static_cast<size_t>(calls::ElementCount(shape));
  const bool in_double = call.Tensor("self").dtype == ACL_DOUBLE || call.Tensor("out").dtype == ACL_DOUBLE;
  // Exponentials that would be subnormals count as 0.
  const long double lost = is_log ? (in_double ? 0x1p-970L : 0x1p-104L) : 0;
  for (const std::vector<size_t>& group : calls::Groups(shape, calls::ReducedAxes(call, call.schema()))) {
    const Row shares = LogSharesOf(RowOf(call, "self", group));
    for (size_t j = 0; j < group.size(); ++j)
      Store(call, "out", count, group[j], is_log ? shares[j] : std::exp(shares[j]),
            lost * static_cast<long double>(group.size()));
  }
  return true;
}

}  // namespace portacl::ops::softmax
