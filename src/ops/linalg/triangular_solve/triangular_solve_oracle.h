// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::triangular_solve {

using calls::Dims;

// Substitution for one column in long double, and the error that float64 may have.
struct Solution {
  std::vector<long double> x;
  std::vector<long double> error;  // infinite if only rounding decides
};

// coefficient(i, j) is the coefficient of unknown j in equation i.
template <class F>
Solution Substitute(const std::vector<long double>& right, bool is_forwards, bool is_unit, const F& coefficient) {
  constexpr long double kUnknown = std::numeric_limits<long double>::infinity();
  constexpr long double kLargest = std::numeric_limits<double>::max() / 2;
  constexpr long double kSmallest = std::numeric_limits<double>::denorm_min();
  const size_t n = right.size();
  Solution solution{std::vector<long double>(n), std::vector<long double>(n)};
  for (size_t step = 0; step < n; ++step) {
    const size_t i = is_forwards ? step : n - 1 - step;
    long double rest = right[i], size = std::abs(right[i]), error = 0;
    for (size_t done = 0; done < step; ++done) {
      const size_t j = is_forwards ? done : n - 1 - done;
      const long double factor = coefficient(i, j), term = factor * solution.x[j];
      rest -= term;
      size += std::abs(term);
      // An unresolved unknown times 0 is unresolved, too.
      error += solution.error[j] == kUnknown ? kUnknown : std::abs(factor) * solution.error[j] + kSmallest;
    }
    if (step > 0) error += static_cast<long double>(step + 2) * 0x1p-53L * size;
    const long double pivot = is_unit ? 1 : coefficient(i, i);
    solution.x[i] = rest / pivot;
    const bool overflows = std::isfinite(size) && (size > kLargest || std::abs(solution.x[i]) > kLargest);
    const bool is_sure = std::isfinite(rest) && std::abs(rest) > error;  // of the sign, or that the value is not 0
    if (error == kUnknown || (overflows && std::isfinite(solution.x[i]))) {
      solution.error[i] = kUnknown;
    } else if (!std::isfinite(size)) {
      solution.error[i] = 0;  // infinities and NaN do not depend on rounding
    } else if (pivot == 0) {
      solution.error[i] = is_sure || error == 0 ? 0 : kUnknown;
    } else if (size > kLargest) {
      solution.error[i] = kUnknown;
    } else {
      const long double bound = std::abs(error / pivot) + std::abs(solution.x[i]) * 0x1p-53L + kSmallest;
      solution.error[i] = std::isnan(bound) ? 0 : bound;
    }
  }
  return solution;
}

// The index of a broadcast operand's matrix.
inline size_t MatrixOf(const Dims& batch, const Dims& shape) {
  Dims index, sizes(shape.begin(), shape.end() - 2);
  const size_t added = batch.size() - sizes.size();
  for (size_t axis = 0; axis < sizes.size(); ++axis) index.push_back(sizes[axis] == 1 ? 0 : batch[added + axis]);
  return calls::NumberOf(sizes, index);
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnTriangularSolve") return false;
  const Dims out = call.Tensor("xOut").shape, self = call.Tensor("self").shape, a = call.Tensor("A").shape;
  const bool is_upper = call.Integer("upper") != 0, is_transposed = call.Integer("transpose") != 0;
  const bool is_unit = call.Integer("unitriangular") != 0, is_double = call.Tensor("self").dtype == ACL_DOUBLE;
  const auto n = static_cast<size_t>(out[out.size() - 2]), columns = static_cast<size_t>(out.back());
  const size_t bytes = calls::ElementBytes(call.Tensor("A").dtype);
  calls::ForEachIndex(Dims(out.begin(), out.end() - 2), [&](const Dims& batch) {
    const size_t first_a = MatrixOf(batch, a) * n * n, first_self = MatrixOf(batch, self) * n * columns;
    const auto element = [&](size_t i, size_t j) {
      return static_cast<long double>(call.Values("A")[first_a + (is_transposed ? j * n + i : i * n + j)]);
    };
    std::vector<Solution> solutions;
    for (size_t column = 0; column < columns; ++column) {
      std::vector<long double> right(n);
      for (size_t i = 0; i < n; ++i) right[i] = call.Values("self")[first_self + i * columns + column];
      solutions.push_back(Substitute(right, is_upper == is_transposed, is_unit, element));
    }
    for (size_t i = 0; i < n * columns; ++i) {
      const long double x = solutions[i % columns].x[i / columns];
      const long double term = solutions[i % columns].error[i / columns] * (is_double ? 0x1p53L : 0x1p33L);
      const auto first_bits = static_cast<double>(x);
      call.Values("xOut").push_back(first_bits);
      call.Terms("xOut").push_back(static_cast<double>(term));
      if (is_double) call.Tails("xOut").push_back(std::isfinite(first_bits) ? static_cast<double>(x - first_bits) : 0);
    }
    std::vector<std::byte>& triangle = call.ExactBytes("mOut");
    for (size_t i = 0; i < n * n; ++i) {
      const bool is_used = is_upper ? i % n >= i / n : i % n <= i / n;
      const auto from = call.Bytes("A").begin() + static_cast<ptrdiff_t>((first_a + i) * bytes);
      if (is_used) triangle.insert(triangle.end(), from, from + static_cast<ptrdiff_t>(bytes));
      if (!is_used) triangle.insert(triangle.end(), bytes, std::byte{0});
    }
  });
  return true;
}

// Small matrices with about as many elements as the shape had, in broadcast batches.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  if (std::string_view(call.schema().api) != "aclnnTriangularSolve") return;
  if (call.tensor("self").dtype != ACL_FLOAT && call.tensor("self").dtype != ACL_DOUBLE) {
    for (const char* const name : {"self", "A", "xOut", "mOut"}) call.tensor(name).dtype = ACL_FLOAT;
  }
  constexpr int64_t kSizes[] = {1, 2, 3, 4, 5, 8, 17, 33};
  Dims& self = call.tensor("self").shape;
  Dims& a = call.tensor("A").shape;
  const int64_t count = calls::ElementCount(self);
  const auto draw = [&]() -> int64_t {
    if (random == nullptr) return elements > 0 ? 64 : 2;
    const int64_t size = kSizes[random->Below(std::ssize(kSizes))];
    return count == 0 ? size : std::min(size, std::max<int64_t>(1, count));
  };
  const int64_t n = count == 0 && self[self.size() - 2] == 0 ? 0 : draw();
  const int64_t columns = count == 0 && self.back() == 0 ? 0 : draw();
  Dims batch(self.begin(), self.end() - 2);
  int64_t left = count;
  for (int64_t& size : batch) {
    size = std::min(size, std::max<int64_t>(1, left));
    left /= std::max<int64_t>(1, size * size);
  }
  if (batch.empty() && (random == nullptr || random->Chance(0.5)) && n * columns != 0)
    batch.push_back(std::max<int64_t>(1, count / (n * std::max(n, columns))));
  self = a = batch;
  if (random != nullptr && !batch.empty()) {
    Dims& other = random->Chance(0.5) ? self : a;
    if (random->Chance(0.3)) other.front() = 1;
    if (random->Chance(0.3)) other.erase(other.begin());
  }
  self.insert(self.end(), {n, columns});
  a.insert(a.end(), {n, n});
  for (const char* const name : {"xOut", "mOut"}) calls::ComputeShapeOf(call, call.schema().Find(name));
}

}  // namespace portacl::ops::triangular_solve
