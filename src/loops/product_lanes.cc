// SPDX-License-Identifier: Apache-2.0
#include "loops/product_lanes.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

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

// Sums by name, as scalable registers cannot be in arrays; those of rows that are not there take no register.
#define PORTACL_EACH_ROW(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)

template <int kCount, bool kWide>
HWY_INLINE void MultiplyRows(const PanelTile& tile, int64_t first) {
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
  for (int64_t k = tile.depth; k > 0; --k) {
    const FloatVector low = hn::LoadU(d, panel);
    const FloatVector high = kWide ? hn::LoadU(d, panel + lanes) : low;
    static_cast<void>(high);
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
#define PORTACL_PUT(row)                                                                     \
  if constexpr ((row) < kCount) {                                                            \
    PutSum(low##row, tile, (first + (row)) * tile.out_stride);                               \
    if constexpr (kWide) PutSum(high##row, tile, (first + (row)) * tile.out_stride + lanes); \
  }
  PORTACL_EACH_ROW(PORTACL_PUT)
#undef PORTACL_PUT
}

template <int kCount, bool kWide>
HWY_NOINLINE HWY_ATTR void MultiplySome(const PanelTile& tile, int64_t first) {
  MultiplyRows<kCount, kWide>(tile, first);
}

template <bool kWide>
HWY_ATTR void Multiply(const PanelTile& tile) {
  if (tile.row_count == kRows) return MultiplySome<kRows, kWide>(tile, 0);
  int64_t first = 0;
  if constexpr (kRows > 8) {
    for (; first + 8 <= tile.row_count; first += 8) MultiplySome<8, kWide>(tile, first);
  }
  if constexpr (kRows > 4) {
    for (; first + 4 <= tile.row_count; first += 4) MultiplySome<4, kWide>(tile, first);
  }
  for (; first + 2 <= tile.row_count; first += 2) MultiplySome<2, kWide>(tile, first);
  if (first < tile.row_count) MultiplySome<1, kWide>(tile, first);
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

template <class T>
HWY_ATTR void Pack(const std::byte* from, int64_t row_stride, int64_t depth, int64_t count, int64_t panel, float* to) {
  constexpr int64_t kRegisters = std::is_same_v<T, float> ? 1 : 2;  // of float32 for one of T
  const auto step = kRegisters * static_cast<int64_t>(hn::Lanes(FloatLanes()));
  HWY_ALIGN float buffer[HWY_LANES(uint16_t)];
  for (int64_t k = 0; k < depth; ++k, from += row_stride, to += panel) {
    for (int64_t at = 0; at < panel; at += step) {
      const auto left = static_cast<size_t>(std::max<int64_t>(0, count - at));
      const std::byte* const elements = from + std::min(at, count) * static_cast<int64_t>(sizeof(simd::Stored<T>));
      if (panel - at >= step) {
        WidenRegister<T>(elements, left, to + at);
      } else {
        WidenRegister<T>(elements, left, buffer);
        std::copy(buffer, buffer + (panel - at), to + at);
      }
    }
  }
}

// So many steps are added in float32.
constexpr int64_t kDotSteps = 64;

#define PORTACL_EACH_CELL(X)                                                                                      \
  X(0, 0)                                                                                                         \
  X(0, 1) X(0, 2) X(0, 3) X(1, 0) X(1, 1) X(1, 2) X(1, 3) X(2, 0) X(2, 1) X(2, 2) X(2, 3) X(3, 0) X(3, 1) X(3, 2) \
      X(3, 3)
#define PORTACL_EACH_OF_FOUR(X) X(0) X(1) X(2) X(3)

template <class T>
HWY_INLINE auto LoadElements(const std::byte* row, int64_t at, size_t count) {
  const hn::ScalableTag<simd::Stored<T>> d;
  const auto* const from = reinterpret_cast<const simd::Stored<T>*>(row) + at;
  return count >= hn::Lanes(d) ? hn::LoadU(d, from) : simd::LoadTail(d, from, count);
}

// Adds the products of elements [first, end) to kRows x kColumns sums.
template <class T, int kRowCount, int kColumns>
HWY_INLINE void DotBlock(const DotTile& tile, const std::byte* rows, int64_t first, int64_t end, double* sums) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto step = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<simd::Stored<T>>()));
  const int64_t padded = (tile.depth + step - 1) / step * step;
#define PORTACL_BEGIN(row, column) FloatVector sum##row##column = hn::Zero(d);
  PORTACL_EACH_CELL(PORTACL_BEGIN)
#undef PORTACL_BEGIN
  const auto add = [&](int64_t at, size_t count) HWY_ATTR {
#define PORTACL_LOAD(row) \
  const auto elements##row = LoadElements<T>(rows + ((row) < kRowCount ? (row) : 0) * tile.row_stride, at, count);
    PORTACL_EACH_OF_FOUR(PORTACL_LOAD)
#undef PORTACL_LOAD
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
#define PORTACL_SUM(row, column)                          \
  if constexpr ((row) < kRowCount && (column) < kColumns) \
    sums[(row) * kColumns + (column)] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum##row##column)));
  PORTACL_EACH_CELL(PORTACL_SUM)
#undef PORTACL_SUM
}

template <class T, int kRowCount, int kColumns>
HWY_ATTR void DotRows(const DotTile& tile, int64_t row) {
  const int64_t block = kDotSteps * static_cast<int64_t>(hn::Lanes(FloatLanes()));
  double sums[kRowCount * kColumns] = {};
  const std::byte* const rows = tile.rows + row * tile.row_stride;
  for (int64_t k = 0; k < tile.depth; k += block)
    DotBlock<T, kRowCount, kColumns>(tile, rows, k, std::min(tile.depth, k + block), sums);
  float* const out = tile.out + row * kColumns;
  for (int i = 0; i < kRowCount * kColumns; ++i) out[i] = static_cast<float>(sums[i]);
}

template <class T, int kColumns>
HWY_ATTR void DotColumns(const DotTile& tile) {
  constexpr int kTogether = kColumns <= 2 ? 4 : 2;
  int64_t row = 0;
  for (; row + kTogether <= tile.row_count; row += kTogether) DotRows<T, kTogether, kColumns>(tile, row);
  for (; row < tile.row_count; ++row) DotRows<T, 1, kColumns>(tile, row);
}

template <class T>
HWY_ATTR void Dot(const DotTile& tile) {
  switch (tile.column_count) {
    case 1:
      return DotColumns<T, 1>(tile);
    case 2:
      return DotColumns<T, 2>(tile);
    case 3:
      return DotColumns<T, 3>(tile);
    default:
      return DotColumns<T, 4>(tile);
  }
}

// A register of T widens into two: the factors of the first stand before those of the second.
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
HWY_INLINE void SetDot(ProductLanes* lanes) {
  lanes->dot = Dot<T>;
  lanes->pack_column = PackColumn<T>;
  lanes->column_padding = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<simd::Stored<T>>()));
}

HWY_ATTR ProductLanes LanesOf(aclDataType rows, aclDataType columns) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(FloatLanes()));
  ProductLanes result{.panel = 2 * lanes,
                      .narrow_panel = lanes,
                      .rows = kRows,
                      .column_padding = 0,
                      .multiply = Multiply<true>,
                      .multiply_narrow = Multiply<false>,
                      .pack = columns == ACL_FLOAT     ? Pack<float>
                              : columns == ACL_FLOAT16 ? Pack<hwy::float16_t>
                                                       : Pack<hwy::bfloat16_t>,
                      .dot = nullptr,
                      .pack_column = nullptr};
  if (rows == ACL_FLOAT) {
    SetDot<float>(&result);
  } else if (rows == ACL_FLOAT16) {
    SetDot<hwy::float16_t>(&result);
  } else {
    SetDot<hwy::bfloat16_t>(&result);
  }
  return result;
}

}  // namespace portacl::loops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::loops {

ProductLanes ProductLanesOf(aclDataType rows, aclDataType columns, int64_t target) {
  return PORTACL_FOR_TARGET(LanesOf, target)(rows, columns);
}

}  // namespace portacl::loops
#endif  // HWY_ONCE
