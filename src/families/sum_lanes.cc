// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of floating elements. They are limited by memory or by widening if registers hold their states.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "families/reduction_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "families/sum_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/sum_elements.h"
#include "families/sum_rows.h"
#include "hwy/cache_control.h"
#include "simd/dispatch.h"
#include "simd/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The states of sums: doubles, and for sums of DOUBLE also their rounding errors.
template <class T>
struct Sums {
  double* sum;
  double* rest;  // null unless T is double

  HWY_INLINE void Add(size_t at, DoubleVector x) const {
    const Doubles d;
    const auto before = hn::LoadU(d, sum + at);
    const auto total = hn::Add(before, x);
    hn::StoreU(total, d, sum + at);
    if constexpr (kIsDouble<T>) {
      const auto added = hn::Sub(total, before);
      const auto lost = hn::Add(hn::Sub(before, hn::Sub(total, added)), hn::Sub(x, added));
      hn::StoreU(hn::Add(hn::LoadU(d, rest + at), lost), d, rest + at);
    }
  }
  HWY_INLINE void AddOne(double x) const {
    const double total = *sum + x;
    if constexpr (kIsDouble<T>) {
      const double added = total - *sum;
      *rest += (*sum - (total - added)) + (x - added);
    }
    *sum = total;
  }
};

template <class T>
const T* RowOf(const loops::reductions::ReduceTile& tile, int64_t row) {
  return reinterpret_cast<const T*>(tile.in + row * tile.row_stride);
}
template <class T>
Sums<T> StatesOf(const loops::reductions::ReduceTile& tile, size_t state) {
  const auto plane = [&](int i) { return reinterpret_cast<double*>(tile.planes[i]) + state; };
  return {plane(0), kIsDouble<T> ? plane(1) : nullptr};
}

// FoldedRow<Plus>, but rounding errors are summed as well.
HWY_INLINE void AddRow(const double* in, size_t columns, size_t ahead, const Sums<double>& to) {
  const size_t step = hn::Lanes(Doubles());
  HWY_ALIGN double sums[kStates] = {};
  HWY_ALIGN double rests[kStates] = {};
  const Sums<double> states{sums, rests};
  size_t begin = 0;
  for (; begin + kStates <= columns; begin += kStates) {
    FetchAhead(in + begin, kStates * sizeof(double), ahead);
    for (size_t at = 0; at < kStates; at += step) states.Add(at, LoadWidened(in + begin + at));
  }
  if (begin < columns) {
    double rest[kStates] = {};
    std::copy(in + begin, in + columns, rest);
    for (size_t at = 0; begin + at < columns; at += step) states.Add(at, LoadWidened(rest + at));
  }
  for (size_t at = 0; at < kStates; ++at) {
    to.AddOne(sums[at]);
    *to.rest += rests[at];
  }
}

template <class T, bool kGrouped = false>
void SumRows(const loops::reductions::ReduceTile& tile) {
  const auto columns = static_cast<size_t>(tile.columns);
  const auto ahead = static_cast<size_t>(tile.prefetch_bytes);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    const Sums<T> to = StatesOf<T>(tile, static_cast<size_t>(row));
    if (columns < kStates / 2) {
      for (size_t i = 0; i < columns; ++i) to.AddOne(ToDouble(in[i]));
    } else if constexpr (kIsDouble<T>) {
      AddRow(in, columns, ahead, to);
    } else {
      double sum = FoldedRow<Plus>(in, columns, kGrouped, ahead);
      if (kGrouped && !Holds<T>(sum)) sum = FoldedRow<Plus>(in, columns, false, ahead);
      to.AddOne(sum);
    }
  }
}

template <class T>
void MultiplyRows(const loops::reductions::ReduceTile& tile) {
  const auto columns = static_cast<size_t>(tile.columns);
  const auto ahead = static_cast<size_t>(tile.prefetch_bytes);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    double& product = *StatesOf<T>(tile, static_cast<size_t>(row)).sum;
    if (columns < kStates / 2) {
      for (size_t i = 0; i < columns; ++i) product *= ToDouble(in[i]);
    } else {
      product *= FoldedRow<Times>(in, columns, false, ahead);
    }
  }
}

// Joins the elements of four rows, as doubles.
template <class Operation, class T>
HWY_INLINE DoubleVector JoinFour(const T* const* in, size_t i) {
  return Operation::Join(Operation::Join(LoadWidened(in[0] + i), LoadWidened(in[1] + i)),
                         Operation::Join(LoadWidened(in[2] + i), LoadWidened(in[3] + i)));
}
template <class Operation, class T>
HWY_INLINE double JoinFourElements(const T* const* in, size_t i) {
  return Operation::Join(Operation::Join(ToDouble(in[0][i]), ToDouble(in[1][i])),
                         Operation::Join(ToDouble(in[2][i]), ToDouble(in[3][i])));
}

// Prefetches the same elements of the next four rows: the hardware prefetcher does not follow from row to row.
template <class T>
HWY_INLINE void FetchNextFour(const T* const* in, size_t i) {
  if (i % (kLineBytes / sizeof(T)) != 0) return;
  const ptrdiff_t bytes = 4 * (reinterpret_cast<const char*>(in[1]) - reinterpret_cast<const char*>(in[0]));
  for (int row = 0; row < 4; ++row) simd::PrefetchSecond(reinterpret_cast<const std::byte*>(in[row] + i) + bytes);
}

template <class Operation, class T>
HWY_INLINE void JoinFourRows(const T* const* in, size_t columns, double* states) {
  const Doubles d;
  const size_t step = hn::Lanes(d);
  size_t i = 0;
  for (; i + step <= columns; i += step) {
    FetchNextFour(in, i);
    hn::StoreU(Operation::Join(hn::LoadU(d, states + i), JoinFour<Operation>(in, i)), d, states + i);
  }
  for (; i < columns; ++i) states[i] = Operation::Join(states[i], JoinFourElements<Operation>(in, i));
}

// JoinFourRows for sums of 16-bit elements, which are added as floats where floats hold the sum.
template <class T>
HWY_INLINE void AddFourRowsGrouped(const T* const* in, size_t columns, const Sums<T>& states) {
  const Doubles d;
  const hn::Half<Floats> half;
  const size_t step = hn::Lanes(d);
  size_t i = 0;
  for (; i + 2 * step <= columns; i += 2 * step) {
    FetchNextFour(in, i);
    const auto sum = SumOfFour(in[0] + i, in[1] + i, in[2] + i, in[3] + i);
    auto lower = hn::PromoteTo(d, hn::LowerHalf(half, sum));
    auto upper = hn::PromoteTo(d, hn::UpperHalf(half, sum));
    if (!hn::AllTrue(Floats(), HoldsLanes<T>(Floats(), sum))) {
      lower = hn::IfThenElse(HoldsLanes<T>(d, lower), lower, JoinFour<Plus>(in, i));
      upper = hn::IfThenElse(HoldsLanes<T>(d, upper), upper, JoinFour<Plus>(in, i + step));
    }
    states.Add(i, lower);
    states.Add(i + step, upper);
  }
  for (; i < columns; ++i) {
    const float sum = (ToFloat(in[0][i]) + ToFloat(in[1][i])) + (ToFloat(in[2][i]) + ToFloat(in[3][i]));
    states.sum[i] += Holds<T>(sum) ? static_cast<double>(sum) : JoinFourElements<Plus>(in, i);
  }
}

template <class T, bool kGrouped = false>
void SumColumns(const loops::reductions::ReduceTile& tile) {
  const size_t step = hn::Lanes(Doubles());
  const auto columns = static_cast<size_t>(tile.columns);
  const Sums<T> states = StatesOf<T>(tile, 0);
  int64_t row = 0;
  if constexpr (!kIsDouble<T>) {
    for (; row + 4 <= tile.rows; row += 4) {
      const T* const in[4] = {RowOf<T>(tile, row), RowOf<T>(tile, row + 1), RowOf<T>(tile, row + 2),
                              RowOf<T>(tile, row + 3)};
      if constexpr (kGrouped)
        AddFourRowsGrouped(in, columns, states);
      else
        JoinFourRows<Plus>(in, columns, states.sum);
    }
  }
  for (; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    size_t i = 0;
    for (; i + step <= columns; i += step) {
      hwy::Prefetch(reinterpret_cast<const char*>(in + i) + tile.row_stride);
      states.Add(i, LoadWidened(in + i));
    }
    for (; i < columns; ++i) StatesOf<T>(tile, i).AddOne(ToDouble(in[i]));
  }
}

template <class T>
void MultiplyColumns(const loops::reductions::ReduceTile& tile) {
  const auto columns = static_cast<size_t>(tile.columns);
  double* const states = StatesOf<T>(tile, 0).sum;
  int64_t row = 0;
  for (; row + 4 <= tile.rows; row += 4) {
    const T* const in[4] = {RowOf<T>(tile, row), RowOf<T>(tile, row + 1), RowOf<T>(tile, row + 2),
                            RowOf<T>(tile, row + 3)};
    JoinFourRows<Times>(in, columns, states);
  }
  for (; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    for (size_t i = 0; i < columns; ++i) states[i] *= ToDouble(in[i]);
  }
}

// Elements are FLOAT, FLOAT16 or BFLOAT16; Of<element> determines the added value.
template <class T>
using Element = T;
template <template <class> class Of, bool kGrouped = false>
AddFunctions SumsOfFloats(aclDataType dtype) {
  if (dtype == ACL_FLOAT16) return {SumRows<Of<Float16Bits>, kGrouped>, SumColumns<Of<Float16Bits>, kGrouped>};
  if (dtype == ACL_BF16) return {SumRows<Of<Bfloat16Bits>, kGrouped>, SumColumns<Of<Bfloat16Bits>, kGrouped>};
  return {SumRows<Of<float>>, SumColumns<Of<float>>};
}

AddFunctions SumsOf(aclDataType dtype, Reduction reduction) {
  switch (reduction) {
    case Reduction::kProduct:
      return {MultiplyRows<float>, MultiplyColumns<float>};
    case Reduction::kNarrowSum:
      return SumsOfFloats<Element, true>(dtype);
    case Reduction::kSumOfNumbers:
      return SumsOfFloats<NumberOf>(dtype);
    case Reduction::kNarrowSumOfNumbers:
      return SumsOfFloats<NumberOf, true>(dtype);
    case Reduction::kSumOfMagnitudes:
      return SumsOfFloats<MagnitudeOf>(dtype);
    case Reduction::kSumOfSquares:
      return SumsOfFloats<SquareOf>(dtype);
    case Reduction::kNarrowSumOfSquares:
      return SumsOfFloats<SquareOf, true>(dtype);
    default:
      return dtype == ACL_DOUBLE ? AddFunctions{SumRows<double>, SumColumns<double>} : SumsOfFloats<Element>(dtype);
  }
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::families, SumFunctionsOf, (Reduction reduction, aclDataType dtype, int64_t target),
                       SumsOf, dtype, reduction)
