// SPDX-License-Identifier: Apache-2.0
//
// Sums of a lane function over contiguous elements, accurate and in a fixed order: results have the same bits for any
// register width. Included once per target.
//
//   double lanes[kSumLanes<T>];
//   ClearLanes<T>(lanes);
//   for (each row) AddUp<T>(kernel, n, true, lanes, a, b);
//   double sum = FoldLanes<T>(lanes, n);
//
// Element i of a row belongs to lane i % kSumLanes of the sum. Four results of a lane are added in float32, in pairs
// (without error if they are equal); all other additions are in float64.

#if defined(PORTACL_SIMD_SUM_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_SUM_H_
#undef PORTACL_SIMD_SUM_H_
#else
#define PORTACL_SIMD_SUM_H_
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/evaluate.h"
#include "simd/operand.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Elements of the widest register of any target, so that the lanes of a sum are a multiple of every register.
template <class T>
inline constexpr size_t kSumLanes = 256 / sizeof(Stored<T>);

/// Adds each float to its own double.
PORTACL_LANE_INLINE void AddToDoubles(FloatVector v, double* sums) {
  const hn::ScalableTag<double> d;
  const hn::Half<FloatLanes> half;
  const size_t lanes = hn::Lanes(d);
  const auto lower = hn::PromoteTo(d, hn::LowerHalf(half, v));
  const auto upper = hn::PromoteTo(d, hn::UpperHalf(half, v));
  hn::StoreU(hn::Add(hn::LoadU(d, sums), lower), d, sums);
  hn::StoreU(hn::Add(hn::LoadU(d, sums + lanes), upper), d, sums + lanes);
}

/// The doubles for the two halves of a register of 16-bit elements, whose first element belongs to `lane`.
template <class T>
HWY_INLINE double* SumsOfFirst(double* sums, size_t lane) {
  return sums + (kSplitsEvenAndOdd<T> ? lane / 2 : lane);
}
template <class T>
HWY_INLINE double* SumsOfSecond(double* sums, size_t lane) {
  return sums + (kSplitsEvenAndOdd<T> ? kSumLanes<T> / 2 + lane / 2 : lane + hn::Lanes(FloatLanes()));
}

/// The results for one register of stored elements of each input.
template <class T, class Kernel, class... V>
PORTACL_LANE_INLINE void ResultsOfHalves(const Kernel& kernel, FloatVector& first, FloatVector& second, V... in) {
  const FloatLanes d;
  first = Evaluate(d, kernel, WidenFirst<T>(in)...);
  second = Evaluate(d, kernel, WidenSecond<T>(in)...);
}

/// The same for the elements from `at` on.
template <class T, class Kernel, class... In>
HWY_INLINE void ResultsOfRegister(const Kernel& kernel, size_t at, FloatVector& first, FloatVector& second, In... in) {
  if constexpr (kMovesHalves<T>) {
    const FloatLanes df;
    const StoredLanes<T> d;
    first = Evaluate(df, kernel, ToFloats<T>(LoadOperand(d, in, at))...);
    second = Evaluate(df, kernel, ToFloats<T>(LoadOperand(d, in, at + hn::Lanes(df)))...);
  } else {
    ResultsOfHalves<T>(kernel, first, second, LoadOperand(HalfLanes(), in, at)...);
  }
}

template <class Kernel, class... V>
PORTACL_LANE_INLINE FloatVector ResultOf(const Kernel& kernel, V... in) {
  return Evaluate(FloatLanes(), kernel, in...);
}

/// The results for the elements from `at` on, four registers of floats.
template <class T, class Kernel, class... In>
HWY_INLINE void FourResults(const Kernel& kernel, size_t at, FloatVector& r0, FloatVector& r1, FloatVector& r2,
                            FloatVector& r3, In... in) {
  const hn::ScalableTag<Stored<T>> d;
  const size_t lanes = hn::Lanes(d);
  if constexpr (std::is_same_v<T, float>) {
    r0 = ResultOf(kernel, LoadOperand(d, in, at)...);
    r1 = ResultOf(kernel, LoadOperand(d, in, at + lanes)...);
    r2 = ResultOf(kernel, LoadOperand(d, in, at + 2 * lanes)...);
    r3 = ResultOf(kernel, LoadOperand(d, in, at + 3 * lanes)...);
  } else {
    ResultsOfRegister<T>(kernel, at, r0, r1, in...);
    ResultsOfRegister<T>(kernel, at + lanes, r2, r3, in...);
  }
}

/// Adds four registers of floats from each quarter of a block.
template <class T, class Kernel, class... In>
HWY_INLINE void AddFour(const Kernel& kernel, size_t at, size_t lane, double* sums, In... in) {
  constexpr size_t kLanes = kSumLanes<T>;
  const FloatLanes d;
  FloatVector a0 = hn::Undefined(d), a1 = hn::Undefined(d), a2 = hn::Undefined(d), a3 = hn::Undefined(d);
  FloatVector b0 = hn::Undefined(d), b1 = hn::Undefined(d), b2 = hn::Undefined(d), b3 = hn::Undefined(d);
  FloatVector c0 = hn::Undefined(d), c1 = hn::Undefined(d), c2 = hn::Undefined(d), c3 = hn::Undefined(d);
  FourResults<T>(kernel, at, a0, a1, a2, a3, in...);
  FourResults<T>(kernel, at + kLanes, b0, b1, b2, b3, in...);
  a0 = hn::Add(a0, b0), a1 = hn::Add(a1, b1), a2 = hn::Add(a2, b2), a3 = hn::Add(a3, b3);
  FourResults<T>(kernel, at + 2 * kLanes, b0, b1, b2, b3, in...);
  FourResults<T>(kernel, at + 3 * kLanes, c0, c1, c2, c3, in...);
  b0 = hn::Add(b0, c0), b1 = hn::Add(b1, c1), b2 = hn::Add(b2, c2), b3 = hn::Add(b3, c3);
  const size_t lanes = hn::Lanes(d);
  if constexpr (std::is_same_v<T, float>) {
    AddToDoubles(hn::Add(a0, b0), sums + lane);
    AddToDoubles(hn::Add(a1, b1), sums + lane + lanes);
    AddToDoubles(hn::Add(a2, b2), sums + lane + 2 * lanes);
    AddToDoubles(hn::Add(a3, b3), sums + lane + 3 * lanes);
  } else {
    AddToDoubles(hn::Add(a0, b0), SumsOfFirst<T>(sums, lane));
    AddToDoubles(hn::Add(a1, b1), SumsOfSecond<T>(sums, lane));
    AddToDoubles(hn::Add(a2, b2), SumsOfFirst<T>(sums, lane + 2 * lanes));
    AddToDoubles(hn::Add(a3, b3), SumsOfSecond<T>(sums, lane + 2 * lanes));
  }
}

/// Adds a block from element `i` on, four elements per lane of the sum. Registers are read four at a time unless they
/// are too wide, so that memory is read in order; this is up to a fifth faster if memory is the limit.
template <class T, class Kernel, class... In>
HWY_INLINE void AddBlock(const Kernel& kernel, size_t i, double* sums, In... in) {
  constexpr size_t kLanes = kSumLanes<T>;
  const hn::ScalableTag<Stored<T>> d;
  const size_t four = 4 * hn::Lanes(FloatLanes());
  if (four <= kLanes) {
    for (size_t lane = 0; lane < kLanes; lane += four) AddFour<T>(kernel, i + lane, lane, sums, in...);
    return;
  }
  for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    const size_t at = i + lane;
    if constexpr (std::is_same_v<T, float>) {
      const FloatVector ab =
          hn::Add(ResultOf(kernel, LoadOperand(d, in, at)...), ResultOf(kernel, LoadOperand(d, in, at + kLanes)...));
      const FloatVector cd = hn::Add(ResultOf(kernel, LoadOperand(d, in, at + 2 * kLanes)...),
                                     ResultOf(kernel, LoadOperand(d, in, at + 3 * kLanes)...));
      AddToDoubles(hn::Add(ab, cd), sums + lane);
    } else {
      const FloatLanes df;
      FloatVector a = hn::Undefined(df), b = hn::Undefined(df), c = hn::Undefined(df), e = hn::Undefined(df);
      FloatVector a2 = hn::Undefined(df), b2 = hn::Undefined(df), c2 = hn::Undefined(df), e2 = hn::Undefined(df);
      ResultsOfRegister<T>(kernel, at, a, a2, in...);
      ResultsOfRegister<T>(kernel, at + kLanes, b, b2, in...);
      ResultsOfRegister<T>(kernel, at + 2 * kLanes, c, c2, in...);
      ResultsOfRegister<T>(kernel, at + 3 * kLanes, e, e2, in...);
      AddToDoubles(hn::Add(hn::Add(a, b), hn::Add(c, e)), SumsOfFirst<T>(sums, lane));
      AddToDoubles(hn::Add(hn::Add(a2, b2), hn::Add(c2, e2)), SumsOfSecond<T>(sums, lane));
    }
  }
}

/// Adds `n` elements from `i` on, at most one register, whose first element belongs to `lane`.
template <class T, class Kernel, class... In>
HWY_INLINE void AddRegister(const Kernel& kernel, size_t i, size_t n, size_t lane, double* sums, In... in) {
  const hn::ScalableTag<Stored<T>> d;
  const FloatLanes df;
  if constexpr (std::is_same_v<T, float>) {
    const FloatVector v = ResultOf(kernel, LoadOperandTail(d, in, i, n)...);
    AddToDoubles(hn::IfThenElseZero(hn::FirstN(df, n), v), sums + lane);
  } else {
    FloatVector first = hn::Undefined(df), second = hn::Undefined(df);
    ResultsOfHalves<T>(kernel, first, second, LoadOperandTail(d, in, i, n)...);
    const size_t of_first = kSplitsEvenAndOdd<T> ? (n + 1) / 2 : std::min(n, hn::Lanes(df));
    const size_t of_second = n - of_first;
    AddToDoubles(hn::IfThenElseZero(hn::FirstN(df, of_first), first), SumsOfFirst<T>(sums, lane));
    AddToDoubles(hn::IfThenElseZero(hn::FirstN(df, of_second), second), SumsOfSecond<T>(sums, lane));
  }
}

/// Adds kernel(in[i]...), i < n, to the lanes of a sum. Each `in` is a pointer to stored elements (float, or 16 bits),
/// or a Repeated value. Without `grouped`, nothing is added in float32: the sum of four results may overflow although
/// the whole sum does not.
template <class T, class Kernel, class... In>
HWY_INLINE void AddUp(const Kernel& kernel, size_t n, bool grouped, double* sums, In... in) {
  constexpr size_t kLanes = kSumLanes<T>;
  size_t i = 0;
  if (grouped) {
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) AddBlock<T>(kernel, i, sums, in...);
  }
  const size_t step = hn::Lanes(hn::ScalableTag<Stored<T>>());
  for (; i < n; i += step) AddRegister<T>(kernel, i, std::min(step, n - i), i % kLanes, sums, in...);
}

/// Sets all lanes to 0 by registers: for an initializer, GCC 12 uses `rep stos`, which takes 5 ns.
template <class T>
HWY_INLINE void ClearLanes(double* sums) {
  const hn::ScalableTag<double> d;
  for (size_t i = 0; i < kSumLanes<T>; i += hn::Lanes(d)) {
    hn::StoreU(hn::Zero(d), d, sums + i);
    asm volatile("" ::: "memory");  // GCC would use it for this loop, too
  }
}

/// The sum of the lanes: adds one half to the other, repeatedly. No row had more than `longest` elements.
template <class T>
HWY_INLINE double FoldLanes(double* sums, size_t longest) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  size_t half = kSumLanes<T> / 2;
  if constexpr (std::is_same_v<T, float>) {
    while (half > 0 && half >= longest) half /= 2;  // the upper half is zero
  }
  for (; half >= lanes; half /= 2) {
    for (size_t i = 0; i < half; i += lanes)
      hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, sums + half + i)), d, sums + i);
  }
  for (; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) sums[i] += sums[half + i];
  }
  return sums[0];
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
