// SPDX-License-Identifier: Apache-2.0
#include "loops/product_lanes.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/product_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/operand.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

using simd::FloatLanes;
using simd::FloatVector;
using simd::HalfLanes;

// Rows of a panel's tile: two sums for each, two registers of the panel and one of a row fit the registers.
#if HWY_TARGET == HWY_EMU128
constexpr int kRows = 2;
#elif HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
constexpr int kRows = 6;
#else
constexpr int kRows = 14;
#endif

HWY_INLINE void PutSum(FloatVector sum, const PanelTile& tile, int64_t at) {
  const FloatLanes d;
  if (tile.sums == nullptr) return hn::StoreU(sum, d, tile.out + at);
  const hn::ScalableTag<double> wide;
  const hn::Half<FloatLanes> half;
  double* const sums = tile.sums + at;
  const size_t lanes = hn::Lanes(wide);
  hn::StoreU(hn::Add(hn::LoadU(wide, sums), hn::PromoteTo(wide, hn::LowerHalf(half, sum))), wide, sums);
  hn::StoreU(hn::Add(hn::LoadU(wide, sums + lanes), hn::PromoteTo(wide, hn::UpperHalf(half, sum))), wide, sums + lanes);
}

// Steps ahead of what is read that a panel is brought from the second-level cache to the first.
constexpr int64_t kPanelAhead = 16;

// Sums by name, as scalable registers cannot be in arrays; those of rows that are not there take no register.
#define PORTACL_EACH_ROW(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)

template <int kCount, bool kWide>
HWY_NOINLINE HWY_ATTR void MultiplyRows(const PanelTile& tile, int64_t first) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = kWide ? 2 * lanes : lanes;
  const int64_t stride = tile.row_stride;
  const float* panel = tile.panel;
  // Three rows share a pointer: their elements are at most two strides apart, which an address can say.
  const float* group0 = tile.rows + first * stride;
  const float* group1 = group0 + (kCount > 3 ? 3 * stride : 0);
  const float* group2 = group1 + (kCount > 6 ? 3 * stride : 0);
  const float* group3 = group2 + (kCount > 9 ? 3 * stride : 0);
  const float* group4 = group3 + (kCount > 12 ? 3 * stride : 0);
  HWY_ALIGN float total[2 * kCount * HWY_LANES(float)];  // of the blocks before
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
      const FloatVector low = hn::LoadU(d, panel);
      const FloatVector high = kWide ? hn::LoadU(d, panel + lanes) : low;
      static_cast<void>(high);
      hwy::Prefetch(panel + kPanelAhead * width);
      if constexpr (kWide) hwy::Prefetch(panel + kPanelAhead * width + lanes);
      PORTACL_EACH_ROW(PORTACL_STEP)
      panel += width;
      ++group0;
      if constexpr (kCount > 3) ++group1;
      if constexpr (kCount > 6) ++group2;
      if constexpr (kCount > 9) ++group3;
      if constexpr (kCount > 12) ++group4;
    }
#undef PORTACL_STEP
#undef PORTACL_GROUP
    left -= tile.block;
#define PORTACL_JOIN(row)                                                                               \
  if constexpr ((row) < kCount) {                                                                       \
    low##row = hn::Add(low##row, hn::LoadU(d, total + 2 * (row) * lanes));                              \
    if constexpr (kWide) high##row = hn::Add(high##row, hn::LoadU(d, total + (2 * (row) + 1) * lanes)); \
  }
    if (!is_first) {
      PORTACL_EACH_ROW(PORTACL_JOIN)
    }
#undef PORTACL_JOIN
    if (left <= 0) {
#define PORTACL_PUT(row)                                                                     \
  if constexpr ((row) < kCount) {                                                            \
    PutSum(low##row, tile, (first + (row)) * tile.out_stride);                               \
    if constexpr (kWide) PutSum(high##row, tile, (first + (row)) * tile.out_stride + lanes); \
  }
      PORTACL_EACH_ROW(PORTACL_PUT)
#undef PORTACL_PUT
      return;
    }
#define PORTACL_KEEP(row)                                                           \
  if constexpr ((row) < kCount) {                                                   \
    hn::StoreU(low##row, d, total + 2 * (row) * lanes);                             \
    if constexpr (kWide) hn::StoreU(high##row, d, total + (2 * (row) + 1) * lanes); \
  }
    PORTACL_EACH_ROW(PORTACL_KEEP)
#undef PORTACL_KEEP
  }
}

template <bool kWide>
HWY_ATTR void Multiply(const PanelTile& tile) {
  if (tile.row_count == kRows) return MultiplyRows<kRows, kWide>(tile, 0);
  int64_t first = 0;
  if constexpr (kRows > 8) {
    for (; first + 8 <= tile.row_count; first += 8) MultiplyRows<8, kWide>(tile, first);
  }
  if constexpr (kRows > 4) {
    for (; first + 4 <= tile.row_count; first += 4) MultiplyRows<4, kWide>(tile, first);
  }
  for (; first + 2 <= tile.row_count; first += 2) MultiplyRows<2, kWide>(tile, first);
  if (first < tile.row_count) MultiplyRows<1, kWide>(tile, first);
}

// One register of elements of T, the first `count` of them, as float32 in their order; `to` has room for all.
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

// Asks for what is read so many rows later: rows that are far apart are strangers to the processor's own prefetching.
constexpr int64_t kRowsAhead = 8;

template <class T>
HWY_ATTR void Pack(const std::byte* from, int64_t row_stride, int64_t depth, int64_t count, int64_t panel, float* to) {
  constexpr int64_t kRegisters = std::is_same_v<T, float> ? 1 : 2;  // of float32 for one of T
  constexpr auto kBytes = static_cast<int64_t>(sizeof(simd::Stored<T>));
  const auto step = kRegisters * static_cast<int64_t>(hn::Lanes(FloatLanes()));
  HWY_ALIGN float buffer[HWY_LANES(uint16_t)];
  for (int64_t k = 0; k < depth; ++k, from += row_stride, to += panel) {
    float* row = to;
    for (int64_t first = 0; first < count; first += panel, row += depth * panel + kPanelGap) {
      for (int64_t at = 0; at < panel; at += step) {
        const int64_t left = count - first - at;
        if (left > 0) hwy::Prefetch(from + kRowsAhead * row_stride + (first + at) * kBytes);
        const std::byte* const elements = from + (left > 0 ? first + at : 0) * kBytes;
        if (panel - at >= step) {
          WidenRegister<T>(elements, static_cast<size_t>(std::max<int64_t>(left, 0)), row + at);
        } else {
          WidenRegister<T>(elements, static_cast<size_t>(std::max<int64_t>(left, 0)), buffer);
          std::copy(buffer, buffer + (panel - at), row + at);
        }
      }
    }
  }
}

HWY_ATTR void Round(const double* from, int64_t count, float* to) {
  int64_t i = 0;
#if HWY_TARGET != HWY_EMU128  // which makes the largest number of an infinity
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::DemoteTo(d, hn::LoadU(wide, from + i)), d, to + i);
#endif
  for (; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

// In float64 both products are exact, so that it does not matter whether the sum is fused.
HWY_ATTR void CombineWide(const float* products, const float* addends, int64_t count, float alpha, float beta,
                          float* to) {
  const double scale = static_cast<double>(alpha), addend_scale = static_cast<double>(beta);
  int64_t i = 0;
#if HWY_TARGET != HWY_EMU128  // as above
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
  // A sum of two floats that is rounded to float64 first has the same bits, as that has more than twice the digits.
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
                      .multiply = Multiply<true>,
                      .multiply_narrow = Multiply<false>,
                      .pack = columns == ACL_FLOAT     ? Pack<float>
                              : columns == ACL_FLOAT16 ? Pack<hwy::float16_t>
                                                       : Pack<hwy::bfloat16_t>,
                      .round = Round,
                      .combine = Combine};
  return result;
}

}  // namespace portacl::loops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::loops {

ProductLanes ProductLanesOf(aclDataType columns, int64_t target) {
  return PORTACL_FOR_TARGET(LanesOf, target)(columns);
}

}  // namespace portacl::loops
#endif  // HWY_ONCE
