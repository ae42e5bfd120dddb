// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of the last few elements of a row, which touch nothing but those elements. Included once per target.
//
// Highway's MaskedLoad and BlendedStore read or write the neighbours on targets that have no masked memory operations
// (HWY_MEM_OPS_MIGHT_FAULT), which faults at the end of a page and races with the thread that owns the next chunk;
// there the elements go through a buffer on the stack. AVX2 counts as one of these because of its lanes of 1 and 2
// bytes; wider ones have masked operations.

#if defined(PORTACL_SIMD_TAIL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_TAIL_H_
#undef PORTACL_SIMD_TAIL_H_
#else
#define PORTACL_SIMD_TAIL_H_
#endif

#include <cstddef>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
constexpr bool kHasMaskedMemory =
    HWY_MEM_OPS_MIGHT_FAULT == 0 || (HWY_TARGET == HWY_AVX2 && sizeof(hn::TFromD<D>) >= sizeof(float));

/// The `n` elements at `from` (0 <= n <= lanes of `d`) in the lowest lanes, zero in the others.
template <class D>
HWY_INLINE hn::VFromD<D> LoadTail(D d, const hn::TFromD<D>* from, size_t n) {
  if constexpr (kHasMaskedMemory<D>) {
    return hn::MaskedLoad(hn::FirstN(d, n), d, from);
  } else {
    HWY_ALIGN hn::TFromD<D> buffer[HWY_LANES(hn::TFromD<D>)] = {};
    std::memcpy(buffer, from, n * sizeof(*from));
    return hn::Load(d, buffer);
  }
}

/// Stores the lowest `n` lanes (0 <= n <= lanes of `d`) at `to`.
template <class D>
HWY_INLINE void StoreTail(D d, hn::VFromD<D> v, hn::TFromD<D>* to, size_t n) {
  if constexpr (kHasMaskedMemory<D>) {
    hn::BlendedStore(v, hn::FirstN(d, n), d, to);
  } else {
    HWY_ALIGN hn::TFromD<D> buffer[HWY_LANES(hn::TFromD<D>)];
    hn::Store(v, d, buffer);
    std::memcpy(to, buffer, n * sizeof(*to));
  }
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
