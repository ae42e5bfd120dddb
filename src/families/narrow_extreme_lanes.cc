// SPDX-License-Identifier: Apache-2.0
//
// The largest and the smallest of 16-bit elements. Rows are compared as integers, and only the winner is widened.
// States are floats.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "families/reduction_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "families/narrow_extreme_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/sum_elements.h"
#include "simd/dispatch.h"
#include "simd/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
constexpr int kBitsOfInfinity = std::is_same_v<T, Bfloat16Bits> ? 0x7F80 : 0x7C00;
constexpr int kSign = 0x8000;

// Extremes of the bits of elements. As signed integers, the largest is the largest positive element, or, if there is
// none, `smallest` is the negative element closest to zero. As unsigned integers, the largest is the negative element
// furthest from zero. NaN are beyond infinities.
struct Extremes {
  int largest = -kSign;
  int smallest = kSign - 1;
  int largest_unsigned = 0;

  HWY_INLINE void Take(int as_signed, int as_unsigned) {
    largest = as_signed > largest ? as_signed : largest;
    smallest = as_signed < smallest ? as_signed : smallest;
    largest_unsigned = as_unsigned > largest_unsigned ? as_unsigned : largest_unsigned;
  }
  // The winning element; a NaN if there is one.
  template <class T, bool kGreatest>
  HWY_INLINE float Winner() const {
    int bits = kGreatest                   ? (largest >= 0 ? largest : smallest)
               : largest_unsigned >= kSign ? largest_unsigned
                                           : smallest;
    if (largest_unsigned > (kSign | kBitsOfInfinity<T>)) bits = largest_unsigned;
    if (largest > kBitsOfInfinity<T>) bits = largest;
    return ToFloat(T{static_cast<uint16_t>(bits)});
  }
};

// Adds n elements, at least a register, to the extremes; `distance` is that of prefetching, in bytes.
HWY_INLINE void TakeRegisters(const uint16_t* in, size_t n, int64_t distance, Extremes* extremes) {
  const hn::ScalableTag<uint16_t> d;
  const hn::ScalableTag<int16_t> di;
  const size_t lanes = hn::Lanes(d);
  auto largest_unsigned = hn::LoadU(d, in);
  auto largest = hn::BitCast(di, largest_unsigned);
  auto smallest = largest;
  const auto take = [&](size_t i) HWY_ATTR {
    const auto bits = hn::LoadU(d, in + i);
    largest = hn::Max(largest, hn::BitCast(di, bits));
    smallest = hn::Min(smallest, hn::BitCast(di, bits));
    largest_unsigned = hn::Max(largest_unsigned, bits);
  };
  size_t i = lanes;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto* const ahead = reinterpret_cast<const std::byte*>(in + i) + distance;
    for (size_t line = 0; distance != 0 && line < 4 * lanes; line += 64) simd::PrefetchSecond(ahead + line);
    take(i);
    take(i + lanes);
  }
  for (; i + lanes <= n; i += lanes) take(i);
  take(n - lanes);  // reads some elements twice

  constexpr size_t kMost = hn::MaxLanes(d);
  HWY_ALIGN int16_t as_signed[2 * kMost];
  HWY_ALIGN uint16_t as_unsigned[kMost];
  hn::StoreU(largest, di, as_signed);
  hn::StoreU(smallest, di, as_signed + kMost);
  hn::StoreU(largest_unsigned, d, as_unsigned);
  const hn::CappedTag<uint16_t, 8> few;
  const hn::CappedTag<int16_t, 8> few_signed;
  const size_t step = hn::Lanes(few);
  auto a = hn::LoadU(few_signed, as_signed);
  auto b = hn::LoadU(few_signed, as_signed + kMost);
  auto c = hn::LoadU(few, as_unsigned);
  for (size_t at = step; at < lanes; at += step) {
    a = hn::Max(a, hn::LoadU(few_signed, as_signed + at));
    b = hn::Min(b, hn::LoadU(few_signed, as_signed + kMost + at));
    c = hn::Max(c, hn::LoadU(few, as_unsigned + at));
  }
  hn::StoreU(a, few_signed, as_signed);
  hn::StoreU(b, few_signed, as_signed + kMost);
  hn::StoreU(c, few, as_unsigned);
  for (size_t at = 0; at < step; ++at) {
    extremes->Take(as_signed[at], as_unsigned[at]);
    extremes->Take(as_signed[kMost + at], as_unsigned[at]);
  }
}

// The winner of a state and an element; NaN if either is NaN.
template <bool kGreatest, class V>
HWY_INLINE V Winner(V x, V state) {
  return hn::IfThenElse(hn::Or(kGreatest ? hn::Gt(x, state) : hn::Lt(x, state), hn::IsNaN(x)), x, state);
}
template <bool kGreatest>
HWY_INLINE float Winner(float x, float state) {
  return x != x || (kGreatest ? x > state : x < state) ? x : state;
}

template <class T>
const T* RowOf(const loops::reductions::ReduceTile& tile, int64_t row) {
  return reinterpret_cast<const T*>(tile.in + row * tile.row_stride);
}

template <class T, bool kGreatest>
void WinnerRows(const loops::reductions::ReduceTile& tile) {
  const auto columns = static_cast<size_t>(tile.columns);
  if (columns == 0) return;
  auto* const states = reinterpret_cast<float*>(tile.planes[0]);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const auto* const in = RowOf<uint16_t>(tile, row);
    Extremes extremes;
    if (columns >= hn::Lanes(hn::ScalableTag<uint16_t>())) {
      TakeRegisters(in, columns, tile.prefetch_bytes, &extremes);
    } else {
      for (size_t i = 0; i < columns; ++i) extremes.Take(static_cast<int16_t>(in[i]), in[i]);
    }
    states[row] = Winner<kGreatest>(extremes.Winner<T, kGreatest>(), states[row]);
  }
}

// Handles two rows at a time, so that states are loaded and stored once for both.
template <class T, bool kGreatest>
void WinnerColumns(const loops::reductions::ReduceTile& tile) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto columns = static_cast<size_t>(tile.columns);
  auto* const states = reinterpret_cast<float*>(tile.planes[0]);
  for (int64_t row = 0; row < tile.rows; row += 2) {
    const T* const a = RowOf<T>(tile, row);
    const T* const b = row + 1 < tile.rows ? RowOf<T>(tile, row + 1) : a;
    size_t i = 0;
    for (; i + lanes <= columns; i += lanes) {
      const auto winner = Winner<kGreatest>(LoadFloats(d, b + i), LoadFloats(d, a + i));
      hn::StoreU(Winner<kGreatest>(winner, hn::LoadU(d, states + i)), d, states + i);
    }
    for (; i < columns; ++i) states[i] = Winner<kGreatest>(ToFloat(b[i]), Winner<kGreatest>(ToFloat(a[i]), states[i]));
  }
}

AddFunctions NarrowExtremes(Reduction reduction, aclDataType dtype) {
  const bool is_bfloat16 = dtype == ACL_BF16;
  if (reduction == Reduction::kMaximum) {
    if (is_bfloat16) return {WinnerRows<Bfloat16Bits, true>, WinnerColumns<Bfloat16Bits, true>};
    return {WinnerRows<Float16Bits, true>, WinnerColumns<Float16Bits, true>};
  }
  if (is_bfloat16) return {WinnerRows<Bfloat16Bits, false>, WinnerColumns<Bfloat16Bits, false>};
  return {WinnerRows<Float16Bits, false>, WinnerColumns<Float16Bits, false>};
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::families, NarrowExtremeFunctionsOf,
                       (Reduction reduction, aclDataType dtype, int64_t target), NarrowExtremes, reduction, dtype)
