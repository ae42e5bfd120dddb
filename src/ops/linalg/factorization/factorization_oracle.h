// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/reduction_oracle.h"
#include "calls/word_calls.h"
#include "ops/linalg/factorization/elimination.h"
#include "ops/linalg/factorization/reflections.h"

namespace portacl::ops::factorization {

using calls::Dims;

inline constexpr long double kAnything = std::numeric_limits<long double>::infinity();

inline bool IsFactorization(std::string_view api) {
  return api == "aclnnInverse" || api == "aclnnSlogdet" || api == "aclnnLinalgQr";
}

// Appends the next element of an output, or the next part.
inline void Append(calls::OracleCall& call, std::string_view output, long double value, long double term) {
  const auto first_bits = static_cast<double>(value);
  const bool is_double = calls::PartDtype(call.Tensor(output).dtype) == ACL_DOUBLE;
  call.Values(output).push_back(first_bits);
  call.Terms(output).push_back(static_cast<double>(is_double ? term : term * 0x1p-20L));
  if (is_double) call.Tails(output).push_back(std::isfinite(first_bits) ? static_cast<double>(value - first_bits) : 0);
}

inline void AppendInverse(calls::OracleCall& call, const Elements& self, size_t n) {
  const EliminationOf<long double> result = Eliminate(self, n);
  for (size_t i = 0; i < n * n; ++i) {
    const long double term = result.is_resolvable ? result.TermOf(i / n, i % n) : kAnything;
    if (result.has_nan) {
      Append(call, "out", std::numeric_limits<long double>::quiet_NaN(), 0);
    } else {
      Append(call, "out", result.inverse[i], term);
    }
  }
}

inline void AppendLog(calls::OracleCall& call, long double value, long double term) {
  Append(call, "logOut", value, term);
  if (calls::PartsOf(call.Tensor("logOut").dtype) == 2) Append(call, "logOut", 0, term);
}

inline void AppendDeterminant(calls::OracleCall& call, const Elements& self, size_t n) {
  const EliminationOf<long double> result = Eliminate(self, n);
  if (result.has_nan || result.is_zero) {
    constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();
    Append(call, "signOut", result.has_nan ? kNan : 0, 0);
    AppendLog(call, result.has_nan ? kNan : -std::numeric_limits<long double>::infinity(), 0);
  } else {
    Append(call, "signOut", result.sign, result.is_resolvable ? 0 : kAnything);
    AppendLog(call, result.log, result.is_resolvable ? result.TermOfDeterminant() : kAnything);
  }
}

inline void AppendDeterminant(calls::OracleCall& call, const ComplexElements& self, size_t n) {
  const EliminationOf<std::complex<long double>> result = Eliminate(self, n);
  if (result.has_nan || result.is_zero) {
    const long double special = result.has_nan ? std::numeric_limits<long double>::quiet_NaN() : 0;
    for (int part = 0; part < 2; ++part) Append(call, "signOut", special, 0);
    AppendLog(call, result.has_nan ? special : -std::numeric_limits<long double>::infinity(), 0);
    return;
  }
  const long double term = result.is_resolvable ? std::max(1.0L, result.TermOfDeterminant()) : kAnything;
  Append(call, "signOut", result.sign.real(), term);
  Append(call, "signOut", result.sign.imag(), term);
  AppendLog(call, result.log, term);
}

inline void AppendFactors(calls::OracleCall& call, const Elements& self, size_t m, size_t n) {
  const Reflections result = ReflectColumns(self, m, n);
  const auto append = [&](const char* output, long double value, long double term, bool is_resolvable) {
    if (result.is_finite) {
      Append(call, output, value, is_resolvable ? term : kAnything);
    } else {
      Append(call, output, std::numeric_limits<long double>::quiet_NaN(), 0);
    }
  };
  const int64_t mode = call.Integer("mode");
  const size_t k = std::min(m, n);
  const size_t columns = mode == 2 ? 0 : mode == 1 ? m : k;
  for (size_t i = 0; i < m * columns; ++i)
    append("Q", result.q[i / columns * m + i % columns], result.unit, i % columns < result.resolved);
  for (size_t i = 0; i < (mode == 1 ? m : k) * n; ++i) {
    const size_t row = i / n, column = i % n;
    const long double term = std::max(result.unit, kSmallestResolved) * result.norms[column];
    append("R", result.r[i], row > column ? 0 : term, row > column || row < result.resolved);
  }
}

inline bool Oracle(calls::OracleCall& call) {
  if (!IsFactorization(call.api())) return false;
  const Dims& shape = call.Tensor("self").shape;
  const auto rows = static_cast<size_t>(shape[shape.size() - 2]), columns = static_cast<size_t>(shape.back());
  const auto matrices = static_cast<size_t>(calls::ElementCount(Dims(shape.begin(), shape.end() - 2)));
  for (size_t number = 0; number < matrices; ++number) {
    Elements self(rows * columns);
    for (size_t i = 0; i < self.size(); ++i) self[i] = calls::ElementOf(call, "self", number * self.size() + i);
    if (call.api() == "aclnnInverse") AppendInverse(call, self, rows);
    if (call.api() == "aclnnSlogdet" && calls::PartsOf(call.Tensor("self").dtype) == 2) {
      ComplexElements numbers(self.size());
      for (size_t i = 0; i < self.size(); ++i) {
        const size_t at = number * self.size() + i;
        numbers[i] = {calls::ElementOf(call, "self", at, 0), calls::ElementOf(call, "self", at, 1)};
      }
      AppendDeterminant(call, numbers, rows);
    } else if (call.api() == "aclnnSlogdet") {
      AppendDeterminant(call, self, rows);
    }
    if (call.api() == "aclnnLinalgQr") AppendFactors(call, self, rows, columns);
  }
  return true;
}

// Small matrices with about as many elements as the shape had, in one batch.
inline void MakeMatrices(Dims& shape, int64_t rows, int64_t columns) {
  const size_t last = shape.size() - 1;
  if (shape.size() > 2) {
    rows = std::min(rows, shape[last - 1]);
    columns = std::min(columns, shape[last]);
  } else {
    const int64_t elements = calls::ElementCount(shape);
    if (elements == 0 && shape.front() != 0) columns = 0;
    while (elements != 0 && rows * columns > elements) (rows > columns ? rows : columns) /= 2;
    const int64_t batch = elements == 0 ? shape.front() : elements / (rows * columns);
    shape.insert(shape.begin(), batch);
  }
  shape[shape.size() - 2] = rows;
  shape.back() = columns;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  if (!IsFactorization(call.schema().api)) return;
  constexpr int64_t kSizes[] = {1, 2, 3, 4, 5, 8, 17, 33};
  const auto draw = [&]() -> int64_t {
    if (random == nullptr) return elements > 0 ? 64 : 2;
    return kSizes[random->Below(std::ssize(kSizes))];
  };
  Dims& shape = call.tensor("self").shape;
  MakeMatrices(shape, draw(), draw());
  if (call.schema().Find("logOut") >= 0) {
    const bool is_part = random == nullptr || random->Chance(0.5);
    const aclDataType dtype = call.tensor("self").dtype;
    call.tensor("logOut").dtype = is_part ? calls::PartDtype(dtype) : dtype;
  }
  if (call.schema().Find("mode") < 0)
    shape[shape.size() - 2] = shape.back() = std::min(shape[shape.size() - 2], shape.back());
  for (const int tensor : call.schema().tensors) {
    if (call.schema().args[static_cast<size_t>(tensor)].written()) calls::ComputeShapeOf(call, tensor);
  }
}

}  // namespace portacl::ops::factorization
