// SPDX-License-Identifier: Apache-2.0
//
// Householder reflections of a matrix, in long double and plain loops, for the oracle.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ops/linalg/factorization/elimination.h"

namespace portacl::ops::factorization {

struct Reflections {
  Elements q;      // m x m
  Elements r;      // m x n
  Elements norms;  // norms of the columns of the matrix
  /// The error that float64 may have in an element of Q, in units: m n times the condition number of the reflected
  /// columns. For an element of R it is multiplied by the norm of its column.
  long double unit = 0;
  /// Columns of Q, and rows of R, from this index on depend on rounding errors.
  size_t resolved = 0;
  bool is_finite = true;
};

/// The product of the Frobenius norms of an upper k x k triangle, the first columns of r, and of its inverse. Columns
/// are divided by their norms first, which does not change Q.
inline long double ConditionOf(const Elements& r, const Elements& norms, size_t n, size_t k) {
  long double of_inverse = 0;
  for (size_t column = 0; column < k; ++column) {
    Elements x(column + 1);  // column `column` of the inverse, from the last element
    for (size_t i = column + 1; i-- > 0;) {
      long double rest = i == column ? 1 : 0;
      for (size_t j = i + 1; j <= column; ++j) rest -= r[i * n + j] / norms[j] * x[j];
      x[i] = rest / (r[i * n + i] / norms[i]);
      of_inverse += x[i] * x[i];
    }
  }
  const long double condition = std::sqrt(static_cast<long double>(k) * of_inverse);
  return std::isfinite(condition) ? condition : std::numeric_limits<long double>::infinity();
}

inline long double NormOf(const Elements& a, size_t rows, size_t columns, size_t first, size_t column) {
  long double squares = 0;
  for (size_t i = first; i < rows; ++i) squares += a[i * columns + column] * a[i * columns + column];
  return std::sqrt(squares);
}

/// Applies the reflection with vector v: rows [first, rows) of a become a - v factor v^T a.
inline void Reflect(const Elements& v, long double factor, size_t first, size_t columns, Elements& a) {
  for (size_t j = 0; j < columns; ++j) {
    long double product = 0;
    for (size_t i = 0; i < v.size(); ++i) product += v[i] * a[(first + i) * columns + j];
    for (size_t i = 0; i < v.size(); ++i) a[(first + i) * columns + j] -= factor * product * v[i];
  }
}

/// Relative to the largest element of a column.
inline constexpr long double kSmallestResolved = 0x1p-500L;

inline Reflections ReflectColumns(const Elements& a, size_t m, size_t n) {
  Reflections result{.q = Elements(m * m), .r = a, .norms = Elements(n)};
  for (const long double x : a) result.is_finite = result.is_finite && std::isfinite(x);
  if (!result.is_finite) return result;
  const size_t k = std::min(m, n);
  Elements transpose(m * m);  // transpose of Q
  for (size_t i = 0; i < m; ++i) transpose[i * m + i] = 1;
  for (size_t j = 0; j < n; ++j) result.norms[j] = NormOf(a, m, n, 0, j);
  Elements margins(k, 1);  // distance of the first element, and of the others, from zero, where signs change
  bool is_exact = true;    // nothing has been rounded by a reflection yet
  for (size_t step = 0; step < k; ++step) {
    const long double first = result.r[step * n + step];
    const long double others = NormOf(result.r, m, n, step + 1, step);
    if (!is_exact && step + 1 < m) margins[step] = std::min(std::abs(first), others) / result.norms[step];
    for (const long double size : {std::abs(first), others}) {  // its square is negligible beside that of the norm
      if (size != 0 && size < kSmallestResolved * result.norms[step]) margins[step] = 0;
    }
    if (others == 0) continue;
    is_exact = false;
    const long double norm = std::hypot(first, others);
    const long double diagonal = first >= 0 ? -norm : norm;
    Elements v(m - step);
    for (size_t i = 0; i < v.size(); ++i) v[i] = result.r[(step + i) * n + step];
    v[0] -= diagonal;
    long double squares = 0;
    for (const long double x : v) squares += x * x;
    Reflect(v, 2 / squares, step, n, result.r);
    Reflect(v, 2 / squares, step, m, transpose);
    result.r[step * n + step] = diagonal;
    for (size_t i = step + 1; i < m; ++i) result.r[i * n + step] = 0;
  }
  for (size_t i = 0; i < m * m; ++i) result.q[i] = transpose[i % m * m + i / m];
  if (!is_exact) result.unit = static_cast<long double>(m * n) * ConditionOf(result.r, result.norms, n, k);
  if (result.unit * kEpsilon >= kResolvable) return result;
  while (result.resolved < k && margins[result.resolved] > 8 * result.unit * kEpsilon) ++result.resolved;
  if (result.resolved == k) result.resolved = m;
  return result;
}

}  // namespace portacl::ops::factorization
