// SPDX-License-Identifier: Apache-2.0
//
// Sums have the order of DotLanes::dot with sixteen lanes: kDotProducts products a lane, kDotSums of these sums, then
// float64. The instruction adds the product of the odd elements first, then that of the even ones; lanes begin with the
// even ones. So the elements of a pair are exchanged on both sides.
#include "loops/products/bfloat16_dots.h"

#include <algorithm>

#include "loops/products/bfloat16_blocks.h"
#include "loops/products/bfloat16_magnitudes.h"
#include "loops/products/x86_intrinsics.h"

namespace portacl::loops::products {
#if HWY_ARCH_X86_64
HWY_PUSH_ATTRIBUTES("avx,avx2,fma,f16c,bmi,bmi2,avx512f,avx512vl,avx512dq,avx512bw,avx512bf16")
namespace {

constexpr int64_t kStep = 2 * kPairLanes;
constexpr int64_t kBlock = kDotProducts * kPairLanes;
constexpr int64_t kAhead = 512;                   // bytes
constexpr int64_t kRunElements = (24 << 10) / 2;  // of all columns

inline __m256i UpperHalves(__m512 v) { return _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_castps_si512(v), 16)); }

void PackColumn(const float* from, int64_t depth, uint16_t* to, uint16_t* least) {
  __m512i of_column = _mm512_set1_epi16(-1);
  for (int64_t k = 0; k < depth; k += kStep, to += kStep) {
    const __mmask32 some = FirstElements(depth - k);
    const __m512 low = _mm512_maskz_loadu_ps(static_cast<__mmask16>(some), from + k);
    const __m512 high = _mm512_maskz_loadu_ps(static_cast<__mmask16>(some >> kPairLanes), from + k + kPairLanes);
    const __m512i elements = _mm512_inserti64x4(_mm512_castsi256_si512(UpperHalves(low)), UpperHalves(high), 1);
    of_column = Lower(of_column, elements);
    _mm512_storeu_si512(to, _mm512_rol_epi32(elements, 16));
  }
  LowerTo(of_column, least);
}

// The sum of the lanes, as in SumLanes of dot_lanes.cc.
inline float SumOfLanes(__m512 v) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// The sums of kGroup rows, and the minima of their magnitudes.
struct GroupSums {
  __m512 total[kGroup][kMostDotColumns];
  __m512i least[kGroup];
};

// Adds the products of up to kStep elements of each row, from `from` on, and each column, from `column` on. kIsWhole:
// kStep elements. `later` as for AddRun.
template <bool kIsWhole, int kRows, int kColumns>
HWY_INLINE void AddStep(const std::byte* from, int64_t row_stride, const uint16_t* column, int64_t column_stride,
                        __mmask32 some, int64_t later, __m512 (&sum)[kRows][kColumns], __m512i (&least)[kRows]) {
  __m512bh pairs[kRows];
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i, from += row_stride) {
    __builtin_prefetch(from + kAhead, 0, 3);
    __builtin_prefetch(from + later, 0, 2);
    const __m512i elements = kIsWhole ? _mm512_loadu_si512(from) : _mm512_maskz_loadu_epi16(some, from);
    least[i] = Lower(least[i], elements);
    pairs[i] = reinterpret_cast<__m512bh>(_mm512_rol_epi32(elements, 16));
  }
#pragma GCC unroll 8
  for (int j = 0; j < kColumns; ++j) {
    const auto of_column = reinterpret_cast<__m512bh>(_mm512_loadu_si512(column + j * column_stride));
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) sum[i][j] = _mm512_dpbf16_ps(sum[i][j], pairs[i], of_column);
  }
}

// Adds the products of kRows rows from `row` on and all kColumns columns, for the elements [first, end), to the sums,
// or begins those. `later`: bytes from an element to one that the next run reads.
template <int kRows, int kColumns>
void AddRun(const DotTile& tile, const PairColumns& columns, int64_t row, int64_t first, int64_t end, bool begins,
            int64_t later, GroupSums* sums) {
  const std::byte* const rows = tile.rows + row * tile.row_stride;
  const int64_t padded = PaddedPairs(tile.depth);
  __m512i least[kRows];
  row %= kGroup;
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) least[i] = sums->least[row + i];
  for (int64_t begin = first; begin < end; begin += kBlock) {
    __m512 sum[kRows][kColumns];
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < kColumns; ++j) sum[i][j] = _mm512_setzero_ps();
    }
    const int64_t block_end = std::min(end, begin + kBlock);
    int64_t k = begin;
    for (; k + kStep <= block_end; k += kStep)
      AddStep<true>(rows + 2 * k, tile.row_stride, columns.elements + k, padded, 0, later, sum, least);
    if (k < block_end)
      AddStep<false>(rows + 2 * k, tile.row_stride, columns.elements + k, padded, FirstElements(block_end - k), later,
                     sum, least);
    const bool stores = begins && begin == first;
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < kColumns; ++j) {
        __m512& total = sums->total[row + i][j];
        total = stores ? sum[i][j] : _mm512_add_ps(sum[i][j], total);
      }
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) sums->least[row + i] = least[i];
}

template <int kRows>
void AddRunOf(const DotTile& tile, const PairColumns& columns, int64_t row, int64_t first, int64_t end, bool begins,
              int64_t later, GroupSums* sums) {
  static constexpr decltype(&AddRun<kRows, 1>) kOf[kMostDotColumns] = {
      AddRun<kRows, 1>, AddRun<kRows, 2>, AddRun<kRows, 3>, AddRun<kRows, 4>,
      AddRun<kRows, 5>, AddRun<kRows, 6>, AddRun<kRows, 7>, AddRun<kRows, 8>};
  kOf[tile.column_count - 1](tile, columns, row, first, end, begins, later, sums);
}

// Up to kGroup rows from `begin_row` on. The columns of a run stay in the first-level cache for all of them.
void DotGroup(const DotTile& tile, const PairColumns& columns, int64_t begin_row, int64_t rows, GroupSums* sums,
              double* results) {
  const int64_t at_once = tile.column_count > 4 ? 2 : 4;
  const int64_t run = std::max<int64_t>(1, kRunElements / tile.column_count / kBlock) * kBlock;
  std::fill_n(sums->least, kGroup, _mm512_set1_epi16(-1));
  for (int64_t first = 0; first < tile.depth; first += kDotSums * kBlock) {
    const int64_t end = std::min(tile.depth, first + kDotSums * kBlock);
    for (int64_t begin = first; begin < end; begin += run) {
      const int64_t run_end = std::min(end, begin + run);
      const int64_t later = run_end < tile.depth ? 2 * run : kGroup * tile.row_stride - 2 * begin;
      for (int64_t row = begin_row; row < begin_row + rows;) {
        const bool is_whole = row + at_once <= begin_row + rows;
        const auto add = !is_whole ? AddRunOf<1> : at_once == 4 ? AddRunOf<4> : AddRunOf<2>;
        add(tile, columns, row, begin, run_end, begin == first, later, sums);
        row += is_whole ? at_once : 1;
      }
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < tile.column_count; ++j)
        results[i * kMostDotColumns + j] += static_cast<double>(SumOfLanes(sums->total[i][j]));
    }
  }
}

void Dot(const DotTile& tile, const PairColumns& columns, const DotLanes& lanes) {
  GroupSums sums;
  for (int64_t first = 0; first < tile.row_count; first += kGroup) {
    double results[kGroup * kMostDotColumns] = {};
    const int64_t rows = std::min(kGroup, tile.row_count - first);
    DotGroup(tile, columns, first, rows, &sums, results);
    for (int64_t row = 0; row < rows; ++row) {
      float* const out = tile.out + (first + row) * tile.out_row;
      for (int64_t column = 0; column < tile.column_count; ++column)
        out[column * tile.out_column] = static_cast<float>(results[row * kMostDotColumns + column]);
      uint16_t least = kAllZero;
      LowerTo(sums.least[row], &least);
      if (HaveNormalProducts(least, columns.least)) continue;
      DotTile one = tile;
      one.rows += (first + row) * tile.row_stride;
      one.out = out;
      one.row_count = 1;
      lanes.dot(one);
    }
  }
}

}  // namespace
HWY_POP_ATTRIBUTES

const PairDots* PairDotsOf(Bfloat16Unit unit) {
  static constexpr PairDots kDots = {.pack_column = PackColumn, .dot = Dot};
  return unit == Bfloat16Unit::kNone ? nullptr : &kDots;
}

#else

const PairDots* PairDotsOf(Bfloat16Unit) { return nullptr; }

#endif
}  // namespace portacl::loops::products
