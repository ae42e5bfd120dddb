// SPDX-License-Identifier: Apache-2.0
//
// Long formulas in two passes over a block that the first-level cache holds. A processor looks ahead by some hundred
// instructions, which a long chain of dependent ones fills; half a chain lets it work on twice as many registers at a
// time. Included once per target.
//
//   MapToFloats<T>(First{}, n, in, buffer);
//   MapTwo<T>(kernel, second, n, non_temporal, out, second_out, in..., FirstPass{buffer});

#if defined(PORTACL_SIMD_TWO_PASSES_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_TWO_PASSES_H_
#undef PORTACL_SIMD_TWO_PASSES_H_
#else
#define PORTACL_SIMD_TWO_PASSES_H_
#endif

#include <cstddef>
#include <type_traits>

#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/evaluate.h"
#include "simd/operand.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Results of MapToFloats, as an operand of Map or MapTwo: the kernel gets the one of each element. They are in the
/// order of whole registers from the first element on, so with non-temporal stores the output must begin at an aligned
/// address, or at one that no element can align.
struct FirstPass {
  const float* results;
};

/// What LoadOperand gives for the elements of a register of 16 bits, or of half of one: where their results begin, in the
/// order in which they are widened.
struct ResultsAt {
  const float* at;
};

HWY_INLINE FloatVector LoadOperand(FloatLanes d, FirstPass in, size_t i) { return hn::LoadU(d, in.results + i); }
HWY_INLINE ResultsAt LoadOperand(hn::Rebind<uint16_t, FloatLanes>, FirstPass in, size_t i) { return {in.results + i}; }
HWY_INLINE ResultsAt LoadOperand(HalfLanes, FirstPass in, size_t i) { return {in.results + i}; }
template <class D>
HWY_INLINE auto LoadOperandTail(D d, FirstPass in, size_t i, size_t /*n*/) {
  return LoadOperand(d, in, i);
}
template <class E>
HWY_INLINE bool IsAt(FirstPass, const E*) {
  return false;
}
HWY_INLINE void FetchAhead(FirstPass, size_t, int64_t) {}

template <class T>
HWY_INLINE FloatVector ToFloats(ResultsAt v) {
  return hn::LoadU(FloatLanes(), v.at);
}
template <class T>
HWY_INLINE FloatVector WidenFirst(ResultsAt v) {
  return hn::LoadU(FloatLanes(), v.at);
}
template <class T>
HWY_INLINE FloatVector WidenSecond(ResultsAt v) {
  const FloatLanes d;
  return hn::LoadU(d, v.at + hn::Lanes(d));
}

/// Stores kernel(in[i]) for i < n as floats, for FirstPass. `out` has room for n elements rounded up to a register of T.
template <class T, class Kernel>
HWY_INLINE void MapToFloats(const Kernel& kernel, size_t n, const Stored<T>* in, float* out) {
  const FloatLanes df;
  constexpr bool kIsSingle = std::is_same_v<T, float> || kMovesHalves<T>;  // a register of floats at a time
  const std::conditional_t<kIsSingle, StoredLanes<T>, HalfLanes> d;
  const auto map = [&](auto v, float* to) HWY_ATTR {
    if constexpr (kIsSingle) {
      hn::StoreU(Evaluate(df, kernel, ToFloats<T>(v)), df, to);
    } else {
      hn::StoreU(Evaluate(df, kernel, WidenFirst<T>(v)), df, to);
      hn::StoreU(Evaluate(df, kernel, WidenSecond<T>(v)), df, to + hn::Lanes(df));
    }
  };
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
#if HWY_TARGET == HWY_AVX2
  // All are loaded before the first is stored, so that the compiler may let their steps take turns, see
  // PORTACL_SCHEDULED.
  constexpr size_t kTogether = 4;
  constexpr size_t kFloats = HWY_LANES(float);
  for (; i + kTogether * kFloats <= n; i += kTogether * kFloats) {
    FloatVector x[kTogether];
    if constexpr (kIsSingle) {
#pragma GCC unroll 4
      for (size_t k = 0; k < kTogether; ++k) x[k] = ToFloats<T>(hn::LoadU(d, in + i + k * kFloats));
    } else {
#pragma GCC unroll 4
      for (size_t k = 0; k < kTogether; k += 2) {
        const auto v = hn::LoadU(d, in + i + k * kFloats);
        x[k] = WidenFirst<T>(v);
        x[k + 1] = WidenSecond<T>(v);
      }
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < kTogether; ++k) x[k] = Evaluate(df, kernel, x[k]);
#pragma GCC unroll 4
    for (size_t k = 0; k < kTogether; ++k) hn::StoreU(x[k], df, out + i + k * kFloats);
  }
#endif
  for (; i + lanes <= n; i += lanes) map(hn::LoadU(d, in + i), out + i);
  if (i < n) map(LoadTail(d, in + i, n - i), out + i);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
