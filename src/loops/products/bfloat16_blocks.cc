// SPDX-License-Identifier: Apache-2.0
//
// Written for x86 and its fixed register sizes: the order of the elements in a block is that of its instructions. AMX
// multiplies 512 x 4096 by 4096 x 4096 elements ten times as fast as float32 code does.
#include "loops/products/bfloat16_blocks.h"

#include <algorithm>
#include <cstring>

#include "loops/products/bfloat16_magnitudes.h"
#include "loops/products/dot_lanes.h"
#include "loops/products/x86_intrinsics.h"

namespace portacl::loops::products {
#if HWY_ARCH_X86_64
HWY_PUSH_ATTRIBUTES("avx,avx2,fma,f16c,bmi,bmi2,avx512f,avx512vl,avx512dq,avx512bw,avx512bf16,amx-tile,amx-bf16")
namespace {

constexpr int64_t kBytes = 2;  // per element
constexpr int64_t kPairs = kBlockDepth / 2;
constexpr int64_t kMostGroups = 64;

// Prefetch distance within each row, in bytes.
constexpr int64_t kBlockAhead = 512;
// Prefetch distance along k, where memory neighbours of a column's element belong to other columns.
constexpr int64_t kPairsAhead = 16;

inline __m512i LoadBlockRow(const BlockSource& source, int64_t row, int64_t k) {
  if (row >= source.count) return _mm512_setzero_si512();
  const std::byte* const from = source.from + row * source.stride + k * kBytes;
  __builtin_prefetch(from + kBlockAhead, 0, 2);
  if (source.depth - k >= kBlockDepth) return _mm512_loadu_si512(from);
  return _mm512_maskz_loadu_epi16(FirstElements(source.depth - k), from);
}

// Packs to [row][k]. A row is read in long runs, but no longer than the first-level cache has room for the lines of the
// blocks that the run is spread over.
void PackRows(const BlockSource& source, const BlockTarget& target) {
  constexpr int64_t kRun = 1024;
  for (int64_t first = 0; first < source.count; first += kGroup) {
    uint16_t* const blocks = target.blocks + first / kGroup * target.group_stride;
    __m512i min_magnitudes = _mm512_set1_epi16(-1);
    for (int64_t begin = 0; begin < source.depth; begin += kRun) {
      const int64_t end = std::min(source.depth, begin + kRun);
      for (int64_t row = 0; row < kGroup; ++row) {
        uint16_t* to = blocks + begin / kBlockDepth * kBlockElements + row * kBlockDepth;
        for (int64_t k = begin; k < end; k += kBlockDepth, to += kBlockElements) {
          const __m512i elements = LoadBlockRow(source, first + row, k);
          min_magnitudes = Lower(min_magnitudes, elements);
          _mm512_store_si512(to, elements);
        }
      }
    }
    LowerTo(min_magnitudes, target.min_magnitudes + first / kGroup);
  }
}

// A store covers a whole register; the next one begins where the run ends.
void CopyRuns(const std::byte* from, const BlockRuns& runs, uint16_t* to, uint16_t* min_magnitude) {
  const __mmask32 rest = FirstElements((runs.length - 1) % kBlockDepth + 1);
  __m512i min_magnitudes = _mm512_set1_epi16(-1);
  for (int64_t run = 0; run < runs.count; ++run, to += runs.length) {
    const std::byte* const begin = from + runs.begin[run];
    int64_t i = 0;
    for (; i + kBlockDepth < runs.length; i += kBlockDepth) {
      const __m512i elements = _mm512_loadu_si512(begin + i * kBytes);
      min_magnitudes = Lower(min_magnitudes, elements);
      _mm512_storeu_si512(to + i, elements);
    }
    const __m512i elements = _mm512_maskz_loadu_epi16(rest, begin + i * kBytes);
    min_magnitudes = Lower(min_magnitudes, elements);
    _mm512_storeu_si512(to + i, elements);
  }
  _mm512_storeu_si512(to, _mm512_setzero_si512());
  LowerTo(min_magnitudes, min_magnitude);
}

// Loads 16 bytes each, at `from`, of four columns, which are `stride` apart.
inline __m512i LoadPieces(const std::byte* from, int64_t stride) {
  __m512i all = _mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  all = _mm512_inserti32x4(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + stride)), 1);
  all = _mm512_inserti32x4(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * stride)), 2);
  return _mm512_inserti32x4(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 3 * stride)), 3);
}

// Transposes [column][k] to [pair of k][column][2].
inline void TransposeBlock(const std::byte* from, uint16_t* to) {
  constexpr int64_t kRowBytes = kBlockDepth * kBytes;
  for (int64_t pair = 0; pair < kPairs; pair += 4, from += 4 * 2 * kBytes, to += 4 * kBlockDepth) {
    // The r-th register of a to d holds the columns r, r + 4, r + 8 and r + 12, with four pairs of k each.
    const __m512i a = LoadPieces(from, 4 * kRowBytes), b = LoadPieces(from + kRowBytes, 4 * kRowBytes);
    const __m512i c = LoadPieces(from + 2 * kRowBytes, 4 * kRowBytes);
    const __m512i d = LoadPieces(from + 3 * kRowBytes, 4 * kRowBytes);
    const __m512i ab = _mm512_unpacklo_epi32(a, b), cd = _mm512_unpacklo_epi32(c, d);
    const __m512i ab_high = _mm512_unpackhi_epi32(a, b), cd_high = _mm512_unpackhi_epi32(c, d);
    _mm512_store_si512(to, _mm512_unpacklo_epi64(ab, cd));
    _mm512_store_si512(to + kBlockDepth, _mm512_unpackhi_epi64(ab, cd));
    _mm512_store_si512(to + 2 * kBlockDepth, _mm512_unpacklo_epi64(ab_high, cd_high));
    _mm512_store_si512(to + 3 * kBlockDepth, _mm512_unpackhi_epi64(ab_high, cd_high));
  }
}

// Columns a multiple of 4 KiB apart share a few lines of the first-level cache, so each line is read once and
// completely.
void PackColumnsAlong(const BlockSource& source, const BlockTarget& target) {
  alignas(64) std::byte whole[kBlockElements * kBytes];
  for (int64_t first = 0; first < source.count; first += kGroup) {
    uint16_t* to = target.blocks + first / kGroup * target.group_stride;
    __m512i min_magnitudes = _mm512_set1_epi16(-1);
    for (int64_t k = 0; k < source.depth; k += kBlockDepth, to += kBlockElements) {
      for (int64_t i = 0; i < kGroup; ++i) {
        const __m512i elements = LoadBlockRow(source, first + i, k);
        min_magnitudes = Lower(min_magnitudes, elements);
        _mm512_store_si512(whole + i * kBlockDepth * kBytes, elements);
      }
      TransposeBlock(whole, to);
    }
    LowerTo(min_magnitudes, target.min_magnitudes + first / kGroup);
  }
}

void PackColumnsAcross(const BlockSource& source, const BlockTarget& target) {
  // Up to kMostGroups groups at a time, so that memory is read in long runs.
  for (int64_t begin = 0; begin < source.count; begin += kMostGroups * kGroup) {
    __m512i min_magnitudes[kMostGroups];
    const int64_t count = std::min(source.count - begin, kMostGroups * kGroup);
    const int64_t groups = (count + kGroup - 1) / kGroup;
    for (int64_t group = 0; group < groups; ++group) min_magnitudes[group] = _mm512_set1_epi16(-1);
    uint16_t* const blocks = target.blocks + begin / kGroup * target.group_stride;
    const int64_t pairs = (source.depth + kBlockDepth - 1) / kBlockDepth * kPairs;
    for (int64_t pair = 0; pair < pairs; ++pair) {
      const std::byte* const first = source.from + 2 * pair * source.k_stride + begin * kBytes;
      const bool has_first = 2 * pair < source.depth, has_second = 2 * pair + 1 < source.depth;
      for (int64_t group = 0; group < groups; ++group) {
        const auto columns = static_cast<__mmask16>(FirstElements(std::min(kGroup, count - group * kGroup)));
        const std::byte* const from = first + group * kGroup * kBytes;
        __builtin_prefetch(from + kPairsAhead * 2 * source.k_stride, 0, 2);
        __builtin_prefetch(from + (kPairsAhead * 2 + 1) * source.k_stride, 0, 2);
        const __mmask16 of_first = has_first ? columns : __mmask16{0}, of_second = has_second ? columns : __mmask16{0};
        const __m512i even = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(of_first, from));
        const __m512i odd = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(of_second, from + source.k_stride));
        const __m512i elements = _mm512_or_si512(even, _mm512_slli_epi32(odd, 16));
        min_magnitudes[group] = Lower(min_magnitudes[group], elements);
        _mm512_store_si512(blocks + group * target.group_stride + pair * kBlockDepth, elements);
      }
    }
    for (int64_t group = 0; group < groups; ++group)
      LowerTo(min_magnitudes[group], target.min_magnitudes + begin / kGroup + group);
  }
}

// Lowers the minima by a block of rows.
inline __m512i LowerByBlock(__m512i min_magnitudes, const uint16_t* rows, int64_t stride) {
#pragma GCC unroll 16
  for (int64_t row = 0; row < kGroup; ++row)
    min_magnitudes = Lower(min_magnitudes, _mm512_loadu_si512(rows + row * stride));
  return min_magnitudes;
}

// The tile registers 0 to 3 hold sums, 4 and 5 a block of rows each, 6 and 7 a block of columns each. The minima of
// rows are computed while tiles are multiplied, so they take no extra time.
template <bool kTwoRows, bool kTwoColumns, bool kLowers>
void MultiplyTiles(const BlockProduct& product) {
  constexpr int64_t kColumnBytes = kBlockDepth * kBytes;
  const int64_t row_bytes = product.row_stride * kBytes;
  const int64_t out_bytes = product.out_stride * static_cast<int64_t>(sizeof(float));
  float *const out = product.out, *const below = out + kGroup * product.out_stride;
  if (product.adds) {
    _tile_loadd(0, out, out_bytes);
    if constexpr (kTwoColumns) _tile_loadd(1, out + kGroup, out_bytes);
    if constexpr (kTwoRows) _tile_loadd(2, below, out_bytes);
    if constexpr (kTwoRows && kTwoColumns) _tile_loadd(3, below + kGroup, out_bytes);
  } else {
    _tile_zero(0);
    if constexpr (kTwoColumns) _tile_zero(1);
    if constexpr (kTwoRows) _tile_zero(2);
    if constexpr (kTwoRows && kTwoColumns) _tile_zero(3);
  }
  const uint16_t *rows = product.rows, *columns = product.columns;
  __m512i min_magnitudes = _mm512_set1_epi16(-1), least_below = min_magnitudes;
  for (int64_t block = 0; block < product.blocks;
       ++block, rows += product.row_block_stride, columns += kBlockElements) {
    if constexpr (kLowers) min_magnitudes = LowerByBlock(min_magnitudes, rows, product.row_stride);
    if constexpr (kLowers && kTwoRows)
      least_below = LowerByBlock(least_below, rows + product.row_group_stride, product.row_stride);
    _tile_loadd(4, rows, row_bytes);
    _tile_loadd(6, columns, kColumnBytes);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kTwoColumns) {
      _tile_loadd(7, columns + product.column_group_stride, kColumnBytes);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (kTwoRows) {
      _tile_loadd(5, rows + product.row_group_stride, row_bytes);
      _tile_dpbf16ps(2, 5, 6);
    }
    if constexpr (kTwoRows && kTwoColumns) _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, out, out_bytes);
  if constexpr (kTwoColumns) _tile_stored(1, out + kGroup, out_bytes);
  if constexpr (kTwoRows) _tile_stored(2, below, out_bytes);
  if constexpr (kTwoRows && kTwoColumns) _tile_stored(3, below + kGroup, out_bytes);
  if constexpr (kLowers) LowerTo(min_magnitudes, product.min_magnitudes);
  if constexpr (kLowers && kTwoRows) LowerTo(least_below, product.min_magnitudes + 1);
}

template <bool kLowers>
void MultiplyTilesOf(const BlockProduct& product) {
  if (product.row_groups == 2)
    return product.column_groups == 2 ? MultiplyTiles<true, true, kLowers>(product)
                                      : MultiplyTiles<true, false, kLowers>(product);
  return product.column_groups == 2 ? MultiplyTiles<false, true, kLowers>(product)
                                    : MultiplyTiles<false, false, kLowers>(product);
}

void MultiplyByTiles(const BlockProduct& product) {
  product.min_magnitudes == nullptr ? MultiplyTilesOf<false>(product) : MultiplyTilesOf<true>(product);
}

// Eight tiles of 16 rows of 64 bytes each.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

void BeginTiles() {
  static constexpr TileConfiguration kConfiguration;
  _tile_loadconfig(&kConfiguration);
}

// Releases the tiles, which saves the system 8 KiB of state at each switch of threads.
void EndTiles() { _tile_release(); }

// Eight rows times all columns use 16 registers of sums. The terms of kDotBlocks blocks are summed before that sum is
// added to the result.
constexpr int64_t kDotBlocks = 4;

// `narrow` as in BlockProduct.
template <bool kTwoColumns>
inline void MultiplyEightRows(const uint16_t* rows, const BlockProduct& product, float* out, const std::byte* ahead,
                              int64_t ahead_step, std::byte* narrow) {
  constexpr int64_t kRows = 8;
  const uint16_t* columns = product.columns;
  // The lines of the results are prefetched while the rows are multiplied.
  for (int64_t row = 0; narrow != nullptr && row < kRows; ++row)
    __builtin_prefetch(narrow + row * product.narrow_stride, 1);
  const int64_t together = product.adds_blocks ? 1 : kDotBlocks;
  for (int64_t left = product.blocks; left > 0; left -= together) {
    __m512 first[kRows], second[kRows];
#pragma GCC unroll 8
    for (int64_t row = 0; row < kRows; ++row) first[row] = second[row] = _mm512_setzero_ps();
    for (int64_t block = std::min(left, together); block > 0; --block, rows += product.row_block_stride) {
      for (int64_t pair = 0; pair < kPairs; ++pair, columns += kBlockDepth, ahead += ahead_step) {
        __builtin_prefetch(ahead, 0, 2);
        const auto a = reinterpret_cast<__m512bh>(_mm512_load_si512(columns));
        const auto b =
            reinterpret_cast<__m512bh>(_mm512_load_si512(columns + (kTwoColumns ? product.column_group_stride : 0)));
#pragma GCC unroll 8
        for (int64_t row = 0; row < kRows; ++row) {
          int32_t both;
          std::memcpy(&both, rows + row * product.row_stride + 2 * pair, sizeof(both));
          const auto element = reinterpret_cast<__m512bh>(_mm512_set1_epi32(both));
          first[row] = _mm512_dpbf16_ps(first[row], element, a);
          if constexpr (kTwoColumns) second[row] = _mm512_dpbf16_ps(second[row], element, b);
        }
      }
    }
    if (product.adds || left != product.blocks) {
#pragma GCC unroll 8
      for (int64_t row = 0; row < kRows; ++row) {
        const float* const from = out + row * product.out_stride;
        first[row] = _mm512_add_ps(_mm512_loadu_ps(from), first[row]);
        if constexpr (kTwoColumns) second[row] = _mm512_add_ps(_mm512_loadu_ps(from + kGroup), second[row]);
      }
    }
    if (narrow != nullptr && left <= together) {
#pragma GCC unroll 8
      for (int64_t row = 0; row < kRows; ++row) {
        std::byte* const to = narrow + row * product.narrow_stride;
        if constexpr (kTwoColumns)
          _mm512_storeu_si512(to, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(second[row], first[row])));
        else
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                              reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(first[row])));
      }
      return;
    }
#pragma GCC unroll 8
    for (int64_t row = 0; row < kRows; ++row) {
      float* const to = out + row * product.out_stride;
      _mm512_storeu_ps(to, first[row]);
      if constexpr (kTwoColumns) _mm512_storeu_ps(to + kGroup, second[row]);
    }
  }
}

void MultiplyByDots(const BlockProduct& product) {
  for (int64_t group = 0; product.min_magnitudes != nullptr && group < product.row_groups; ++group) {
    __m512i min_magnitudes = _mm512_set1_epi16(-1);
    for (int64_t block = 0; block < product.blocks; ++block)
      min_magnitudes = LowerByBlock(min_magnitudes,
                                    product.rows + group * product.row_group_stride + block * product.row_block_stride,
                                    product.row_stride);
    LowerTo(min_magnitudes, product.min_magnitudes + group);
  }
  const int64_t pairs = product.row_groups * kGroup / 8 * product.blocks * kPairs;  // that each row is multiplied with
  const std::byte* ahead =
      product.ahead != nullptr ? product.ahead : reinterpret_cast<const std::byte*>(product.columns);
  const int64_t ahead_step = (product.ahead_bytes + pairs - 1) / pairs;
  for (int64_t row = 0; row < product.row_groups * kGroup; row += 8, ahead += product.blocks * kPairs * ahead_step) {
    const uint16_t* const rows =
        product.rows + row / kGroup * product.row_group_stride + row % kGroup * product.row_stride;
    float* const out = product.out + row * product.out_stride;
    std::byte* const narrow = product.narrow == nullptr ? nullptr : product.narrow + row * product.narrow_stride;
    product.column_groups == 2 ? MultiplyEightRows<true>(rows, product, out, ahead, ahead_step, narrow)
                               : MultiplyEightRows<false>(rows, product, out, ahead, ahead_step, narrow);
  }
}

void Nothing() {}

void NarrowNormal(const float* from, int64_t from_stride, int64_t rows, int64_t count, std::byte* to,
                  int64_t to_stride) {
  constexpr int64_t kStep = 32;
  for (; rows > 0; --rows, from += from_stride, to += to_stride) {
    int64_t i = 0;
    for (; i + kStep <= count; i += kStep) {
      const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + i + kStep / 2), _mm512_loadu_ps(from + i));
      _mm512_storeu_si512(to + i * kBytes, reinterpret_cast<__m512i>(both));
    }
    for (; i < count; i += kStep / 2) {
      const auto left = static_cast<__mmask16>(FirstElements(std::min(kStep / 2, count - i)));
      const __m256bh some = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(left, from + i));
      _mm256_mask_storeu_epi16(to + i * kBytes, left, reinterpret_cast<__m256i>(some));
    }
  }
}

}  // namespace
HWY_POP_ATTRIBUTES

const BlockLanes* BlockLanesOf(Bfloat16Unit unit) {
  static constexpr BlockLanes kTiles = {.pack_rows = PackRows,
                                        .copy_runs = CopyRuns,
                                        .pack_columns_along = PackColumnsAlong,
                                        .pack_columns_across = PackColumnsAcross,
                                        .begin = BeginTiles,
                                        .multiply = MultiplyByTiles,
                                        .end = EndTiles,
                                        .narrow = NarrowNormal,
                                        .multiply_narrows = false,
                                        .has_tiles = true,
                                        .most_dot_columns = 2};
  static constexpr BlockLanes kDots = {.pack_rows = PackRows,
                                       .copy_runs = CopyRuns,
                                       .pack_columns_along = PackColumnsAlong,
                                       .pack_columns_across = PackColumnsAcross,
                                       .begin = Nothing,
                                       .multiply = MultiplyByDots,
                                       .end = Nothing,
                                       .narrow = NarrowNormal,
                                       .multiply_narrows = true,
                                       .has_tiles = false,
                                       .most_dot_columns = kMostDotColumns};
  return unit == Bfloat16Unit::kTiles ? &kTiles : unit == Bfloat16Unit::kDots ? &kDots : nullptr;
}

#else

const BlockLanes* BlockLanesOf(Bfloat16Unit) { return nullptr; }

#endif
}  // namespace portacl::loops::products
