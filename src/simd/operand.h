// SPDX-License-Identifier: Apache-2.0
//
// What a loop over contiguous elements reads: an array, or one value for all elements. Included once per target.

#if defined(PORTACL_SIMD_OPERAND_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_OPERAND_H_
#undef PORTACL_SIMD_OPERAND_H_
#else
#define PORTACL_SIMD_OPERAND_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "simd/prefetch.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What an element of T is as it lies in memory: a float or double, or the 16 bits of a narrow float.
template <class T>
using Stored = std::conditional_t<std::is_floating_point_v<T>, T, uint16_t>;

/// An operand whose elements are all the same.
template <class E>
struct Repeated {
  E value;
};

/// One register of elements, from element `i` on.
template <class D>
HWY_INLINE hn::VFromD<D> LoadOperand(D d, const hn::TFromD<D>* in, size_t i) {
  return hn::LoadU(d, in + i);
}
template <class D>
HWY_INLINE hn::VFromD<D> LoadOperand(D d, Repeated<hn::TFromD<D>> in, size_t) {
  return hn::Set(d, in.value);
}

/// Whether the array begins there.
template <class E>
HWY_INLINE bool IsAt(const E* in, const E* address) {
  return in == address;
}
template <class E>
HWY_INLINE bool IsAt(Repeated<E>, const E*) {
  return false;
}

/// Prefetches elements that a loop over more than the caches hold comes to later. A processor looks ahead by some hundred
/// instructions, which are few registers of a long formula, and not every machine fetches far enough by itself: tangents
/// of 64 MiB take 3.4 times as long without. Into the second-level cache: prefetched into the first one, a machine that
/// fetches by itself did so less, and negatives in place took 1.3 times as long as without.
template <class E>
HWY_INLINE void FetchAhead(const E* in, size_t i, int64_t bytes) {
  PrefetchSecond(reinterpret_cast<const std::byte*>(in + i) + bytes);
}
template <class E>
HWY_INLINE void FetchAhead(Repeated<E>, size_t, int64_t) {}

/// The same for the last `n` elements; the lanes behind them are zero, or of a repeated operand its value.
template <class D>
HWY_INLINE hn::VFromD<D> LoadOperandTail(D d, const hn::TFromD<D>* in, size_t i, size_t n) {
  return LoadTail(d, in + i, n);
}
template <class D>
HWY_INLINE hn::VFromD<D> LoadOperandTail(D d, Repeated<hn::TFromD<D>> in, size_t, size_t) {
  return hn::Set(d, in.value);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
