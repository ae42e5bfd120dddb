// SPDX-License-Identifier: Apache-2.0
//
// Variances. The first element of a tile is subtracted from the others, which is exact in float64 for elements of
// similar size, so that the sum of squares does not cancel: one element cannot be far from the mean of a few without
// making their variance large.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "families/reduction_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "families/variance_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/sum_elements.h"
#include "families/sum_rows.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using loops::reductions::ReduceTile;

// The elements of a tile that share a pivot: 2^12 times the rounding error of float64 is far below that of a FLOAT.
constexpr int64_t kPivotElements = 1 << 12;
constexpr int64_t kPivotColumns = 256;

template <class T>
const T* RowAt(const ReduceTile& tile, int64_t row) {
  return reinterpret_cast<const T*>(tile.in + row * tile.row_stride);
}

// An infinite or NaN element makes the squares NaN, but not the sum, if it is not subtracted.
inline double PivotOf(double first) { return std::isfinite(first) ? first : 0; }

// Joins the moments of `count` elements to a state; `sum` and `squares` are those of elements less the pivot.
HWY_INLINE void JoinDeviations(const ReduceTile& tile, int64_t state, double pivot, double sum, double squares,
                               double count) {
  double* const planes[3] = {reinterpret_cast<double*>(tile.planes[0]) + state,
                             reinterpret_cast<double*>(tile.planes[1]) + state,
                             reinterpret_cast<double*>(tile.planes[2]) + state};
  const Moments joined =
      Joined({*planes[0], *planes[1], *planes[2]}, {pivot * count + sum, squares - sum * (sum / count), count});
  *planes[0] = joined.sum;
  *planes[1] = joined.squares;
  *planes[2] = joined.count;
}

// Adds the elements less the pivot, and the squares of these, to kStates states of both.
template <class T>
HWY_INLINE void AddDeviations(const T* in, size_t n, size_t ahead, double pivot, double* sums, double* squares) {
  const Doubles d;
  const size_t step = hn::Lanes(d);
  const size_t whole = n - n % kStates;
  for (size_t at = 0; at < kStates; at += 4 * step) {
    const auto subtracted = hn::Set(d, pivot);
    auto a = hn::Zero(d), b = hn::Zero(d), c = hn::Zero(d), e = hn::Zero(d);
    auto a2 = hn::Zero(d), b2 = hn::Zero(d), c2 = hn::Zero(d), e2 = hn::Zero(d);
    for (size_t i = at; i < whole; i += kStates) {
      FetchAhead(in + i, 4 * step * sizeof(T), ahead);
      const auto x = hn::Sub(LoadWidened(in + i), subtracted);
      const auto y = hn::Sub(LoadWidened(in + i + step), subtracted);
      const auto z = hn::Sub(LoadWidened(in + i + 2 * step), subtracted);
      const auto w = hn::Sub(LoadWidened(in + i + 3 * step), subtracted);
      a = hn::Add(a, x), b = hn::Add(b, y), c = hn::Add(c, z), e = hn::Add(e, w);
      a2 = hn::MulAdd(x, x, a2), b2 = hn::MulAdd(y, y, b2), c2 = hn::MulAdd(z, z, c2), e2 = hn::MulAdd(w, w, e2);
    }
    hn::StoreU(a, d, sums + at), hn::StoreU(a2, d, squares + at);
    hn::StoreU(b, d, sums + at + step), hn::StoreU(b2, d, squares + at + step);
    hn::StoreU(c, d, sums + at + 2 * step), hn::StoreU(c2, d, squares + at + 2 * step);
    hn::StoreU(e, d, sums + at + 3 * step), hn::StoreU(e2, d, squares + at + 3 * step);
  }
  for (size_t i = whole; i < n; ++i) {
    const double x = ToDouble(in[i]) - pivot;
    sums[i % kStates] += x;
    squares[i % kStates] += x * x;
  }
}

template <class T>
void VarianceRows(const ReduceTile& tile) {
  const auto ahead = static_cast<size_t>(tile.prefetch_bytes);
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t first = 0; first < tile.columns; first += kPivotElements) {
      const T* const in = RowAt<T>(tile, row) + first;
      const int64_t n = std::min(kPivotElements, tile.columns - first);
      const double pivot = PivotOf(ToDouble(in[0]));
      double sum = 0, square = 0;
      if (n < static_cast<int64_t>(kStates) / 2) {
        for (int64_t i = 0; i < n; ++i) {
          const double x = ToDouble(in[i]) - pivot;
          sum += x;
          square += x * x;
        }
      } else {
        HWY_ALIGN double sums[kStates], squares[kStates];
        AddDeviations(in, static_cast<size_t>(n), ahead, pivot, sums, squares);
        sum = Folded<Plus>(sums);
        square = Folded<Plus>(squares);
      }
      JoinDeviations(tile, row, pivot, sum, square, static_cast<double>(n));
    }
  }
}

// Adds the elements of up to four rows, less the pivots, and their squares.
template <int kRows, class T>
HWY_INLINE void AddRowDeviations(const ReduceTile& tile, int64_t row, const double* pivots, double* sums,
                                 double* squares) {
  const Doubles d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  const T* in[kRows];
  for (int r = 0; r < kRows; ++r) in[r] = RowAt<T>(tile, row + r);
  int64_t i = 0;
  for (; i + step <= tile.columns; i += step) {
    const auto pivot = hn::LoadU(d, pivots + i);
    auto sum = hn::LoadU(d, sums + i);
    auto square = hn::LoadU(d, squares + i);
    for (int r = 0; r < kRows; ++r) {
      const auto x = hn::Sub(LoadWidened(in[r] + i), pivot);
      sum = hn::Add(sum, x);
      square = hn::MulAdd(x, x, square);
    }
    hn::StoreU(sum, d, sums + i);
    hn::StoreU(square, d, squares + i);
  }
  for (; i < tile.columns; ++i) {
    for (int r = 0; r < kRows; ++r) {
      const double x = ToDouble(in[r][i]) - pivots[i];
      sums[i] += x;
      squares[i] += x * x;
    }
  }
}

template <class T>
void VarianceColumns(const ReduceTile& tile) {
  HWY_ALIGN double pivots[kPivotColumns], sums[kPivotColumns], squares[kPivotColumns];
  for (int64_t column = 0; column < tile.columns; column += kPivotColumns) {
    for (int64_t first = 0; first < tile.rows; first += kPivotElements) {
      ReduceTile part = tile;
      part.in = reinterpret_cast<const std::byte*>(RowAt<T>(tile, first) + column);
      part.columns = std::min(kPivotColumns, tile.columns - column);
      part.rows = std::min(kPivotElements, tile.rows - first);
      for (int64_t i = 0; i < part.columns; ++i) pivots[i] = PivotOf(ToDouble(RowAt<T>(part, 0)[i]));
      std::fill_n(sums, part.columns, 0.0);
      std::fill_n(squares, part.columns, 0.0);
      int64_t row = 0;
      for (; row + 4 <= part.rows; row += 4) AddRowDeviations<4, T>(part, row, pivots, sums, squares);
      for (; row < part.rows; ++row) AddRowDeviations<1, T>(part, row, pivots, sums, squares);
      for (int64_t i = 0; i < part.columns; ++i)
        JoinDeviations(tile, column + i, pivots[i], sums[i], squares[i], static_cast<double>(part.rows));
    }
  }
}

AddFunctions VarianceOf(aclDataType dtype) {
  if (dtype == ACL_FLOAT16) return {VarianceRows<Float16Bits>, VarianceColumns<Float16Bits>};
  if (dtype == ACL_BF16) return {VarianceRows<Bfloat16Bits>, VarianceColumns<Bfloat16Bits>};
  return {VarianceRows<float>, VarianceColumns<float>};
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::families, VarianceFunctionsOf, (aclDataType dtype, int64_t target), VarianceOf, dtype)
