// SPDX-License-Identifier: Apache-2.0
//
// Gauss-Jordan elimination of a square matrix, in long double and plain loops, for the oracle.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace portacl::ops::factorization {

template <class T>
using ElementsOf = std::vector<T>;  // row-major
using Elements = ElementsOf<long double>;
using ComplexElements = ElementsOf<std::complex<long double>>;

/// If a bound exceeds this share of a result, float64 cannot resolve the result.
inline constexpr long double kResolvable = 0x1p-8L;
inline constexpr long double kEpsilon = 0x1p-53L;  // machine epsilon of float64
/// Beyond this and its reciprocal, float64 loses some or all bits in products of elements.
inline constexpr long double kLargestResolved = 0x1p960L;
inline bool HasTheRangeOfProducts(long double size) { return size < kLargestResolved && size > 1 / kLargestResolved; }

template <class T>
long double LargestOf(const ElementsOf<T>& elements) {
  long double largest = 0;
  for (const T& x : elements) largest = std::max(largest, std::abs(x));
  return largest;
}

template <class T>
struct EliminationOf {
  ElementsOf<T> inverse;
  Elements row_sums, column_sums;  // sums of the magnitudes of its elements
  T sign = 1;                      // sign of the determinant
  long double log = 0;             // the logarithm of its magnitude
  /// The error that float64 may have in an element of the inverse, in units, before it is multiplied by sums along rows
  /// and columns. (A + E)^-1 = A^-1 - A^-1 E A^-1 + ..., where partial pivoting has |E| < some n^2 times the largest
  /// element.
  long double unit = 0;
  bool has_nan = false;
  bool is_zero = false;        // a row or column is zero: exact pivots show it
  bool is_resolvable = false;  // up to kResolvable

  long double TermOf(size_t row, size_t column) const { return unit * row_sums[row] * column_sums[column]; }
  /// The relative error of the determinant: the sum of the products of A^-1 and E.
  long double TermOfDeterminant() const {
    long double sum = 0;
    for (const long double of_row : row_sums) sum += of_row;
    return unit * sum;
  }
};

template <class T>
bool HasZeros(const ElementsOf<T>& a, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    bool row = true, column = true;
    for (size_t j = 0; j < n; ++j) {
      row = row && a[i * n + j] == T(0);
      column = column && a[j * n + i] == T(0);
    }
    if (row || column) return true;
  }
  return false;
}

/// Makes row `pivot` of n the row of a pivot, in the matrix and in the inverse beside it.
template <class T>
void EliminateColumn(ElementsOf<T>& a, ElementsOf<T>& inverse, size_t n, size_t pivot) {
  const T divisor = a[pivot * n + pivot];
  for (size_t j = 0; j < n; ++j) {
    a[pivot * n + j] /= divisor;
    inverse[pivot * n + j] /= divisor;
  }
  for (size_t i = 0; i < n; ++i) {
    const T factor = a[i * n + pivot];
    if (i == pivot || factor == T(0)) continue;
    for (size_t j = 0; j < n; ++j) {
      a[i * n + j] -= factor * a[pivot * n + j];
      inverse[i * n + j] -= factor * inverse[pivot * n + j];
    }
  }
}

template <class T>
EliminationOf<T> Eliminate(ElementsOf<T> a, size_t n) {
  EliminationOf<T> result;
  const long double largest = LargestOf(a);
  result.unit = static_cast<long double>(n * n) * largest;
  result.row_sums.resize(n);
  result.column_sums.resize(n);
  result.has_nan =
      std::any_of(a.begin(), a.end(), [](const T& x) { return std::isnan(std::real(x)) || std::isnan(std::imag(x)); });
  result.inverse.resize(n * n);
  for (size_t i = 0; i < n; ++i) result.inverse[i * n + i] = 1;
  const bool is_finite = std::all_of(a.begin(), a.end(), [](const T& x) { return std::isfinite(std::abs(x)); });
  result.is_zero = is_finite && HasZeros(a, n);
  if (!is_finite || result.is_zero) return result;
  for (size_t k = 0; k < n; ++k) {
    size_t best = k;
    for (size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    }
    if (a[best * n + k] == T(0)) return result;
    if (best != k) result.sign = -result.sign;
    for (size_t j = 0; j < n && best != k; ++j) {
      std::swap(a[k * n + j], a[best * n + j]);
      std::swap(result.inverse[k * n + j], result.inverse[best * n + j]);
    }
    result.sign *= a[k * n + k] / std::abs(a[k * n + k]);
    result.log += std::log(std::abs(a[k * n + k]));
    EliminateColumn(a, result.inverse, n, k);
  }
  for (size_t i = 0; i < n * n; ++i) {
    result.row_sums[i / n] += std::abs(result.inverse[i]);
    result.column_sums[i % n] += std::abs(result.inverse[i]);
  }
  const bool has_range = HasTheRangeOfProducts(largest) && HasTheRangeOfProducts(LargestOf(result.inverse));
  result.is_resolvable = n == 0 || (has_range && result.TermOfDeterminant() * kEpsilon < kResolvable);
  return result;
}

}  // namespace portacl::ops::factorization
