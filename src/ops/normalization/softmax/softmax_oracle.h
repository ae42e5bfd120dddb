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

/// The logarithms of the softmax of a row.
inline Row LogSharesOf(const Row& x) {
  long double most = -std::numeric_limits<long double>::infinity();
  for (const long double v : x) most = std::isnan(v) ? v : std::isnan(most) ? most : std::max(most, v);
  // The terms below the largest are summed separately, so that they do not lose bits.
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

/// Stores element i of an output that has `count` elements.
inline void Store(calls::OracleCall& call, std::string_view name, size_t count, size_t i, long double value,
                  long double term) {
  for (std::vector<double>* const list : {&call.Values(name), &call.Tails(name), &call.Terms(name)})
    list->resize(count);
  const auto first = static_cast<double>(value);
  call.Values(name)[i] = first;
  call.Tails(name)[i] = std::isfinite(first) ? static_cast<double>(value - first) : 0;
  call.Terms(name)[i] = static_cast<double>(term);
}

inline constexpr long double kAnything = std::numeric_limits<long double>::infinity();

/// A term for an element: any value is valid if intermediate results of finite numbers leave the range of FLOAT.
inline long double TermWithin(long double term, long double largest_on_the_way) {
  return std::isfinite(largest_on_the_way) && largest_on_the_way >= 0x1p127L ? kAnything : term;
}

inline bool GradientOracle(calls::OracleCall& call) {
  const bool is_log = call.api() == "aclnnLogSoftmaxBackward";
  if (!is_log && call.api() != "aclnnSoftmaxBackward") return false;
  const calls::Dims& shape = call.Tensor("output").shape;
  const auto count = static_cast<size_t>(calls::ElementCount(shape));
  for (const std::vector<size_t>& group : calls::Groups(shape, calls::ReducedAxes(shape, {call.Integer("dim")}))) {
    const Row grad = RowOf(call, "gradOutput", group), y = RowOf(call, "output", group);
    long double sum = 0;
    long double size = 0;
    for (size_t j = 0; j < group.size(); ++j) {
      const long double product = is_log ? grad[j] : grad[j] * y[j];
      sum += product;
      size += std::abs(product);
    }
    // Each product may be subnormal and lose bits.
    const long double lost = is_log ? 0 : 0x1p-126L * static_cast<long double>(group.size());
    for (size_t j = 0; j < group.size(); ++j) {
      const long double factor = is_log ? static_cast<long double>(std::exp(static_cast<float>(y[j]))) : y[j];
      const long double exact = is_log && std::isfinite(factor) && std::isfinite(sum) ? std::exp(y[j]) : factor;
      const long double value = is_log ? grad[j] - exact * sum : y[j] * (grad[j] - sum);
      const long double term =
          is_log ? std::abs(grad[j]) + std::max(exact, 0x1p-126L) * size : std::abs(y[j]) * (std::abs(grad[j]) + size);
      const bool overflows = is_log && y[j] > 88 && std::isfinite(y[j]);
      const long double all = (std::abs(grad[j]) + size) * std::max(1.0L, std::abs(is_log ? exact : y[j]));
      Store(call, "out", count, group[j], value,
            overflows ? kAnything : TermWithin(std::max(term, std::abs(y[j]) * lost), all));
    }
  }
  return true;
}

/// The labels of a row, broadcast.
inline Row LabelsOf(calls::OracleCall& call, size_t row, size_t n) {
  const calls::Dims& shape = call.Tensor("labels").shape;
  Row labels;
  for (size_t j = 0; j < n; ++j) {
    const size_t first = shape[0] == 1 ? 0 : row * static_cast<size_t>(shape[1]);
    labels.push_back(calls::ElementOf(call, "labels", first + (shape[1] == 1 ? 0 : j)));
  }
  return labels;
}

inline bool CrossEntropyOracle(calls::OracleCall& call) {
  if (call.api() != "aclnnSoftmaxCrossEntropyWithLogits") return false;
  const calls::Dims& shape = call.Tensor("features").shape;
  const auto rows = static_cast<size_t>(shape[0]), n = static_cast<size_t>(shape[1]);
  const std::vector<std::vector<size_t>> groups = calls::Groups(shape, {false, true});
  for (size_t row = 0; row < rows; ++row) {
    const Row x = RowOf(call, "features", groups[row]), labels = LabelsOf(call, row, n);
    const Row shares = LogSharesOf(x);
    long double loss = 0;
    long double size = 0;
    long double largest = 0;
    for (size_t j = 0; j < n; ++j) {
      const long double term = -labels[j] * shares[j];
      loss += term;
      // Exponentials that would be subnormal become 0.
      size += std::abs(term) + std::abs(labels[j]) * 0x1p-104L * static_cast<long double>(n);
      if (std::isfinite(shares[j])) largest = std::max(largest, std::abs(shares[j]));
      const long double share = std::exp(shares[j]);
      Store(call, "backprop", rows * n, row * n + j, share - labels[j], std::max(share, 0x1p-104L));
    }
    // Without classes nothing is written.
    Store(call, "loss", rows, row, loss, n == 0 ? kAnything : TermWithin(size, std::max(size, largest)));
  }
  return true;
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  const bool is_log = api == "aclnnLogSoftmax";
  if (!is_log && api != "aclnnSoftmax") return GradientOracle(call) || CrossEntropyOracle(call);
  const calls::Dims& shape = call.Tensor("self").shape;
  const auto count = static_cast<size_t>(calls::ElementCount(shape));
  const bool in_double = call.Tensor("self").dtype == ACL_DOUBLE || call.Tensor("out").dtype == ACL_DOUBLE;
  // Exponentials that would be subnormal become 0.
  const long double lost = is_log ? (in_double ? 0x1p-970L : 0x1p-104L) : 0;
  for (const std::vector<size_t>& group : calls::Groups(shape, calls::ReducedAxes(call, call.schema()))) {
    const Row shares = LogSharesOf(RowOf(call, "self", group));
    for (size_t j = 0; j < group.size(); ++j)
      Store(call, "out", count, group[j], is_log ? shares[j] : std::exp(shares[j]),
            lost * static_cast<long double>(group.size()));
  }
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random*, int64_t) {
  if (call.schema().Find("labels") < 0 || call.schema().Find("backprop") < 0) return;
  calls::Dims& labels = call.tensor("labels").shape;
  labels.insert(labels.begin(), 2 - labels.size(), 1);
  calls::ComputeShapeOf(call, call.schema().Find("loss"));
}

}  // namespace portacl::ops::softmax
