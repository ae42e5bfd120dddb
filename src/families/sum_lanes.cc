// SPDX-License-Identifier: Apache-2.0
//
// Sums of floating elements, which are bound by memory when registers hold their states.
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
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What the states of sums are: doubles, and of sums of doubles what was rounded off beside them.
template <class T>
struct Sums {
  double* sum;
  double* rest;  // T is double

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
const T* RowOf(const loops::ReduceTile& tile, int64_t row) {
  return reinterpret_cast<const T*>(tile.in + row * tile.row_stride);
}
template <class T>
Sums<T> StatesOf(const loops::ReduceTile& tile, size_t state) {
  const auto plane = [&](int i) { return reinterpret_cast<double*>(tile.planes[i]) + state; };
  return {plane(0), kIsDouble<T> ? plane(1) : nullptr};
}

// Asks for what a loop comes to later, of so many bytes that it takes together now: sums are computed faster than some
// machines fetch by themselves.
HWY_INLINE void FetchAhead(const void* in, size_t bytes) {
  constexpr size_t kBytesAhead = 1024;
  constexpr size_t kLineBytes = 64;
  const char* const at = static_cast<const char*>(in) + kBytesAhead;
  for (size_t line = 0; line < bytes; line += kLineBytes) hwy::Prefetch(at + line);
}

// Adds the elements [0, n) to their states, n being a multiple of kStates: four registers of states at a time, so that
// they stay where they are, over blocks that the first-level cache holds where registers are too narrow for all. Two of
// a state are added to each other first: it would wait for each sum.
template <class T>
HWY_INLINE void SumBlocks(const T* in, size_t n, double* sums) {
  constexpr size_t kBlock = 2048;
  const Doubles d;
  const size_t step = hn::Lanes(d);
  for (size_t begin = 0; begin < n; begin += kBlock) {
    const size_t end = std::min(n, begin + kBlock);
    for (size_t at = 0; at < kStates; at += 4 * step) {
      auto a = hn::LoadU(d, sums + at);
      auto b = hn::LoadU(d, sums + at + step);
      auto c = hn::LoadU(d, sums + at + 2 * step);
      auto e = hn::LoadU(d, sums + at + 3 * step);
      size_t i = begin + at;
      for (; i + kStates < end; i += 2 * kStates) {
        const auto two = [in, i](size_t from) HWY_ATTR {
          return hn::Add(LoadWidened(in + i + from), LoadWidened(in + i + from + kStates));
        };
        FetchAhead(in + i, 4 * step * sizeof(T));
        FetchAhead(in + i + kStates, 4 * step * sizeof(T));
        a = hn::Add(a, two(0));
        b = hn::Add(b, two(step));
        c = hn::Add(c, two(2 * step));
        e = hn::Add(e, two(3 * step));
      }
      if (i < end) {
        a = hn::Add(a, LoadWidened(in + i));
        b = hn::Add(b, LoadWidened(in + i + step));
        c = hn::Add(c, LoadWidened(in + i + 2 * step));
        e = hn::Add(e, LoadWidened(in + i + 3 * step));
      }
      hn::StoreU(a, d, sums + at);
      hn::StoreU(b, d, sums + at + step);
      hn::StoreU(c, d, sums + at + 2 * step);
      hn::StoreU(e, d, sums + at + 3 * step);
    }
  }
}

// Two registers of states' worth of elements of 16 bits, of four rows: each four are added as floats.
using Floats = hn::Repartition<float, Doubles>;
template <class T>
HWY_INLINE hn::Vec<Floats> SumOfFour(const T* a, const T* b, const T* c, const T* e) {
  const Floats df;
  return hn::Add(hn::Add(LoadFloats(df, a), LoadFloats(df, b)), hn::Add(LoadFloats(df, c), LoadFloats(df, e)));
}

// SumBlocks for a multiple of 4 * kStates elements of 16 bits, each four of a state added as floats.
template <class T>
HWY_INLINE void SumGroups(const T* in, size_t n, double* sums) {
  constexpr size_t kBlock = 2048;
  const Doubles d;
  const hn::Half<Floats> half;
  const size_t step = hn::Lanes(d);
  const auto group = [](const T* at)
                         HWY_ATTR { return SumOfFour(at, at + kStates, at + 2 * kStates, at + 3 * kStates); };
  for (size_t begin = 0; begin < n; begin += kBlock) {
    const size_t end = std::min(n, begin + kBlock);
    for (size_t at = 0; at < kStates; at += 4 * step) {
      auto a = hn::LoadU(d, sums + at);
      auto b = hn::LoadU(d, sums + at + step);
      auto c = hn::LoadU(d, sums + at + 2 * step);
      auto e = hn::LoadU(d, sums + at + 3 * step);
      for (size_t i = begin + at; i < end; i += 4 * kStates) {
        FetchAhead(in + i, 4 * kStates * sizeof(T));
        const auto first = group(in + i);
        const auto second = group(in + i + 2 * step);
        a = hn::Add(a, hn::PromoteTo(d, hn::LowerHalf(half, first)));
        b = hn::Add(b, hn::PromoteTo(d, hn::UpperHalf(half, first)));
        c = hn::Add(c, hn::PromoteTo(d, hn::LowerHalf(half, second)));
        e = hn::Add(e, hn::PromoteTo(d, hn::UpperHalf(half, second)));
      }
      hn::StoreU(a, d, sums + at);
      hn::StoreU(b, d, sums + at + step);
      hn::StoreU(c, d, sums + at + 2 * step);
      hn::StoreU(e, d, sums + at + 3 * step);
    }
  }
}

// The sum of all states.
HWY_INLINE double Folded(double* sums) {
  for (size_t half = kStates / 2; half > 0; half /= 2) {
    for (size_t at = 0; at < half; ++at) sums[at] += sums[at + half];
  }
  return sums[0];
}

// A row of at least kStates / 2 elements. With `grouped` each four elements of 16 bits are added as floats.
template <class T>
HWY_INLINE double SumOfRow(const T* in, size_t columns, bool grouped) {
  HWY_ALIGN double sums[kStates] = {};
  const size_t whole = columns - columns % kStates;
  size_t i = 0;
  if constexpr (kIsNarrow<T>) {
    if (grouped) {
      i = columns - columns % (4 * kStates);
      SumGroups(in, i, sums);
    }
  }
  SumBlocks(in + i, whole - i, sums);
  if (whole < columns) {
    const size_t step = hn::Lanes(Doubles());
    T rest[kStates] = {};
    std::copy(in + whole, in + columns, rest);
    for (size_t at = 0; whole + at < columns; at += step) Sums<T>{sums, nullptr}.Add(at, LoadWidened(rest + at));
  }
  return Folded(sums);
}

// As SumOfRow, and what is rounded off.
HWY_INLINE void AddRow(const double* in, size_t columns, const Sums<double>& to) {
  const size_t step = hn::Lanes(Doubles());
  HWY_ALIGN double sums[kStates] = {};
  HWY_ALIGN double rests[kStates] = {};
  const Sums<double> states{sums, rests};
  size_t begin = 0;
  for (; begin + kStates <= columns; begin += kStates) {
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
void SumRows(const loops::ReduceTile& tile) {
  const auto columns = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    const Sums<T> to = StatesOf<T>(tile, static_cast<size_t>(row));
    if (columns < kStates / 2) {
      for (size_t i = 0; i < columns; ++i) to.AddOne(ToDouble(in[i]));
    } else if constexpr (kIsDouble<T>) {
      AddRow(in, columns, to);
    } else {
      double sum = SumOfRow(in, columns, kGrouped);
      if (kGrouped && !Holds<T>(sum)) sum = SumOfRow(in, columns, false);
      to.AddOne(sum);
    }
  }
}

// Elements of four rows, added as doubles.
template <class T>
HWY_INLINE DoubleVector SumOfFourWidened(const T* const* in, size_t i) {
  return hn::Add(hn::Add(LoadWidened(in[0] + i), LoadWidened(in[1] + i)),
                 hn::Add(LoadWidened(in[2] + i), LoadWidened(in[3] + i)));
}
template <class T>
double SumOfFourElements(const T* const* in, size_t i) {
  return (ToDouble(in[0][i]) + ToDouble(in[1][i])) + (ToDouble(in[2][i]) + ToDouble(in[3][i]));
}

template <class T>
HWY_INLINE void AddFourRows(const T* const* in, size_t columns, const Sums<T>& states) {
  const size_t step = hn::Lanes(Doubles());
  size_t i = 0;
  for (; i + step <= columns; i += step) states.Add(i, SumOfFourWidened(in, i));
  for (; i < columns; ++i) states.sum[i] += SumOfFourElements(in, i);
}

// The same of 16 bits, added as floats where those hold the sum.
template <class T>
HWY_INLINE void AddFourRowsGrouped(const T* const* in, size_t columns, const Sums<T>& states) {
  const Doubles d;
  const hn::Half<Floats> half;
  const size_t step = hn::Lanes(d);
  size_t i = 0;
  for (; i + 2 * step <= columns; i += 2 * step) {
    const auto sum = SumOfFour(in[0] + i, in[1] + i, in[2] + i, in[3] + i);
    auto lower = hn::PromoteTo(d, hn::LowerHalf(half, sum));
    auto upper = hn::PromoteTo(d, hn::UpperHalf(half, sum));
    if (!hn::AllTrue(Floats(), HoldsLanes<T>(Floats(), sum))) {
      lower = hn::IfThenElse(HoldsLanes<T>(d, lower), lower, SumOfFourWidened(in, i));
      upper = hn::IfThenElse(HoldsLanes<T>(d, upper), upper, SumOfFourWidened(in, i + step));
    }
    states.Add(i, lower);
    states.Add(i + step, upper);
  }
  for (; i < columns; ++i) {
    const float sum = (ToFloat(in[0][i]) + ToFloat(in[1][i])) + (ToFloat(in[2][i]) + ToFloat(in[3][i]));
    states.sum[i] += Holds<T>(sum) ? static_cast<double>(sum) : SumOfFourElements(in, i);
  }
}

template <class T, bool kGrouped = false>
void SumColumns(const loops::ReduceTile& tile) {
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
        AddFourRows(in, columns, states);
    }
  }
  for (; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    size_t i = 0;
    for (; i + step <= columns; i += step) states.Add(i, LoadWidened(in + i));
    for (; i < columns; ++i) StatesOf<T>(tile, i).AddOne(ToDouble(in[i]));
  }
}

// Of FLOAT, FLOAT16 or BFLOAT16; what is added of an element is Of<element>.
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

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::families {

AddFunctions SumFunctionsOf(Reduction reduction, aclDataType dtype, int64_t target) {
  return PORTACL_FOR_TARGET(SumsOf, target)(dtype, reduction);
}

}  // namespace portacl::families
#endif  // HWY_ONCE
