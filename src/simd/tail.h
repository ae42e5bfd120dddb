// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of the last few elements of a row, which access only those elements. Included once per target.
//
// On targets without masked memory operations (HWY_MEM_OPS_MIGHT_FAULT), Highway's MaskedLoad and BlendedStore read or
// write neighbouring elements. That faults at the end of a page, and races with the thread that owns the next chunk.
// There, elements go through a buffer on the stack. AVX2 has masked operations for elements of 4 and 8 bytes.

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

#if HWY_TARGET == HWY_AVX2
// Elements of 8 and 16 bits by masked memory of 32 bits, and the rest of a word by itself: a copy through a buffer
// would wait until its parts are stored. Softmax of BFLOAT16 rows of 10 elements takes 0.3 of the time.
template <class D>
HWY_INLINE hn::VFromD<D> LoadNarrowTail(D d, const hn::TFromD<D>* from, size_t n) {
  const auto* const memory = reinterpret_cast<const uint8_t*>(from);
  const size_t bytes = n * sizeof(*from), words = bytes / sizeof(uint32_t);
  const auto one_word = [=](size_t first, size_t count) {  // at most three bytes
    uint32_t word = memory[first];
    if (count >= 2) word |= static_cast<uint32_t>(memory[first + 1]) << 8;
    if (count == 3) word |= static_cast<uint32_t>(memory[first + 2]) << 16;
    return word;
  };
  if constexpr (hn::MaxLanes(d) * sizeof(*from) == sizeof(uint64_t)) {
    uint64_t all = 0;
    if (words != 0) {  // two words, which may overlap
      uint32_t first, last;
      std::memcpy(&first, memory, sizeof(first));
      std::memcpy(&last, memory + bytes - sizeof(last), sizeof(last));
      all = first | static_cast<uint64_t>(last) << (8 * (bytes - sizeof(last)));
    } else if (bytes != 0) {
      all = one_word(0, bytes);
    }
    return hn::BitCast(d, hn::Set(hn::Repartition<uint64_t, D>(), all));
  } else {
    const hn::Repartition<uint32_t, D> dw;
    static_assert(hn::MaxLanes(dw) >= 4, "lanes beyond such a register would not be masked");
    auto v = hn::MaskedLoad(hn::FirstN(dw, words), dw, reinterpret_cast<const uint32_t*>(from));
    if (bytes % sizeof(uint32_t) != 0) {
      const auto rest = hn::Set(dw, one_word(words * sizeof(uint32_t), bytes % sizeof(uint32_t)));
      v = hn::IfThenElse(hn::Eq(hn::Iota(dw, 0), hn::Set(dw, static_cast<uint32_t>(words))), rest, v);
    }
    return hn::BitCast(d, v);
  }
}

template <class D>
HWY_INLINE void StoreNarrowTail(D d, hn::VFromD<D> v, hn::TFromD<D>* to, size_t n) {
  const hn::Repartition<uint32_t, D> dw;
  const size_t bytes = n * sizeof(*to), words = bytes / sizeof(uint32_t);
  hn::BlendedStore(hn::BitCast(dw, v), hn::FirstN(dw, words), dw, reinterpret_cast<uint32_t*>(to));
  if (bytes % sizeof(uint32_t) != 0) {
    HWY_ALIGN hn::TFromD<D> buffer[HWY_LANES(hn::TFromD<D>)];
    hn::Store(v, d, buffer);
    for (size_t i = words * sizeof(uint32_t) / sizeof(*to); i < n; ++i) to[i] = buffer[i];
  }
}
#endif

/// Loads `n` elements (0 <= n <= lanes of `d`) to the lowest lanes, and zero to the others.
template <class D>
HWY_INLINE hn::VFromD<D> LoadTail(D d, const hn::TFromD<D>* from, size_t n) {
  if constexpr (kHasMaskedMemory<D>) {
    return hn::MaskedLoad(hn::FirstN(d, n), d, from);
#if HWY_TARGET == HWY_AVX2
  } else if constexpr (sizeof(*from) < sizeof(uint32_t)) {
    return LoadNarrowTail(d, from, n);
#endif
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
#if HWY_TARGET == HWY_AVX2
  } else if constexpr (sizeof(*to) < sizeof(uint32_t)) {
    StoreNarrowTail(d, v, to, n);
#endif
  } else {
    HWY_ALIGN hn::TFromD<D> buffer[HWY_LANES(hn::TFromD<D>)];
    hn::Store(v, d, buffer);
    std::memcpy(to, buffer, n * sizeof(*to));
  }
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
