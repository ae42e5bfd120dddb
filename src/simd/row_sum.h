// SPDX-License-Identifier: Apache-2.0
//
// Sums of rows, in an order that depends on the positions of elements alone. Included once per target.

#if defined(PORTACL_SIMD_ROW_SUM_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_ROW_SUM_H_
#undef PORTACL_SIMD_ROW_SUM_H_
#else
#define PORTACL_SIMD_ROW_SUM_H_
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "simd/convert.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums over a row use 64 virtual lanes; lane j takes the elements whose position is j modulo 64. At most four elements
// of a lane are added in float32. Then lane j + 32 is added to lane j, and lane j + 16 to lane j. The 16 lanes that
// remain are added in float64: lane j + 8 to lane j, and so on with 4, 2 and 1. Such sums of 256 elements are added in
// float64, too. A row of up to 16 elements is added in float32: lane j + 8 to lane j, then the last eight lanes
// pairwise. As the order depends on positions alone, results have the same bits on every target with fused
// multiply-add.
inline constexpr size_t kVirtualLanes = 64;
inline constexpr size_t kSumBlock = 4 * kVirtualLanes;
inline constexpr size_t kShortRow = 16;

// Registers of at least eight lanes are folded in registers. Smaller ones, and those whose length is only known at run
// time, are folded in memory.
#if HWY_TARGET <= HWY_AVX2
#define PORTACL_FOLD_REGISTERS 1
#else
#define PORTACL_FOLD_REGISTERS 0
#endif

#if PORTACL_FOLD_REGISTERS
/// The sum of the virtual lanes kOffset, kOffset + kStep, ... below kLanes, by registers.
template <size_t kLanes, size_t kStep, size_t kOffset>
HWY_INLINE FloatVector FoldRegisters(const FloatVector* sums) {
  if constexpr (kStep >= kLanes) {
    return sums[kOffset / HWY_LANES(float)];
  } else {
    return hn::Add(FoldRegisters<kLanes, 2 * kStep, kOffset>(sums),
                   FoldRegisters<kLanes, 2 * kStep, kOffset + kStep>(sums));
  }
}

template <class D>
HWY_INLINE float FoldShort(D, hn::VFromD<D> v) {
  const hn::Half<D> half;
  if constexpr (hn::MaxLanes(D()) > 8) {
    return FoldShort(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    v = hn::Add(v, hn::Shuffle2301(v));
    v = hn::Add(v, hn::Shuffle1032(v));
    return hn::GetLane(hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

template <class D>
HWY_INLINE double FoldDoubles(D, hn::VFromD<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return FoldDoubles(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// Reads memory in order, with all virtual lanes in registers: the compiler splits an array of vectors if its size and
// all indices are constant.
inline constexpr size_t kLaneRegisters = kVirtualLanes / HWY_LANES(float);

template <size_t kRegister, class F>
HWY_INLINE void AddWhole(size_t i, FloatVector* sums, const F& f) {
  sums[kRegister] = f(i, sums[kRegister]);
  if constexpr (kRegister + 1 < kLaneRegisters) AddWhole<kRegister + 1>(i + HWY_LANES(float), sums, f);
}

template <size_t kRegister, class F>
HWY_INLINE void AddPart(size_t i, size_t end, FloatVector* sums, const F& f) {
  if (i + HWY_LANES(float) <= end) {
    sums[kRegister] = f(i, sums[kRegister]);
    if constexpr (kRegister + 1 < kLaneRegisters) AddPart<kRegister + 1>(i + HWY_LANES(float), end, sums, f);
  } else if (i < end) {
    sums[kRegister] = f(i, end - i, sums[kRegister]);
  }
}

template <size_t kRegister>
HWY_INLINE void SetZero(FloatVector* sums) {
  sums[kRegister] = hn::Zero(FloatLanes());
  if constexpr (kRegister + 1 < kLaneRegisters) SetZero<kRegister + 1>(sums);
}

// The sum over begin <= i < end, at most kSumBlock elements.
template <class F>
HWY_INLINE double SumOfBlock(size_t begin, size_t end, const F& f) {
  using D = hn::ScalableTag<double>;
  const D d;
  const hn::Half<FloatLanes> half;
  FloatVector sums[kLaneRegisters];
  SetZero<0>(sums);
  for (; begin + kVirtualLanes <= end; begin += kVirtualLanes) AddWhole<0>(begin, sums, f);
  AddPart<0>(begin, end, sums, f);
  const FloatVector v = FoldRegisters<kVirtualLanes, 16, 0>(sums);
  auto lower = hn::PromoteTo(d, hn::LowerHalf(half, v));
  auto upper = hn::PromoteTo(d, hn::UpperHalf(half, v));
#if HWY_TARGET == HWY_AVX2
  const FloatVector w = FoldRegisters<kVirtualLanes, 16, HWY_LANES(float)>(sums);
  lower = hn::Add(lower, hn::PromoteTo(d, hn::LowerHalf(half, w)));
  upper = hn::Add(upper, hn::PromoteTo(d, hn::UpperHalf(half, w)));
#endif
  return FoldDoubles(d, hn::Add(lower, upper));
}

// The sum of up to kShortRow elements.
template <class F>
HWY_INLINE float SumOfShort(size_t n, const F& f) {
  const FloatLanes d;
  FloatVector sums[kLaneRegisters];
  SetZero<0>(sums);
  AddPart<0>(0, n, sums, f);
  return FoldShort(d, FoldRegisters<kShortRow, HWY_LANES(float), 0>(sums));
}
#else
template <class F>
HWY_INLINE void AddToLanes(size_t begin, size_t end, size_t count, float* lane, const F& f) {
  const FloatLanes d;
  const size_t lanes = hn::Lanes(d);
  for (size_t j = 0; j < count; j += lanes) {
    FloatVector sum = hn::Zero(d);
    for (size_t i = begin + j; i < end; i += kVirtualLanes) sum = i + lanes <= end ? f(i, sum) : f(i, end - i, sum);
    hn::Store(sum, d, lane + j);
  }
}

template <class F>
HWY_INLINE double SumOfBlock(size_t begin, size_t end, const F& f) {
  HWY_ALIGN float lane[kVirtualLanes];
  AddToLanes(begin, end, kVirtualLanes, lane, f);
  double sum[16];
  for (size_t j = 0; j < 16; ++j) sum[j] = double{(lane[j] + lane[j + 32]) + (lane[j + 16] + lane[j + 48])};
  for (size_t width = 8; width > 0; width /= 2) {
    for (size_t j = 0; j < width; ++j) sum[j] += sum[j + width];
  }
  return sum[0];
}

template <class F>
HWY_INLINE float SumOfShort(size_t n, const F& f) {
  HWY_ALIGN float lane[kVirtualLanes];
  AddToLanes(0, n, kShortRow, lane, f);
  for (size_t j = 0; j < 8; ++j) lane[j] += lane[j + 8];
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}
#endif

/// The sum over i < n. f(i, sum) adds a register of terms from i on, f(i, m, sum) the first m of them; every term is
/// added once.
template <class F>
HWY_INLINE double SumRow(size_t n, const F& f) {
  if (n <= kShortRow) return double{SumOfShort(n, f)};
#if PORTACL_FOLD_REGISTERS
  if (n <= kSumBlock) return SumOfBlock(0, n, f);
#endif
  double sum = 0;
  for (size_t begin = 0; begin < n; begin += kSumBlock)
    sum += SumOfBlock(begin, n - begin < kSumBlock ? n : begin + kSumBlock, f);
  return sum;
}

#undef PORTACL_FOLD_REGISTERS

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
