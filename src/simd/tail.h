// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of the last few elements of a row, which access only those elements. Included once per target.
//
// On targets without masked memory operations (HWY_MEM_OPS_MIGHT_FAULT), Highway's MaskedLoad and BlendedStore read or
// write neighbouring elements. That faults at the end of a page, and races with the thread that owns the next chunk.
// There, elements go through a buffer on the stack. AVX2 is treated like this for elements of 1 and 2 bytes; it has
// masked operations for larger ones.

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

/// Loads `n` elements (0 <= n <= lanes of `d`) to the lowest lanes, and zero to the others.
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
