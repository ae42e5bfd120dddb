// SPDX-License-Identifier: Apache-2.0
#include "loops/products/panel_lanes.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/products/panel_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/dispatch.h"
#include "simd/operand.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::products::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

using simd::FloatLanes;
using simd::FloatVector;
using simd::HalfLanes;

// Rows of a tile: two sums per row, two registers of the panel and one element of a row fit the registers.
#if HWY_TARGET == HWY_EMU128
constexpr int kRows = 2;
#elif HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
constexpr int kRows = 6;
#else
constexpr int kRows = 14;
#endif

// Adds `count` float32 sums to float64 sums; if they are the last ones, rounds the results to float32.
template <bool kBegins, bool kEnds>
HWY_INLINE void AddSums(const float* from, int64_t count, double* sums, float* out) {
  int64_t i = 0;
#if HWY_TARGET != HWY_EMU128  // whose DemoteTo() makes the largest float an infinity
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
#pragma GCC unroll 4
  for (; i < count; i += lanes) {
    auto sum = hn::PromoteTo(wide, hn::LoadU(d, from + i));
    if constexpr (!kBegins) sum = hn::Add(sum, hn::LoadU(wide, sums + i));
    if constexpr (kEnds) {
      hn::StoreU(hn::DemoteTo(d, sum), d, out + i);
    } else {
      hn::StoreU(sum, wide, sums + i);
    }
  }
#endif
  for (; i < count; ++i) {
    const double sum = static_cast<double>(from[i]) + (kBegins ? 0.0 : sums[i]);
    if constexpr (kEnds) {
      out[i] = static_cast<float>(sum);
    } else {
      sums[i] = sum;
    }
  }
}

// The same for the rows of a tile.
template <bool kBegins, bool kEnds>
HWY_ATTR void AddSumsOfRows(const float* from, int64_t rows, int64_t width, const PanelTile& tile, int64_t first) {
  const auto row_floats = 2 * static_cast<int64_t>(hn::Lanes(FloatLanes()));
  double* sums = tile.sums + first * tile.sum_stride;
  float* out = tile.out + first * tile.out_stride;
  for (; rows > 0; --rows, from += row_floats, sums += tile.sum_stride, out += tile.out_stride)
    AddSums<kBegins, kEnds>(from, width, sums, out);
}

// Prefetch distance in steps, from the second-level cache to the first.
constexpr int64_t kPanelPrefetchDistance = 16;

// Prefetch distance from memory to the second-level cache, for unpacked panels: the hardware prefetcher does not follow
// these rows, and with a larger distance too many of them may share a cache set.
constexpr int64_t kUnpackedPrefetchDistance = 48;

// Sums are named variables, as scalable registers cannot be in arrays; those of absent rows take no register.
#define PORTACL_EACH_ROW(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)

// The loop has only the necessary instructions: it keeps the multiplication ports busy.
template <int kCount, bool kWide, bool kPacks = false>
HWY_NOINLINE HWY_ATTR void MultiplyRows(const PanelTile& tile, int64_t first) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = kWide ? 2 * lanes : lanes;
  const int64_t stride = tile.row_stride, row_step = tile.row_step, panel_step = tile.panel_step;
  const float* panel = tile.panel;
  [[maybe_unused]] float* packed = tile.packed;
  // Three rows share a pointer: an addressing mode covers offsets of up to two strides.
  const float* group0 = tile.rows + first * stride;
  const float* group1 = group0 + (kCount > 3 ? 3 * stride : 0);
  const float* group2 = group1 + (kCount > 6 ? 3 * stride : 0);
  const float* group3 = group2 + (kCount > 9 ? 3 * stride : 0);
  const float* group4 = group3 + (kCount > 12 ? 3 * stride : 0);
  const std::byte* run = tile.ahead != nullptr ? tile.ahead : reinterpret_cast<const std::byte*>(panel);
  const std::byte* ahead = run;
  int64_t left_of_run = tile.ahead_run;
  const int64_t ahead_step = tile.ahead_step;
  HWY_ALIGN float total[2 * kCount * HWY_LANES(float)];  // sums of the blocks before
  int64_t left = tile.depth;
  for (bool is_first = true;; is_first = false) {
#define PORTACL_BEGIN(row) FloatVector low##row = hn::Zero(d), high##row = hn::Zero(d);
    PORTACL_EACH_ROW(PORTACL_BEGIN)
#undef PORTACL_BEGIN
#define PORTACL_GROUP(row) ((row) < 3 ? group0 : (row) < 6 ? group1 : (row) < 9 ? group2 : (row) < 12 ? group3 : group4)
#define PORTACL_STEP(row)                                                           \
  if constexpr ((row) < kCount) {                                                   \
    const FloatVector element = hn::Set(d, PORTACL_GROUP(row)[(row) % 3 * stride]); \
    low##row = hn::MulAdd(element, low, low##row);                                  \
    if constexpr (kWide) high##row = hn::MulAdd(element, high, high##row);          \
  }
    for (int64_t k = std::min(left, tile.block); k > 0; --k) {
      hwy::Prefetch(ahead);
      ahead += ahead_step;
      const FloatVector low = hn::LoadU(d, panel);
      const FloatVector high = kWide ? hn::LoadU(d, panel + lanes) : low;
      static_cast<void>(high);
      hwy::Prefetch(panel + kPanelPrefetchDistance * panel_step);
      if constexpr (kWide) hwy::Prefetch(panel + kPanelPrefetchDistance * panel_step + lanes);
      if constexpr (kPacks) {
        __builtin_prefetch(panel + kUnpackedPrefetchDistance * panel_step, 0, 2);
        if constexpr (kWide) __builtin_prefetch(panel + kUnpackedPrefetchDistance * panel_step + lanes, 0, 2);
        hn::StoreU(low, d, packed);
        if constexpr (kWide) hn::StoreU(high, d, packed + lanes);
        packed += width;
      }
      PORTACL_EACH_ROW(PORTACL_STEP)
      panel += panel_step;
      group0 += row_step;
      if constexpr (kCount > 3) group1 += row_step;
      if constexpr (kCount > 6) group2 += row_step;
      if constexpr (kCount > 9) group3 += row_step;
      if constexpr (kCount > 12) group4 += row_step;
    }
#undef PORTACL_STEP
#undef PORTACL_GROUP
    left -= tile.block;
    left_of_run -= tile.block;
    if (left_of_run <= 0) left_of_run = tile.ahead_run, ahead = run += tile.ahead_stride;
#define PORTACL_JOIN(row)                                                                               \
  if constexpr ((row) < kCount) {                                                                       \
    low##row = hn::Add(low##row, hn::LoadU(d, total + 2 * (row) * lanes));                              \
    if constexpr (kWide) high##row = hn::Add(high##row, hn::LoadU(d, total + (2 * (row) + 1) * lanes)); \
  }
    if (!is_first) {
      PORTACL_EACH_ROW(PORTACL_JOIN)
    }
#undef PORTACL_JOIN
    if (left <= 0 && tile.sums == nullptr) {
      const int64_t out_stride = tile.out_stride;
      float* const out = tile.out + first * out_stride;
#define PORTACL_STORE(row)                                                           \
  if constexpr ((row) < kCount) {                                                    \
    hn::StoreU(low##row, d, out + (row) * out_stride);                               \
    if constexpr (kWide) hn::StoreU(high##row, d, out + (row) * out_stride + lanes); \
  }
      PORTACL_EACH_ROW(PORTACL_STORE)
#undef PORTACL_STORE
      return;
    }
#define PORTACL_KEEP(row)                                                           \
  if constexpr ((row) < kCount) {                                                   \
    hn::StoreU(low##row, d, total + 2 * (row) * lanes);                             \
    if constexpr (kWide) hn::StoreU(high##row, d, total + (2 * (row) + 1) * lanes); \
  }
    PORTACL_EACH_ROW(PORTACL_KEEP)
#undef PORTACL_KEEP
    if (left <= 0) break;
  }
  const auto add = tile.begins ? tile.ends ? AddSumsOfRows<true, true> : AddSumsOfRows<true, false>
                   : tile.ends ? AddSumsOfRows<false, true>
                               : AddSumsOfRows<false, false>;
  add(total, kCount, width, tile, first);
}

// Multiplies all rows of the tile, up to kCount: an even number of them, then the one that is left.
template <int kCount, bool kWide>
HWY_ATTR void MultiplyUpTo(const PanelTile& tile) {
  if (tile.row_count < kCount) {
    if constexpr (kCount > 2) return MultiplyUpTo<kCount - 2, kWide>(tile);
    return MultiplyRows<1, kWide>(tile, 0);
  }
  MultiplyRows<kCount, kWide>(tile, 0);
  if (tile.row_count > kCount) MultiplyRows<1, kWide>(tile, kCount);
}

template <bool kWide>
HWY_ATTR void Multiply(const PanelTile& tile) {
  if (tile.packed != nullptr) return MultiplyRows<kRows, kWide, true>(tile, 0);
  MultiplyUpTo<kRows, kWide>(tile);
}

// Widens the first `count` elements of a register of T to float32, in order; `to` has room for all elements.
template <class T>
HWY_INLINE void WidenRegister(const std::byte* from, size_t count, float* to) {
  const FloatLanes d;
  if constexpr (std::is_same_v<T, float>) {
    const auto* const in = reinterpret_cast<const float*>(from);
    hn::StoreU(count >= hn::Lanes(d) ? hn::LoadU(d, in) : simd::LoadTail(d, in, count), d, to);
  } else {
    const HalfLanes half;
    const auto* const in = reinterpret_cast<const uint16_t*>(from);
    const auto v = count >= hn::Lanes(half) ? hn::LoadU(half, in) : simd::LoadTail(half, in, count);
    const FloatVector first = simd::WidenFirst<T>(v), second = simd::WidenSecond<T>(v);
    if constexpr (simd::kSplitsEvenAndOdd<T>) {
      hn::StoreInterleaved2(first, second, d, to);
    } else {
      hn::StoreU(first, d, to);
      hn::StoreU(second, d, to + hn::Lanes(d));
    }
  }
}

// Prefetch distance in rows: the hardware prefetcher does not follow rows that are far apart.
constexpr int64_t RowsAhead(int64_t count) { return count < 64 ? 32 : 8; }

template <class T>
HWY_ATTR void Pack(const std::byte* from, int64_t row_stride, int64_t depth, int64_t count, int64_t panel, float* to) {
  constexpr int64_t kRegisters = std::is_same_v<T, float> ? 1 : 2;  // registers of float32 per register of T
  constexpr auto kBytes = static_cast<int64_t>(sizeof(simd::Stored<T>));
  const auto step = kRegisters * static_cast<int64_t>(hn::Lanes(FloatLanes()));
  const int64_t rows_ahead = RowsAhead(count) * row_stride;
  for (int64_t k = 0; k < depth; ++k, from += row_stride, to += panel) {
    float* row = to;
    for (int64_t first = 0; first < count; first += panel, row += depth * panel + kPanelGap) {
      // If a register is wider than the rest of the panel, its excess is overwritten by the next store.
      for (int64_t at = 0; at < panel; at += step) {
        const int64_t left = count - first - at;
        if (left > 0) {
          const std::byte* const ahead = from + rows_ahead + (first + at) * kBytes;
          hwy::Prefetch(ahead);
          hwy::Prefetch(ahead + (std::min(left, step) - 1) * kBytes);
        }
        WidenRegister<T>(from + (left > 0 ? first + at : 0) * kBytes, static_cast<size_t>(std::max<int64_t>(left, 0)),
                         row + at);
      }
    }
  }
}

HWY_ATTR void Round(const double* from, int64_t count, float* to) {
  int64_t i = 0;
#if HWY_TARGET != HWY_EMU128  // whose DemoteTo() makes an infinity the largest float
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::DemoteTo(d, hn::LoadU(wide, from + i)), d, to + i);
#endif
  for (; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

// In float64 both products are exact, so a fused multiply-add gives the same sum.
HWY_ATTR void CombineWide(const float* products, const float* addends, int64_t count, float alpha, float beta,
                          float* to) {
  const double scale = static_cast<double>(alpha), addend_scale = static_cast<double>(beta);
  int64_t i = 0;
#if HWY_TARGET != HWY_EMU128  // see above
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
  const auto wide_scale = hn::Set(wide, scale), wide_addend_scale = hn::Set(wide, addend_scale);
  for (; i + lanes <= count; i += lanes) {
    const auto addend = hn::Mul(wide_addend_scale, hn::PromoteTo(wide, hn::LoadU(d, addends + i)));
    const auto product = hn::PromoteTo(wide, hn::LoadU(d, products + i));
    hn::StoreU(hn::DemoteTo(d, hn::MulAdd(wide_scale, product, addend)), d, to + i);
  }
#endif
  for (; i < count; ++i) {
    to[i] =
        static_cast<float>(scale * static_cast<double>(products[i]) + addend_scale * static_cast<double>(addends[i]));
  }
}

HWY_ATTR void Combine(const float* products, const float* addends, int64_t count, float alpha, float beta, float* to) {
  // Adding in float32 gives the same bits as rounding the float64 sum: float64 has more than twice the digits.
  const bool is_sum = addends != nullptr && alpha == 1 && beta == 1;
  if (addends != nullptr && !is_sum) return CombineWide(products, addends, count, alpha, beta, to);
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  if (is_sum) {
    for (; i + lanes <= count; i += lanes)
      hn::StoreU(hn::Add(hn::LoadU(d, products + i), hn::LoadU(d, addends + i)), d, to + i);
    for (; i < count; ++i) to[i] = products[i] + addends[i];
    return;
  }
  const FloatVector scale = hn::Set(d, alpha);
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Mul(scale, hn::LoadU(d, products + i)), d, to + i);
  for (; i < count; ++i) to[i] = alpha * products[i];
}

HWY_ATTR ProductLanes LanesOf(aclDataType columns) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(FloatLanes()));
  ProductLanes result{.panel = 2 * lanes,
                      .narrow_panel = lanes,
                      .rows = kRows,
                      .has_long_registers = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3,
                      .multiply = Multiply<true>,
                      .multiply_narrow = Multiply<false>,
                      .pack = columns == ACL_FLOAT     ? Pack<float>
                              : columns == ACL_FLOAT16 ? Pack<hwy::float16_t>
                                                       : Pack<hwy::bfloat16_t>,
                      .round = Round,
                      .combine = Combine};
  return result;
}

}  // namespace portacl::loops::products::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::products, ProductLanesOf, (aclDataType columns, int64_t target), LanesOf,
                       columns)
