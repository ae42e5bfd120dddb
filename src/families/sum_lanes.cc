// SPDX-License-Identifier: Apache-2.0
//
// Sums of floating elements, which are bound by memory when registers hold their states.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "families/reduction_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "families/sum_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/convert.h"

#ifndef PORTACL_FAMILIES_SUM_LANES_ONCE
#define PORTACL_FAMILIES_SUM_LANES_ONCE

namespace portacl::families {

struct Float16Bits {
  uint16_t bits;
};
struct Bfloat16Bits {
  uint16_t bits;
};

}  // namespace portacl::families
#endif

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Element i of a row belongs to state i % kStates, whatever the registers hold.
constexpr size_t kStates = 32;
using Doubles = hn::CappedTag<double, kStates / 4>;
using DoubleVector = hn::Vec<Doubles>;

template <class T>
constexpr bool kIsDouble = std::is_same_v<T, double>;

// FLOAT of which a NaN counts as 0.
struct FloatOrZero {
  float value;
};

// Elements as doubles, which is exact.
template <class T>
HWY_INLINE DoubleVector LoadWidened(const T* in) {
  const Doubles d;
  const hn::Rebind<float, Doubles> df;
  if constexpr (kIsDouble<T>) {
    return hn::LoadU(d, in);
  } else if constexpr (std::is_same_v<T, float>) {
    return hn::PromoteTo(d, hn::LoadU(df, in));
  } else if constexpr (std::is_same_v<T, FloatOrZero>) {
    const auto x = hn::LoadU(df, reinterpret_cast<const float*>(in));
    return hn::PromoteTo(d, hn::IfThenElseZero(hn::Eq(x, x), x));
  } else {
    const hn::Rebind<uint16_t, Doubles> bits;
    const auto halves = hn::LoadU(bits, reinterpret_cast<const uint16_t*>(in));
    if constexpr (std::is_same_v<T, Bfloat16Bits>) {
      const hn::Rebind<uint32_t, Doubles> words;
      return hn::PromoteTo(d, hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(words, halves))));
    } else {
#if PORTACL_FLOAT16_INSTRUCTIONS
      const hn::Rebind<hwy::float16_t, Doubles> df16;
      return hn::PromoteTo(d, hn::PromoteTo(df, hn::BitCast(df16, halves)));
#else
      const hn::Rebind<uint32_t, Doubles> words;
      const auto widened = hn::BitCast(df, hn::PromoteTo(words, halves));
      return hn::PromoteTo(d, simd::HWY_NAMESPACE::WidenedFloat16()(df, widened));
#endif
    }
  }
}

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

double ToDouble(double x) { return x; }
double ToDouble(float x) { return static_cast<double>(x); }
double ToDouble(FloatOrZero x) { return x.value == x.value ? static_cast<double>(x.value) : 0; }
double ToDouble(Float16Bits x) { return static_cast<double>(Float16ToFloat(x.bits)); }
double ToDouble(Bfloat16Bits x) { return static_cast<double>(Bfloat16ToFloat(x.bits)); }

// Adds the elements [0, n) to their states, n being a multiple of kStates: four registers of states at a time, so that
// they stay where they are, over blocks that the first-level cache holds where registers are too narrow for all.
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
      for (size_t i = begin + at; i < end; i += kStates) {
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

template <class T>
void SumRows(const loops::ReduceTile& tile) {
  const Doubles d;
  const size_t step = hn::Lanes(d);
  const auto columns = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    const Sums<T> to = StatesOf<T>(tile, static_cast<size_t>(row));
    if (columns < kStates / 2) {
      for (size_t i = 0; i < columns; ++i) to.AddOne(ToDouble(in[i]));
      continue;
    }
    HWY_ALIGN double sums[kStates] = {};
    HWY_ALIGN double rests[kStates] = {};
    const Sums<T> states{sums, rests};
    size_t i = columns - columns % kStates;
    if constexpr (kIsDouble<T>) {
      for (size_t begin = 0; begin < i; begin += kStates) {
        for (size_t at = 0; at < kStates; at += step) states.Add(at, LoadWidened(in + begin + at));
      }
    } else {
      SumBlocks(in, i, sums);
    }
    if (i < columns) {
      T rest[kStates] = {};
      std::copy(in + i, in + columns, rest);
      for (size_t at = 0; i + at < columns; at += step) states.Add(at, LoadWidened(rest + at));
    }
    if constexpr (kIsDouble<T>) {
      for (size_t at = 0; at < kStates; ++at) {
        to.AddOne(sums[at]);
        *to.rest += rests[at];
      }
    } else {
      for (size_t half = kStates / 2; half > 0; half /= 2) {
        for (size_t at = 0; at < half; ++at) sums[at] += sums[at + half];
      }
      to.AddOne(sums[0]);
    }
  }
}

template <class T>
void SumColumns(const loops::ReduceTile& tile) {
  const Doubles d;
  const size_t step = hn::Lanes(d);
  const auto columns = static_cast<size_t>(tile.columns);
  const Sums<T> states = StatesOf<T>(tile, 0);
  int64_t row = 0;
  if constexpr (!kIsDouble<T>) {
    for (; row + 4 <= tile.rows; row += 4) {
      const T* const in[4] = {RowOf<T>(tile, row), RowOf<T>(tile, row + 1), RowOf<T>(tile, row + 2),
                              RowOf<T>(tile, row + 3)};
      const auto sum = [&](const auto& load) HWY_ATTR {
        return hn::Add(hn::Add(load(in[0]), load(in[1])), hn::Add(load(in[2]), load(in[3])));
      };
      size_t i = 0;
      for (; i + step <= columns; i += step)
        states.Add(i, sum([i](const T* from) HWY_ATTR { return LoadWidened(from + i); }));
      for (; i < columns; ++i) {
        states.sum[i] += (ToDouble(in[0][i]) + ToDouble(in[1][i])) + (ToDouble(in[2][i]) + ToDouble(in[3][i]));
      }
    }
  }
  for (; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    size_t i = 0;
    for (; i + step <= columns; i += step) states.Add(i, LoadWidened(in + i));
    for (; i < columns; ++i) StatesOf<T>(tile, i).AddOne(ToDouble(in[i]));
  }
}

AddFunctions SumsOf(aclDataType dtype, bool of_numbers) {
  if (of_numbers) return {SumRows<FloatOrZero>, SumColumns<FloatOrZero>};
  switch (dtype) {
    case ACL_FLOAT16:
      return {SumRows<Float16Bits>, SumColumns<Float16Bits>};
    case ACL_BF16:
      return {SumRows<Bfloat16Bits>, SumColumns<Bfloat16Bits>};
    case ACL_DOUBLE:
      return {SumRows<double>, SumColumns<double>};
    default:
      return {SumRows<float>, SumColumns<float>};
  }
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::families {

AddFunctions SumFunctionsOf(aclDataType dtype, bool of_numbers, int64_t target) {
  return PORTACL_FOR_TARGET(SumsOf, target)(dtype, of_numbers);
}

}  // namespace portacl::families
#endif  // HWY_ONCE
