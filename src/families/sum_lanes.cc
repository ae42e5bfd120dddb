// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of floating elements, which are bound by memory or by the widening when registers hold their
// states.
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

constexpr size_t kLineBytes = 64;

// Asks for what a loop comes to later, of so many bytes that it takes together now: sums are computed faster than some
// machines fetch by themselves.
HWY_INLINE void FetchAhead(const void* in, size_t bytes) {
  constexpr size_t kBytesAhead = 1024;
  const char* const at = static_cast<const char*>(in) + kBytesAhead;
  for (size_t line = 0; line < bytes; line += kLineBytes) hwy::Prefetch(at + line);
}

struct Plus {
  static constexpr double kStart = 0;
  static HWY_INLINE DoubleVector Join(DoubleVector a, DoubleVector b) { return hn::Add(a, b); }
  static HWY_INLINE double Join(double a, double b) { return a + b; }
};
struct Times {
  static constexpr double kStart = 1;
  static HWY_INLINE DoubleVector Join(DoubleVector a, DoubleVector b) { return hn::Mul(a, b); }
  static HWY_INLINE double Join(double a, double b) { return a * b; }
};

// Two registers of elements, joined with each other first: a state would wait for each.
template <class Operation, class T>
HWY_INLINE DoubleVector JoinTwo(DoubleVector state, const T* a, const T* b) {
  return Operation::Join(state, Operation::Join(LoadWidened(a), LoadWidened(b)));
}
template <class Operation, class T>
HWY_INLINE DoubleVector JoinTwo(DoubleVector state, const SquareOf<T>* a, const SquareOf<T>* b) {
  const auto x = LoadWidened(&a->value);
  const auto y = LoadWidened(&b->value);
  return Operation::Join(state, hn::MulAdd(x, x, hn::Mul(y, y)));  // the squares are exact, fused or not
}
// With the condition on the addition, which then is one instruction on AVX-512.
template <class Operation>
HWY_INLINE DoubleVector JoinTwo(DoubleVector state, const NumberOf<float>* a, const NumberOf<float>* b) {
  const auto x = LoadWidened(&a->value);
  const auto y = LoadWidened(&b->value);
  state = hn::IfThenElse(hn::Eq(x, x), Operation::Join(state, x), state);
  return hn::IfThenElse(hn::Eq(y, y), Operation::Join(state, y), state);
}

// Joins the elements [0, n) with their states, n being a multiple of kStates: four registers of states at a time, so
// that they stay where they are, over blocks that the first-level cache holds where registers are too narrow for all.
template <class Operation, class T>
HWY_INLINE void JoinBlocks(const T* in, size_t n, double* sums) {
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
        const T* const first = in + i;
        const T* const second = first + kStates;
        FetchAhead(first, 4 * step * sizeof(T));
        FetchAhead(second, 4 * step * sizeof(T));
        a = JoinTwo<Operation>(a, first, second);
        b = JoinTwo<Operation>(b, first + step, second + step);
        c = JoinTwo<Operation>(c, first + 2 * step, second + 2 * step);
        e = JoinTwo<Operation>(e, first + 3 * step, second + 3 * step);
      }
      if (i < end) {
        a = Operation::Join(a, LoadWidened(in + i));
        b = Operation::Join(b, LoadWidened(in + i + step));
        c = Operation::Join(c, LoadWidened(in + i + 2 * step));
        e = Operation::Join(e, LoadWidened(in + i + 3 * step));
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

// JoinBlocks for a multiple of 4 * kStates elements of 16 bits, each four of a state added as floats.
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

// The sum, or the product, of all states.
template <class Operation>
HWY_INLINE double Folded(double* states) {
  const Doubles d;
  const size_t step = hn::Lanes(d);
  size_t half = kStates / 2;
  for (; half >= step; half /= 2) {
    for (size_t at = 0; at < half; at += step)
      hn::StoreU(Operation::Join(hn::LoadU(d, states + at), hn::LoadU(d, states + half + at)), d, states + at);
  }
  for (; half > 0; half /= 2) {
    for (size_t at = 0; at < half; ++at) states[at] = Operation::Join(states[at], states[at + half]);
  }
  return states[0];
}

// A row of at least kStates / 2 elements. With `grouped` each four elements of 16 bits are added as floats.
template <class Operation, class T>
HWY_INLINE double FoldedRow(const T* in, size_t columns, bool grouped) {
  HWY_ALIGN double states[kStates];
  for (double& state : states) state = Operation::kStart;
  const size_t whole = columns - columns % kStates;
  size_t i = 0;
  if constexpr (kIsNarrow<T>) {
    if (grouped) {
      i = columns - columns % (4 * kStates);
      SumGroups(in, i, states);
    }
  }
  JoinBlocks<Operation>(in + i, whole - i, states);
  const Doubles d;
  const size_t step = hn::Lanes(d);
  double* state = states;
  for (i = whole; i + step <= columns; i += step, state += step)
    hn::StoreU(Operation::Join(hn::LoadU(d, state), LoadWidened(in + i)), d, state);
  if (i < columns) {
    T rest[kStates / 4] = {};
    std::copy(in + i, in + columns, rest);
    const auto elements = hn::IfThenElse(hn::FirstN(d, columns - i), LoadWidened(rest), hn::Set(d, Operation::kStart));
    hn::StoreU(Operation::Join(hn::LoadU(d, state), elements), d, state);
  }
  return Folded<Operation>(states);
}

// As FoldedRow<Plus>, and what is rounded off.
HWY_INLINE void AddRow(const double* in, size_t columns, const Sums<double>& to) {
  const size_t step = hn::Lanes(Doubles());
  HWY_ALIGN double sums[kStates] = {};
  HWY_ALIGN double rests[kStates] = {};
  const Sums<double> states{sums, rests};
  size_t begin = 0;
  for (; begin + kStates <= columns; begin += kStates) {
    FetchAhead(in + begin, kStates * sizeof(double));
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
      double sum = FoldedRow<Plus>(in, columns, kGrouped);
      if (kGrouped && !Holds<T>(sum)) sum = FoldedRow<Plus>(in, columns, false);
      to.AddOne(sum);
    }
  }
}

template <class T>
void MultiplyRows(const loops::ReduceTile& tile) {
  const auto columns = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    double& product = *StatesOf<T>(tile, static_cast<size_t>(row)).sum;
    if (columns < kStates / 2) {
      for (size_t i = 0; i < columns; ++i) product *= ToDouble(in[i]);
    } else {
      product *= FoldedRow<Times>(in, columns, false);
    }
  }
}

// Elements of four rows, joined as doubles.
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

// Asks for the same elements of the next four rows: to the processor they are strangers where they begin.
template <class T>
HWY_INLINE void FetchNextFour(const T* const* in, size_t i) {
  if (i % (kLineBytes / sizeof(T)) != 0) return;
  const ptrdiff_t bytes = 4 * (reinterpret_cast<const char*>(in[1]) - reinterpret_cast<const char*>(in[0]));
  for (int row = 0; row < 4; ++row) hwy::Prefetch(reinterpret_cast<const char*>(in[row] + i) + bytes);
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

// The same of 16 bits, added as floats where those hold the sum.
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
void MultiplyColumns(const loops::ReduceTile& tile) {
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

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::families {

AddFunctions SumFunctionsOf(Reduction reduction, aclDataType dtype, int64_t target) {
  return PORTACL_FOR_TARGET(SumsOf, target)(dtype, reduction);
}

}  // namespace portacl::families
#endif  // HWY_ONCE
