// SPDX-License-Identifier: Apache-2.0
//
// Sums over the columns of a rectangle, in the order of the rows. Four rows are added in the element type, and their
// sums in float64; for float64 elements, rounding errors are summed as well. Included once per target.

#if defined(PORTACL_SIMD_COLUMN_SUM_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_COLUMN_SUM_H_
#undef PORTACL_SIMD_COLUMN_SUM_H_
#else
#define PORTACL_SIMD_COLUMN_SUM_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "simd/evaluate.h"
#include "simd/sum.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A rectangle of elements, whose rows are `stride` elements apart.
template <class T>
struct RowsOf {
  const T* first;
  ptrdiff_t stride;

  HWY_INLINE hn::VFromD<hn::ScalableTag<T>> Load(size_t row, size_t column, size_t n) const {
    const hn::ScalableTag<T> d;
    const T* const from = first + static_cast<ptrdiff_t>(row) * stride + column;
    return n >= hn::Lanes(d) ? hn::LoadU(d, from) : LoadTail(d, from, n);
  }
};

/// One sum per column. `rest` is only used for float64 elements.
template <size_t kColumns>
struct ColumnSums {
  static constexpr size_t kPadding = 256;  // elements of the widest register

  /// Clears no more than `columns` need, and one register: with few columns, all of it would take most of a call.
  HWY_INLINE explicit ColumnSums(size_t columns) {
    const size_t used = std::min(columns, kColumns) + hn::Lanes(hn::ScalableTag<uint16_t>());
    std::fill_n(sum, used, 0.0);
    std::fill_n(rest, used, 0.0);
  }

  double sum[kColumns + kPadding];
  double rest[kColumns + kPadding];

  double Of(size_t column) const { return sum[column] + rest[column]; }
};

/// Adds x to `sum`, and the rounding error of that to `rest`.
HWY_INLINE void AddToSums(hn::VFromD<hn::ScalableTag<double>> x, double* sum, double* rest) {
  const hn::ScalableTag<double> d;
  const auto before = hn::LoadU(d, sum);
  const auto total = hn::Add(before, x);
  const auto added = hn::Sub(total, before);
  const auto lost = hn::Add(hn::Sub(before, hn::Sub(total, added)), hn::Sub(x, added));
  hn::StoreU(hn::Add(hn::LoadU(d, rest), lost), d, rest);
  hn::StoreU(total, d, sum);
}

/// Adds f(d, element of a, element of b) for the rows [begin, end) to the sum of each column.
template <class T, class F, size_t kColumns>
HWY_INLINE void AddColumns(const F& f, size_t begin, size_t end, size_t columns, RowsOf<T> a, RowsOf<T> b,
                           ColumnSums<kColumns>* sums) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  // Goes along the rows, because the hardware prefetches in that order.
  const auto add_rows = [&](auto rows, size_t row) HWY_ATTR {
    for (size_t column = 0; column < columns; column += lanes) {
      const size_t n = std::min(lanes, columns - column);
      const auto term = [&](size_t i)
                            HWY_ATTR { return Evaluate(d, f, a.Load(row + i, column, n), b.Load(row + i, column, n)); };
      auto v = term(0);
      if constexpr (rows == 4) v = hn::Add(hn::Add(v, term(1)), hn::Add(term(2), term(3)));
      if constexpr (std::is_same_v<T, float>) {
        AddToDoubles(v, sums->sum + column);
      } else {
        AddToSums(v, sums->sum + column, sums->rest + column);
      }
    }
  };
  size_t row = begin;
  for (; row + 4 <= end; row += 4) add_rows(std::integral_constant<int, 4>(), row);
  for (; row < end; ++row) add_rows(std::integral_constant<int, 1>(), row);
}

#if HWY_TARGET <= HWY_AVX2
/// The sums of AddColumns for at most as many columns of float32 as a register holds, in registers.
struct RegisterSums {
  using D = hn::ScalableTag<double>;
  using Half = hn::Half<FloatLanes>;
  bool has_upper;  // divisions of a half that nobody reads would take as long as those of the other
  hn::VFromD<D> lower, upper;

  HWY_INLINE explicit RegisterSums(size_t columns)
      : has_upper(columns > hn::Lanes(D())), lower(hn::Zero(D())), upper(hn::Zero(D())) {}
  HWY_INLINE void Add(FloatVector v) {
    lower = hn::Add(lower, hn::PromoteTo(D(), hn::LowerHalf(Half(), v)));
    if (has_upper) upper = hn::Add(upper, hn::PromoteTo(D(), hn::UpperHalf(Half(), v)));
  }
  /// Adds term(row) for all rows; calls it in their order.
  template <class F>
  HWY_INLINE void AddRows(size_t rows, const F& term) {
    size_t row = 0;
    for (; row + 4 <= rows; row += 4) {
      const FloatVector a = term(row), b = term(row + 1), c = term(row + 2), e = term(row + 3);
      Add(hn::Add(hn::Add(a, b), hn::Add(c, e)));
    }
    for (; row < rows; ++row) Add(term(row));
  }

  HWY_INLINE FloatVector Rounded() const { return Joined(hn::DemoteTo(Half(), lower), hn::DemoteTo(Half(), upper)); }
  /// scale / sum rounded, and in `rest` the error of that.
  HWY_INLINE FloatVector Reciprocals(double scale, FloatVector* rest) const {
    const auto of_half = [scale](hn::VFromD<D> sum, hn::VFromD<Half>* error) HWY_ATTR {
      const auto exact = hn::Div(hn::Set(D(), scale), sum);
      const auto rounded = hn::DemoteTo(Half(), exact);
      *error = hn::DemoteTo(Half(), hn::Sub(exact, hn::PromoteTo(D(), rounded)));
      return rounded;
    };
    auto low_rest = hn::Zero(Half()), high_rest = low_rest, high = low_rest;
    const auto low = of_half(lower, &low_rest);
    if (has_upper) high = of_half(upper, &high_rest);
    *rest = Joined(low_rest, high_rest);
    return Joined(low, high);
  }
  static HWY_INLINE FloatVector Joined(hn::VFromD<Half> low, hn::VFromD<Half> high) {
    return hn::Combine(FloatLanes(), high, low);
  }
};
#endif

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
