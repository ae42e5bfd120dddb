// SPDX-License-Identifier: Apache-2.0
//
// The smallest magnitudes among bfloat16 elements, for x86 with AVX-512.
#pragma once

#include <cstdint>

#include "loops/products/x86_intrinsics.h"

#if HWY_ARCH_X86_64
HWY_PUSH_ATTRIBUTES("avx,avx2,avx512f,avx512vl,avx512dq,avx512bw")
namespace portacl::loops::products {

/// The mask of the first elements of a register.
inline __mmask32 FirstElements(int64_t count) {
  return count >= 32 ? ~__mmask32{0} : static_cast<__mmask32>((uint64_t{1} << (count > 0 ? count : 0)) - 1);
}

/// The minimum of `least` and of all magnitudes minus 1. The subtraction wraps 0 to the largest value.
inline __m512i Lower(__m512i least, __m512i elements) {
  const __m512i magnitudes = _mm512_and_si512(elements, _mm512_set1_epi16(0x7FFF));
  return _mm512_min_epu16(least, _mm512_sub_epi16(magnitudes, _mm512_set1_epi16(1)));
}

/// Lowers *to to the smallest of them.
inline void LowerTo(__m512i least, uint16_t* to) {
  const __m256i half = _mm256_min_epu16(_mm512_castsi512_si256(least), _mm512_extracti64x4_epi64(least, 1));
  const __m128i quarter = _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  const auto smallest = static_cast<uint16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(quarter)));
  if (smallest < *to) *to = smallest;
}

}  // namespace portacl::loops::products
HWY_POP_ATTRIBUTES
#endif
