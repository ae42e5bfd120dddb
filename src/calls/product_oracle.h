// SPDX-License-Identifier: Apache-2.0
// Shared by the oracles of matrix products: sums of products in long double, and matching shapes of operands.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/call.h"
#include "calls/oracle.h"
#include "calls/random.h"
#include "calls/word_calls.h"

namespace portacl::calls {

// A result, and properties of the terms in its sum.
struct ProductSum {
  long double value = 0;
  long double magnitudes = 0;
  int64_t terms = 0;

  void Add(long double x, long double y) {
    const long double term = x * y;
    value += term;
    if (std::isfinite(x) && std::isfinite(y)) magnitudes += std::abs(term);
    ++terms;
  }
};

// Appends an element to the output. Its error is measured by the sum of magnitudes; for 16 bits by a share of it, as
// float32 cannot always decide which way a result rounds. Each of k terms may lose up to the smallest normal number. If
// a partial sum may leave the range of float32, any result is valid.
inline void AppendProduct(OracleCall& call, std::string_view output, const ProductSum& sum, long double factor = 1) {
  const aclDataType dtype = call.Tensor(output).dtype;
  const long double share = dtype == ACL_FLOAT ? 1 : dtype == ACL_FLOAT16 ? 0x1p-2L : 0x1p-5L;
  const long double lost = static_cast<long double>(sum.terms) * 0x1p-125L * std::max(1.0L, std::abs(factor));
  const bool may_overflow = sum.magnitudes >= 0x1p127L || sum.magnitudes * std::abs(factor) >= 0x1p127L;
  const long double term = share * (sum.magnitudes + lost);
  call.Values(output).push_back(static_cast<double>(sum.value));
  call.Terms(output).push_back(may_overflow ? std::numeric_limits<double>::infinity() : static_cast<double>(term));
}

// The axes of two operands before the last two, broadcast.
inline Dims BatchOf(const Dims& a, const Dims& b) {
  const size_t rank = std::max({a.size(), b.size(), size_t{2}}) - 2;
  Dims batch(rank, 1);
  for (const Dims* const factor : {&a, &b}) {
    for (size_t axis = 0; axis + 2 < factor->size(); ++axis) {
      int64_t& size = batch[axis + rank - (factor->size() - 2)];
      if (size == 1) size = (*factor)[axis];
    }
  }
  return batch;
}

// The offset, in elements, of an operand's matrix for batch index `i`.
inline size_t MatrixAt(const Dims& factor, const Dims& batch, size_t i) {
  size_t at = 0, step = 1;
  for (size_t axis = factor.size(); axis-- > 0;) {
    const auto size = static_cast<size_t>(factor[axis]);
    if (axis + 2 < factor.size()) {
      const size_t of_batch = axis + batch.size() - (factor.size() - 2);
      size_t number = i;
      for (size_t later = batch.size(); --later > of_batch;) number /= static_cast<size_t>(batch[later]);
      number %= static_cast<size_t>(batch[of_batch]);
      if (size != 1) at += number * step;
    }
    step *= size;
  }
  return at;
}

// Calls f(sum) for each element of the product of two factors, in row-major order.
template <class F>
void ForEachProduct(OracleCall& call, std::string_view first, std::string_view second, const F& f) {
  const Dims &a = call.Tensor(first).shape, &b = call.Tensor(second).shape;
  const Dims batch = BatchOf(a, b);
  const std::vector<double>&x = call.Values(first), &y = call.Values(second);
  const auto k = static_cast<size_t>(a.back());
  const auto m = static_cast<size_t>(a.size() == 1 ? 1 : a[a.size() - 2]);
  const auto n = static_cast<size_t>(b.size() == 1 ? 1 : b.back());
  for (size_t i = 0; i < static_cast<size_t>(ElementCount(batch)); ++i) {
    const size_t of_a = MatrixAt(a, batch, i), of_b = MatrixAt(b, batch, i);
    for (size_t row = 0; row < m; ++row) {
      for (size_t column = 0; column < n; ++column) {
        ProductSum sum;
        for (size_t j = 0; j < k; ++j) {
          sum.Add(static_cast<long double>(x[of_a + row * k + j]), static_cast<long double>(y[of_b + j * n + column]));
        }
        f(sum);
      }
    }
  }
}

// Gives outputs the shape of the product.
inline void FitResults(Call& call) {
  for (const int tensor : call.schema().tensors) {
    if (call.schema().args[static_cast<size_t>(tensor)].written()) ComputeShapeOf(call, tensor);
  }
}

// Sizes of operands, of the ranks in the call, around the edges of tiles; `elements` as for MakeValidCall.
inline void FitFactors(Call& call, std::string_view first, std::string_view second, Random* random, int64_t elements) {
  Dims &a = call.tensor(first).shape, &b = call.tensor(second).shape;
  constexpr int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 33, 64, 65};
  const bool is_empty = ElementCount(a) == 0;
  const auto draw = [&](int64_t plain, int64_t large) {
    if (random != nullptr) return kSizes[random->Below(std::ssize(kSizes))];
    return elements > 0 ? large : plain;
  };
  const bool is_all_empty = is_empty && random == nullptr;  // all tensors are empty
  int64_t k = is_all_empty ? 0 : elements > 0 ? 48 : draw(3, 48);
  // Sums of many terms, with few results.
  constexpr int64_t kFewResults = 20;
  const bool is_long = random != nullptr && random->Chance(0.3);
  if (is_long) k = random->Pick(Dims{257, 700, 1024, 2100});
  const auto side = static_cast<int64_t>(std::sqrt(static_cast<double>(std::max<int64_t>(elements, 1))));
  const int64_t most_of_side = is_long ? kFewResults : std::numeric_limits<int64_t>::max();
  const int64_t m = is_all_empty || (is_empty && random->Chance(0.5)) ? 0 : std::min(draw(2, side), most_of_side);
  const int64_t n = is_all_empty ? 0 : std::min(draw(4, side), most_of_side);
  if (is_empty && m != 0) k = 0;
  const size_t rank = std::max(a.size(), b.size());
  Dims batch(rank < 2 ? 0 : rank - 2, 1);
  int64_t most = is_long ? 1 : 64;
  for (int64_t& size : batch) {
    size = random == nullptr ? (elements > 0 ? 1 : 2) : random->Between(1, std::min<int64_t>(3, most));
    most = std::max<int64_t>(1, most / size);
  }
  const auto fit = [&](Dims& factor, int64_t rows, int64_t columns, int64_t of_vector) {
    if (factor.size() == 1) return factor.assign(1, of_vector);
    const size_t own = factor.size() - 2;
    for (size_t axis = 0; axis < own; ++axis) {
      const bool is_broadcast = random != nullptr && random->Chance(0.3);
      factor[axis] = is_broadcast ? 1 : batch[axis + batch.size() - own];
    }
    factor[own] = rows;
    factor[own + 1] = columns;
  };
  fit(a, m, k, k);
  fit(b, k, n, k);
  FitResults(call);
}

}  // namespace portacl::calls
