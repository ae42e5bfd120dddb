// SPDX-License-Identifier: Apache-2.0
#include "loops/products/dot_lanes.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/products/dot_lanes.cc"
#include "base/tuning.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/dispatch.h"
#include "simd/operand.h"
#include "simd/prefetch.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::products::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

using simd::FloatLanes;
using simd::FloatVector;

// Rows are prefetched into the second-level cache, because the first-level cache can wait for few lines at a time. Rows
// of up to this many bytes fit the second-level cache; so with one column, the following rows are prefetched too. This
// saves up to 6 % of the time of FLOAT16 products in memory, and costs the others nothing.
constexpr int64_t kShortRow = 64 << 10;

#define PORTACL_EACH_CELL(X) \
  X(0, 0) X(0, 1) X(0, 2) X(0, 3) X(1, 0) X(1, 1) X(1, 2) X(1, 3) X(2, 0) X(2, 1) X(3, 0) X(3, 1)
#define PORTACL_EACH_ROW(X) X(0) X(1) X(2) X(3)

template <class T>
HWY_INLINE auto LoadElements(const std::byte* row, int64_t at, size_t count) {
  const hn::ScalableTag<simd::Stored<T>> d;
  const auto* const from = reinterpret_cast<const simd::Stored<T>*>(row) + at;
  return count >= hn::Lanes(d) ? hn::LoadU(d, from) : simd::LoadTail(d, from, count);
}

template <class T>
HWY_INLINE int64_t ElementsOfStep() {
  return static_cast<int64_t>(hn::Lanes(hn::ScalableTag<simd::Stored<T>>()));
}

// Sums the products of the elements [first, end), at most kDotProducts per lane, for kRowCount x kColumns results. The
// sums are added to `total` or, if `begins`, stored there. `ahead` is the first address to prefetch.
template <class T, int kRowCount, int kColumns>
HWY_INLINE void DotBlock(const DotTile& tile, const std::byte* rows, int64_t first, int64_t end, const std::byte* ahead,
                         bool begins, float* total) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t step = ElementsOfStep<T>();
  const int64_t padded = (tile.depth + step - 1) / step * step;
#define PORTACL_BEGIN(row, column) FloatVector sum##row##column = hn::Zero(d);
  PORTACL_EACH_CELL(PORTACL_BEGIN)
#undef PORTACL_BEGIN
  // Must be inlined: otherwise the sums would be in memory.
  const auto add = [&](int64_t at, size_t count) HWY_ATTR __attribute__((always_inline)) {
#define PORTACL_LOAD(row) \
  const auto elements##row = LoadElements<T>(rows + ((row) < kRowCount ? (row) : 0) * tile.row_stride, at, count);
    PORTACL_EACH_ROW(PORTACL_LOAD)
#undef PORTACL_LOAD
#define PORTACL_PREFETCH(row)                                       \
  if constexpr ((row) < kRowCount)                                  \
    portacl::simd::PrefetchSecond(ahead + (row) * tile.row_stride + \
                                  (at - first) * static_cast<int64_t>(sizeof(simd::Stored<T>)));
    PORTACL_EACH_ROW(PORTACL_PREFETCH)
#undef PORTACL_PREFETCH
#define PORTACL_ADD(row, column)                                                                                  \
  if constexpr ((row) < kRowCount && (column) < kColumns) {                                                       \
    const float* const factors = tile.columns + (column) * padded + at;                                           \
    if constexpr (std::is_same_v<T, float>) {                                                                     \
      sum##row##column = hn::MulAdd(elements##row, hn::LoadU(d, factors), sum##row##column);                      \
    } else {                                                                                                      \
      sum##row##column = hn::MulAdd(simd::WidenFirst<T>(elements##row), hn::LoadU(d, factors), sum##row##column); \
      sum##row##column =                                                                                          \
          hn::MulAdd(simd::WidenSecond<T>(elements##row), hn::LoadU(d, factors + lanes), sum##row##column);       \
    }                                                                                                             \
  }
    PORTACL_EACH_CELL(PORTACL_ADD)
#undef PORTACL_ADD
  };
  int64_t at = first;
  for (; at + step <= end; at += step) add(at, static_cast<size_t>(step));
  if (at < end) add(at, static_cast<size_t>(end - at));
#define PORTACL_SUM(row, column)                                                                \
  if constexpr ((row) < kRowCount && (column) < kColumns) {                                     \
    float* const to = total + ((row) * kColumns + (column)) * lanes;                            \
    hn::StoreU(begins ? sum##row##column : hn::Add(sum##row##column, hn::LoadU(d, to)), d, to); \
  }
  PORTACL_EACH_CELL(PORTACL_SUM)
#undef PORTACL_SUM
}

// Number of registers that SumLanes needs room for: it takes four at a time.
constexpr int WholeFours(int cells) { return (cells + 3) / 4 * 4; }

// Adds the upper half of each of `cells` registers of `width` lanes to the lower half; a half is whole vectors of
// `part`.
template <class D>
HWY_INLINE void FoldHalves(D part, int cells, int64_t width, float* lanes) {
  const int64_t half = width / 2;
  for (int cell = 0; cell < cells; ++cell) {
    for (int64_t i = 0; i < half; i += static_cast<int64_t>(hn::Lanes(part))) {
      const float* const from = lanes + cell * width + i;
      hn::StoreU(hn::Add(hn::LoadU(part, from), hn::LoadU(part, from + half)), part, lanes + cell * half + i);
    }
  }
}

// Sums the lanes of each of kCells registers: one half is added to the other until a single lane is left. Overwrites
// `total`.
template <int kCells>
HWY_INLINE void SumLanes(float* total, float* sums) {
  constexpr int kFours = WholeFours(kCells);
  const hn::CappedTag<float, 8> eight;
  const hn::CappedTag<float, 4> four;
  auto width = static_cast<int64_t>(hn::Lanes(FloatLanes()));
  for (; width >= 16; width /= 2) FoldHalves(eight, kCells, width, total);
  for (; width > 4; width /= 2) FoldHalves(four, kCells, width, total);
  std::fill(total + kCells * 4, total + kFours * 4, 0.0F);
  for (int cell = 0; cell < kFours; cell += 4) {
    auto a = hn::Zero(four), b = a, c = a, e = a;
    hn::LoadInterleaved4(four, total + cell * 4, a, b, c, e);
    hn::StoreU(hn::Add(hn::Add(a, c), hn::Add(b, e)), four, sums + cell);
  }
}

// Prefetch distance: in groups of rows that are multiplied together, and in elements.
struct Ahead {
  int64_t groups;
  int64_t elements;
};

template <class T, int kRowCount, int kColumns>
HWY_ATTR void DotRows(const DotTile& tile, int64_t row, const Ahead& ahead) {
  constexpr int kCells = kRowCount * kColumns;
  const int64_t block = kDotProducts * static_cast<int64_t>(hn::Lanes(FloatLanes()));
  HWY_ALIGN float total[WholeFours(kCells) * HWY_LANES(float)];
  HWY_ALIGN float of_part[WholeFours(kCells)];
  double sums[kCells] = {};
  const std::byte* const rows = tile.rows + row * tile.row_stride;
  for (int64_t first = 0; first < tile.depth; first += kDotSums * block) {
    const int64_t end = std::min(tile.depth, first + kDotSums * block);
    for (int64_t k = first; k < end; k += block) {
      const bool in_next = k + ahead.elements >= tile.depth;
      const int64_t groups = ahead.groups + (in_next ? 1 : 0);
      const int64_t element = k + ahead.elements - (in_next ? tile.depth : 0);
      const std::byte* const later =
          rows + groups * kRowCount * tile.row_stride + element * static_cast<int64_t>(sizeof(simd::Stored<T>));
      DotBlock<T, kRowCount, kColumns>(tile, rows, k, std::min(end, k + block), later, k == first, total);
    }
    SumLanes<kCells>(total, of_part);
    for (int i = 0; i < kCells; ++i) sums[i] += static_cast<double>(of_part[i]);
  }
  for (int i = 0; i < kCells; ++i)
    tile.out[(row + i / kColumns) * tile.out_row + i % kColumns * tile.out_column] = static_cast<float>(sums[i]);
}

template <class T, int kColumns>
HWY_ATTR void DotColumns(const DotTile& tile) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(simd::Stored<T>));
  const int64_t elements = CurrentTuning().dot_prefetch_bytes / kSize;
  const int64_t depth = std::max<int64_t>(tile.depth, 1);
  const bool asks_for_next = kColumns == 1 && depth * kSize <= kShortRow;
  const Ahead ahead = {elements / depth + (asks_for_next ? 1 : 0), elements % depth};
  int64_t row = 0;
  if constexpr (kColumns <= 2) {
    for (; row + 4 <= tile.row_count; row += 4) DotRows<T, 4, kColumns>(tile, row, ahead);
  }
  for (; row + 2 <= tile.row_count; row += 2) DotRows<T, 2, kColumns>(tile, row, ahead);
  for (; row < tile.row_count; ++row) DotRows<T, 1, kColumns>(tile, row, ahead);
}

template <class T>
HWY_ATTR void Dot(const DotTile& tile) {
  const int64_t parts = (tile.column_count + 3) / 4, most = (tile.column_count + parts - 1) / parts;
  DotTile part = tile;
  for (int64_t first = 0; first < tile.column_count; first += most) {
    const int64_t step = ElementsOfStep<T>();
    part.columns = tile.columns + first * ((tile.depth + step - 1) / step * step);
    part.column_count = std::min(most, tile.column_count - first);
    part.out = tile.out + first * tile.out_column;
    switch (part.column_count) {
      case 1:
        DotColumns<T, 1>(part);
        break;
      case 2:
        DotColumns<T, 2>(part);
        break;
      case 3:
        DotColumns<T, 3>(part);
        break;
      default:
        DotColumns<T, 4>(part);
    }
  }
}

// Rows of k that are added at a time. Each is a stream from memory, and the sums are loaded once for all of them.
constexpr int kTermsAtOnce = 8;

// Adds the products of kTerms values of k, in order, to the sums of kColumns columns. `elements` has the elements of
// all rows for each k, `factors` the element of the first column.
template <class T, int kColumns, int kTerms>
HWY_INLINE void AddAcross(const DotTile& tile, const std::byte* const* elements, const float* const* factors,
                          int64_t padded, float* to, int64_t stride) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t step = ElementsOfStep<T>();
  constexpr bool kIsFloat = std::is_same_v<T, float>;
  const auto add = [&](int64_t at, size_t count) HWY_ATTR __attribute__((always_inline)) {
#define PORTACL_LOAD(column)                                                                               \
  FloatVector low##column = (column) < kColumns ? hn::LoadU(d, to + (column) * stride + at) : hn::Zero(d); \
  FloatVector high##column =                                                                               \
      (column) < kColumns && !kIsFloat ? hn::LoadU(d, to + (column) * stride + at + lanes) : hn::Zero(d);
    PORTACL_EACH_ROW(PORTACL_LOAD)
#undef PORTACL_LOAD
#pragma GCC unroll 8
    for (int term = 0; term < kTerms; ++term) {
      const auto loaded = LoadElements<T>(elements[term], at, count);
#define PORTACL_ADD(column)                                                          \
  if constexpr ((column) < kColumns) {                                               \
    const FloatVector factor = hn::Set(d, factors[term][(column) * padded]);         \
    if constexpr (kIsFloat) {                                                        \
      low##column = hn::MulAdd(loaded, factor, low##column);                         \
    } else {                                                                         \
      low##column = hn::MulAdd(simd::WidenFirst<T>(loaded), factor, low##column);    \
      high##column = hn::MulAdd(simd::WidenSecond<T>(loaded), factor, high##column); \
    }                                                                                \
  }
      PORTACL_EACH_ROW(PORTACL_ADD)
#undef PORTACL_ADD
    }
#define PORTACL_STORE(column)                                                                  \
  if constexpr ((column) < kColumns) {                                                         \
    hn::StoreU(low##column, d, to + (column) * stride + at);                                   \
    if constexpr (!kIsFloat) hn::StoreU(high##column, d, to + (column) * stride + at + lanes); \
  }
    PORTACL_EACH_ROW(PORTACL_STORE)
#undef PORTACL_STORE
  };
  int64_t at = 0;
  for (; at + step <= tile.row_count; at += step) add(at, static_cast<size_t>(step));
  if (at < tile.row_count) add(at, static_cast<size_t>(tile.row_count - at));
}

// Adds the products of one lane's k, out of [begin, end), to its sums, [column][row].
template <class T, int kColumns>
HWY_ATTR void AddLane(const DotTile& tile, int64_t begin, int64_t end, int64_t lane, int64_t column, int64_t padded,
                      float* to, int64_t stride) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(FloatLanes()));
  constexpr bool kSplits = !std::is_same_v<T, float> && simd::kSplitsEvenAndOdd<T>;
  const std::byte* elements[kTermsAtOnce];
  const float* factors[kTermsAtOnce];
  int count = 0;
  for (int64_t number = 0;; ++number) {
    // Where a register of T is widened to its even and its odd elements, a lane takes two elements that are neighbours.
    const int64_t pair = number / 2 * 2 * lanes;
    const int64_t k = begin + (kSplits ? pair + 2 * lane + number % 2 : number * lanes + lane);
    const int64_t place = begin + (kSplits ? pair + number % 2 * lanes + lane : number * lanes + lane);
    if (k >= end) break;
    elements[count] = tile.rows + k * tile.row_stride;
    factors[count] = tile.columns + column * padded + place;
    if (++count < kTermsAtOnce) continue;
    AddAcross<T, kColumns, kTermsAtOnce>(tile, elements, factors, padded, to, stride);
    count = 0;
  }
  for (int term = 0; term < count; ++term)
    AddAcross<T, kColumns, 1>(tile, elements + term, factors + term, padded, to, stride);
}

// For rows whose elements are apart along k and contiguous across rows. A row of floats stands for one lane of Dot's
// registers, with one float for each row of the product; the order of additions is the same.
template <class T>
HWY_ATTR void DotAcross(const DotTile& tile) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t step = ElementsOfStep<T>();
  const int64_t width = (tile.row_count + step - 1) / step * step;
  // Sums are [lane][column][row].
  const int64_t stride = width + kAcrossPadding;
  const int64_t all = lanes * tile.column_count * stride;
  const int64_t padded = (tile.depth + step - 1) / step * step;
  const int64_t block = kDotProducts * lanes;
  float* const sums = tile.scratch;
  float* const total = sums + all;
  auto* const results = reinterpret_cast<double*>(total + all);
  std::fill(results, results + tile.row_count * tile.column_count, 0.0);
  for (int64_t first = 0; first < tile.depth; first += kDotSums * block) {
    const int64_t end = std::min(tile.depth, first + kDotSums * block);
    std::fill(total, total + all, 0.0F);
    for (int64_t begin = first; begin < end; begin += block) {
      std::fill(sums, sums + all, 0.0F);
      const int64_t block_end = std::min(end, begin + block);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        for (int64_t column = 0; column < tile.column_count; column += 4) {
          float* const to = sums + (lane * tile.column_count + column) * stride;
          switch (tile.column_count - column) {
            case 1:
              AddLane<T, 1>(tile, begin, block_end, lane, column, padded, to, stride);
              break;
            case 2:
              AddLane<T, 2>(tile, begin, block_end, lane, column, padded, to, stride);
              break;
            case 3:
              AddLane<T, 3>(tile, begin, block_end, lane, column, padded, to, stride);
              break;
            default:
              AddLane<T, 4>(tile, begin, block_end, lane, column, padded, to, stride);
          }
        }
      }
      for (int64_t i = 0; i < all; i += lanes)
        hn::StoreU(hn::Add(hn::LoadU(d, total + i), hn::LoadU(d, sums + i)), d, total + i);
    }
    // Adds in the order of SumLanes.
    for (int64_t half = all / 2; half >= all / lanes; half /= 2) {
      for (int64_t i = 0; i < half; i += lanes)
        hn::StoreU(hn::Add(hn::LoadU(d, total + i), hn::LoadU(d, total + half + i)), d, total + i);
    }
    for (int64_t row = 0; row < tile.row_count; ++row) {
      constexpr bool kSplits = !std::is_same_v<T, float> && simd::kSplitsEvenAndOdd<T>;
      const int64_t in_step = row % step;
      const int64_t at = kSplits ? row - in_step + in_step % 2 * lanes + in_step / 2 : row;
      for (int64_t column = 0; column < tile.column_count; ++column)
        results[row * tile.column_count + column] += static_cast<double>(total[column * stride + at]);
    }
  }
  for (int64_t row = 0; row < tile.row_count; ++row) {
    for (int64_t column = 0; column < tile.column_count; ++column)
      tile.out[row * tile.out_row + column * tile.out_column] =
          static_cast<float>(results[row * tile.column_count + column]);
  }
}

// A register of T is widened to two: the factors of the first one are stored before those of the second one.
template <class T>
HWY_ATTR void PackColumn(const float* from, int64_t depth, float* to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(FloatLanes()));
  const int64_t step = std::is_same_v<T, float> ? lanes : 2 * lanes;
  const int64_t whole = depth / step * step;
  int64_t k = 0;
  const FloatLanes d;
  for (; k < whole; k += step) {
    if constexpr (std::is_same_v<T, float>) {
      hn::StoreU(hn::LoadU(d, from + k), d, to + k);
    } else if constexpr (simd::kSplitsEvenAndOdd<T>) {
      FloatVector even = hn::Undefined(d), odd = hn::Undefined(d);
      hn::LoadInterleaved2(d, from + k, even, odd);
      hn::StoreU(even, d, to + k);
      hn::StoreU(odd, d, to + k + lanes);
    } else {
      hn::StoreU(hn::LoadU(d, from + k), d, to + k);
      hn::StoreU(hn::LoadU(d, from + k + lanes), d, to + k + lanes);
    }
  }
  if (k == depth) return;
  std::fill(to + k, to + k + step, 0.0F);
  for (int64_t i = 0; k + i < depth; ++i) {
    constexpr bool kSplits = !std::is_same_v<T, float> && simd::kSplitsEvenAndOdd<T>;
    to[k + (kSplits ? i / 2 + i % 2 * lanes : i)] = from[k + i];
  }
}

template <class T>
HWY_INLINE DotLanes LanesOfDots() {
  return {.dot = Dot<T>,
          .dot_across = DotAcross<T>,
          .pack_column = PackColumn<T>,
          .padding = ElementsOfStep<T>(),
          .lanes = static_cast<int64_t>(hn::Lanes(FloatLanes()))};
}

HWY_ATTR DotLanes FindDots(aclDataType rows) {
  if (rows == ACL_FLOAT) return LanesOfDots<float>();
  return rows == ACL_FLOAT16 ? LanesOfDots<hwy::float16_t>() : LanesOfDots<hwy::bfloat16_t>();
}

}  // namespace portacl::loops::products::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::products, DotLanesOf, (aclDataType rows, int64_t target), FindDots, rows)
