// SPDX-License-Identifier: Apache-2.0
//
// The operand of a loop over contiguous elements: an array, or one value for all elements. Included once per target.

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

/// The type of a stored element of T: float, double, or the 16 bits of a narrow float.
template <class T>
using Stored = std::conditional_t<std::is_floating_point_v<T>, T, uint16_t>;

/// An operand that has the same value for all elements.
template <class E>
struct Repeated {
  E value;
};

/// Loads one register of elements, from element `i` on.
template <class D>
HWY_INLINE hn::VFromD<D> LoadOperand(D d, const hn::TFromD<D>* in, size_t i) {
  return hn::LoadU(d, in + i);
}
template <class D>
HWY_INLINE hn::VFromD<D> LoadOperand(D d, Repeated<hn::TFromD<D>> in, size_t) {
  return hn::Set(d, in.value);
}

/// Whether the array starts at this address.
template <class E>
HWY_INLINE bool IsAt(const E* in, const E* address) {
  return in == address;
}
template <class E>
HWY_INLINE bool IsAt(Repeated<E>, const E*) {
  return false;
}

/// Whether the array is stored up to eight cache lines ahead of where the operand is read, but for their pages. Then,
/// loads of what follows wait for stores, as the last 12 bits of their addresses are equal: Add takes up to 1.7 times as
/// long in the caches, and exponentials 2.9 times with non-temporal stores (Zen 2). With AVX-512, the distance has no
/// effect (Golden Cove).
template <class E>
HWY_INLINE bool IsJustBehind([[maybe_unused]] const E* in, [[maybe_unused]] const E* array) {
#if HWY_TARGET == HWY_AVX2
  const uintptr_t distance = (reinterpret_cast<uintptr_t>(array) - reinterpret_cast<uintptr_t>(in)) % 4096;
  return distance != 0 && distance <= 512;
#else
  return false;
#endif
}
template <class E>
HWY_INLINE bool IsJustBehind(Repeated<E>, const E*) {
  return false;
}

/// Prefetches elements that a loop over more data than the caches hold will need later. A processor looks ahead by some
/// hundred instructions, which cover few registers of a long formula, and not every machine prefetches far enough by
/// itself: tangents of 64 MiB take 3.4 times as long without this. The target is the second-level cache: with the
/// first-level cache, a machine that prefetches by itself did less of that, and negating in place took 1.3 times as
/// long as without.
template <class E>
HWY_INLINE void FetchAhead(const E* in, size_t i, int64_t bytes) {
  PrefetchSecond(reinterpret_cast<const std::byte*>(in + i) + bytes);
}
template <class E>
HWY_INLINE void FetchAhead(Repeated<E>, size_t, int64_t) {}

/// Loads the last `n` elements from `i` on. The other lanes are zero, or the value of a repeated operand.
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
