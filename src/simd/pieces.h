// SPDX-License-Identifier: Apache-2.0
//
// Piecewise polynomials for float32 functions, with all coefficients in registers. Included once per target.

#if defined(PORTACL_SIMD_PIECES_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_PIECES_H_
#undef PORTACL_SIMD_PIECES_H_
#else
#define PORTACL_SIMD_PIECES_H_
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "simd/pieces_tables.h"

namespace portacl::simd::HWY_NAMESPACE {

/// Whether one instruction can select the coefficient of each lane's piece.
template <class V>
constexpr bool kFindsPieces = HWY_TARGET == HWY_AVX3 && sizeof(V) == 64;

}  // namespace portacl::simd::HWY_NAMESPACE

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The function of `pieces` at x in [0, 15), or NaN for NaN: around + distance * slope.
template <class D, class V>
HWY_INLINE void EvaluatePieces(D d, const float (&pieces)[7][32], V x, V& around, V& distance, V& slope) {
  const __m512i piece = _mm512_srli_epi32(_mm512_castps_si512(hn::Add(x, hn::Set(d, 1.0f)).raw), 20);
  const auto find = [piece](const float* row) HWY_ATTR {
    return V{_mm512_permutex2var_ps(_mm512_load_ps(row), piece, _mm512_load_ps(row + 16))};
  };
  distance = hn::Sub(x, find(pieces[0]));
  slope = hn::MulAdd(find(pieces[6]), distance, find(pieces[5]));
  slope = hn::MulAdd(slope, distance, find(pieces[4]));
  slope = hn::MulAdd(slope, distance, find(pieces[3]));
  slope = hn::MulAdd(slope, distance, find(pieces[2]));
  around = find(pieces[1]);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
